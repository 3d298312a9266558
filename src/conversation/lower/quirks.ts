import type { MediaPart } from "../request.ts";

/**
 * The parameters that one model of one upstream takes, as plain data of the catalog: nothing here is ever an `if` on a
 * vendor's name. Absent = the protocol's ordinary way.
 */
export interface Quirks {
  /** The role of instructions in chat messages; `user`: the model takes none, they open the first user turn. */
  readonly systemRole?: "system" | "developer" | "user" | undefined;
  /** Chat: the field that limits the output (rule 39). */
  readonly maxTokensField?: "max_tokens" | "max_completion_tokens" | undefined;
  /**
   * The model's parameter for reasoning: an effort word, a budget of tokens, `adaptive` (with an effort), a level;
   * `none`: it has none.
   */
  readonly thinking?: "effort" | "budget" | "adaptive" | "level" | "none" | undefined;
  /** The largest budget to think with that it takes, where it is told one. */
  readonly maxBudget?: number | undefined;
  /** False: the model always thinks and refuses to be told not to. */
  readonly thinkingOff?: boolean | undefined;
  /** The efforts it knows, where these are fewer. */
  readonly efforts?: readonly string[] | undefined;
  /** False: the model refuses to be made to call a tool. */
  readonly forcedTools?: boolean | undefined;
  /** Structured output: a schema in its own field, `json` only (no schema), or by a forced tool. */
  readonly structuredOutput?: "schema" | "json" | "tool" | undefined;
  /** JSON Schema for tools and answers: whole, or the native protocol's small subset (rule 28). */
  readonly schemas?: "whole" | "subset" | undefined;
  /** Kinds of media that the upstream fetches itself, where these are fewer; others are sent inline. */
  readonly mediaUrls?: readonly MediaPart["media"][] | undefined;
  /** False: the model answers 400 to temperature, top_p and penalties. */
  readonly sampling?: boolean | undefined;
  /** Hints that it answers 400 to. */
  readonly refuses?: readonly RefusedHint[] | undefined;
  /** Ids of calls are of exactly so many letters and digits. */
  readonly callIdLength?: number | undefined;
  /** False: no stop sequences; the gateway cuts the response itself. */
  readonly stop?: boolean | undefined;
  /** Messages: `off` = nothing is cached for callers whose protocols or requests have no marks of their own. */
  readonly cache?: "auto" | "off" | undefined;
  /** Chat: cache marks are taken on parts (`cache_control`). */
  readonly cacheMarks?: boolean | undefined;
  /**
   * Chat: thoughts of earlier turns are taken back as `reasoning_content`. True: turns without any get a blank one, for
   * they are refused; `kept`: they are not.
   */
  readonly reasoningReplay?: boolean | "kept" | undefined;
  /** Chat: the field in which the upstream tells thoughts and takes them back. */
  readonly reasoningField?: "reasoning" | "reasoning_content" | undefined;
  /** Chat: thoughts stand in `<think>` tags at the response's beginning. */
  readonly thinkTags?: boolean | undefined;
  /** One request can ask for several responses; where not, the gateway sends as many requests and joins the responses. */
  readonly manyAnswers?: boolean | undefined;
  /** A conversation that ends with the assistant's words goes on from there, or is refused (rule 34). */
  readonly prefill?: "continue" | "refuse" | undefined;
  /** The media that the model reads beside text, for the model lists. */
  readonly inputMedia?: readonly MediaPart["media"][] | undefined;
}

/** The names of the hints in the catalog. */
export type RefusedHint = "user" | "seed" | "penalties" | "verbosity" | "prompt_cache_key";

/** Quirks as the catalog's data says them; what is not one of them, or not of its type, is ignored. */
export function readQuirks(data: Readonly<Record<string, unknown>>): Quirks {
  // A model's data is one object until the catalog changes, and every request asks.
  let quirks = known.get(data);
  if (quirks === undefined) {
    quirks = decodeQuirks(data);
    known.set(data, quirks);
  }
  return quirks;
}

const known = new WeakMap<object, Quirks>();

function decodeQuirks(data: Readonly<Record<string, unknown>>): Quirks {
  const quirks: Record<string, unknown> = {};
  for (const [name, accepts] of Object.entries(QUIRKS)) {
    const value = data[snakeCase(name)];
    if (accepts(value)) quirks[name] = value;
  }
  return quirks;
}

const QUIRKS: Readonly<Record<keyof Quirks, (value: unknown) => boolean>> = {
  systemRole: oneOf("system", "developer", "user"),
  maxTokensField: oneOf("max_tokens", "max_completion_tokens"),
  thinking: oneOf("effort", "budget", "adaptive", "level", "none"),
  maxBudget: isCount,
  thinkingOff: isBoolean,
  efforts: (value) => Array.isArray(value) && value.every((word) => typeof word === "string"),
  forcedTools: isBoolean,
  structuredOutput: oneOf("schema", "json", "tool"),
  schemas: oneOf("whole", "subset"),
  mediaUrls: listOf("image", "audio", "video", "document"),
  sampling: isBoolean,
  refuses: listOf("user", "seed", "penalties", "verbosity", "prompt_cache_key"),
  callIdLength: isCount,
  stop: isBoolean,
  cache: oneOf("auto", "off"),
  cacheMarks: isBoolean,
  reasoningReplay: (value) => isBoolean(value) || value === "kept",
  reasoningField: oneOf("reasoning", "reasoning_content"),
  thinkTags: isBoolean,
  manyAnswers: isBoolean,
  prefill: oneOf("continue", "refuse"),
  inputMedia: listOf("image", "audio", "video", "document"),
};

function oneOf(...words: readonly string[]): (value: unknown) => boolean {
  return (value) => words.some((word) => word === value);
}

function listOf(...words: readonly string[]): (value: unknown) => boolean {
  return (value) => Array.isArray(value) && value.every((each) => words.some((word) => word === each));
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

function isBoolean(value: unknown): boolean {
  return typeof value === "boolean";
}

/** The catalog file writes names in snake_case. */
function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
