import { appendAll } from "../../base/append-all.ts";
import type { FieldNames } from "../../conversation/loss.ts";
import {
  type ChatRequest,
  EFFORTS,
  type ForeignField,
  type Limits,
  type ReasoningOptions,
  type ResponseFormat,
  type Sampling,
} from "../../conversation/request.ts";
import {
  bodyFields,
  type Fields,
  foreignFields,
  foreignInside,
  type Insides,
  knownFields,
  listOf,
  optionalCount,
  optionalFields,
  optionalFlag,
  optionalNumber,
  optionalText,
  optionalTexts,
  pathOf,
  refuse,
  requiredFields,
  requiredText,
} from "../fields.ts";
import { decodeMessages, decodeSystem, markOf } from "./decode-parts.ts";
import { decodeToolChoice, decodeTools } from "./decode-tools.ts";
import { messagesFields } from "./forward.ts";

/** Reads a caller's messages body. Throws RefusedField. */
export function decodeRequest(raw: unknown): ChatRequest {
  const body = bodyFields(raw);
  const foreign: ForeignField[] = [
    ...foreignFields(body, KNOWN, MEANING),
    ...foreignInside(body, INSIDES),
    ...decodeThread(body),
  ];
  const system = decodeSystem(body, foreign);
  const messages = decodeMessages(body, foreign);
  const tools = decodeTools(body, foreign);
  const { toolChoice, parallelToolCalls } = decodeToolChoice(body);
  const reasoning = decodeReasoning(body, foreign);
  const responseFormat = decodeFormat(body, foreign);
  const user = decodeUser(body, foreign);
  const { cache: cacheAll } = markOf(body);
  return {
    protocol: "messages",
    model: requiredText(body, "model"),
    stream: optionalFlag(body, "stream") ?? false,
    includeUsage: true,
    system,
    messages,
    tools,
    toolChoice,
    parallelToolCalls,
    sampling: decodeSampling(body),
    limits: decodeLimits(body),
    reasoning,
    responseFormat,
    user,
    cacheAll,
    foreign,
    echo: {},
    fieldNames: FIELD_NAMES,
  };
}

function decodeSampling(body: Fields): Sampling {
  const sampling: Record<string, number> = {};
  for (const [name, field] of SAMPLING) {
    const value = optionalNumber(body, field);
    if (value !== undefined) sampling[name] = value;
  }
  return sampling;
}

function decodeLimits(body: Fields): Limits {
  const maxOutputTokens =
    optionalCount(body, "max_tokens", 0) ?? refuse(body, "max_tokens", "`max_tokens` is missing.");
  const stop = optionalTexts(body, "stop_sequences");
  return { maxOutputTokens, stop };
}

/** `thinking` states the mode and `output_config.effort` the effort; either may stand alone. */
function decodeReasoning(body: Fields, foreign: ForeignField[]): ReasoningOptions | undefined {
  const thinking = optionalFields(body, "thinking");
  const effort = latestEffort(body) ?? decodeEffort(optionalFields(body, "output_config"));
  const hard = effort === undefined ? {} : { effort };
  if (thinking === undefined) return effort === undefined ? undefined : { enabled: true, effort };
  appendAll(foreign, foreignFields(thinking, KNOWN_THINKING));
  const display = optionalText(thinking, "display");
  const seen = display === undefined ? {} : { summary: display === "omitted" ? "none" : "auto" };
  switch (requiredText(thinking, "type")) {
    case "enabled": {
      const budgetTokens =
        optionalCount(thinking, "budget_tokens") ??
        refuse(thinking, "budget_tokens", "`thinking.budget_tokens` is missing.");
      return { enabled: true, budgetTokens, ...hard, ...seen };
    }
    case "adaptive":
      return { enabled: true, adaptive: true, ...hard, ...seen };
    case "between_tools":
      return { enabled: true, betweenTools: true, ...hard, ...seen };
    case "disabled":
      return { enabled: false, ...hard };
    default:
      return refuse(
        thinking,
        "type",
        "`thinking.type` must be enabled, adaptive, between_tools or disabled.",
      );
  }
}

/** Instructions in mid-conversation may change the effort, from there on: the response is due under the last one. */
function latestEffort(body: Fields): ReasoningOptions["effort"] {
  const efforts = listOf(body, "messages").flatMap(
    (message) => decodeEffort(optionalFields(message, "output_config")) ?? [],
  );
  return efforts.at(-1);
}

function decodeEffort(config: Fields | undefined): ReasoningOptions["effort"] {
  const word = config === undefined ? undefined : optionalText(config, "effort");
  if (config === undefined || word === undefined) return undefined;
  return (
    EFFORTS.find((effort) => effort === word) ??
    refuse(config, "effort", `\`${pathOf(config, "effort")}\` must be one of ${EFFORTS.join(", ")}.`)
  );
}

/** `output_config.format`, or `output_format` as it was called before. */
function decodeFormat(body: Fields, foreign: ForeignField[]): ResponseFormat | undefined {
  const config = optionalFields(body, "output_config");
  if (config !== undefined) appendAll(foreign, foreignFields(config, KNOWN_CONFIG));
  const format = (config && optionalFields(config, "format")) ?? optionalFields(body, "output_format");
  if (format === undefined) return undefined;
  if (requiredText(format, "type") !== "json_schema") {
    return refuse(format, "type", `\`${pathOf(format, "type")}\` must be json_schema.`);
  }
  return { kind: "schema", schema: requiredFields(format, "schema").value };
}

function decodeUser(body: Fields, foreign: ForeignField[]): string | undefined {
  const metadata = optionalFields(body, "metadata");
  if (metadata === undefined) return undefined;
  appendAll(foreign, foreignFields(metadata, KNOWN_METADATA));
  return optionalText(metadata, "user_id");
}

/**
 * A conversation that the vendor holds. The official SDKs' tool runners ask for one and then send only what
 * is new; told by this code that none is held, they send everything again and go on without.
 */
function decodeThread(body: Fields): readonly ForeignField[] {
  const value = body.value["thread"] ?? undefined;
  if (value === undefined) return [];
  const why =
    "This model's upstream doesn't store conversations. Send the whole conversation without `thread`.";
  const refusal = { why, details: { error_code: "thread_unsupported_request" } };
  return [{ path: "thread", value, ifUnsupported: "refuse", refusal }];
}

const SAMPLING: readonly (readonly [keyof Sampling, string])[] = [
  ["temperature", "temperature"],
  ["topP", "top_p"],
  ["topK", "top_k"],
];

const FIELD_NAMES: FieldNames = {
  system: "system",
  messages: "messages",
  media: "messages[].content[]",
  mediaName: "messages[].content[].title",
  reasoningState: "messages[].content[].signature",
  thoughts: "messages[].content[].thinking",
  cache: "cache_control",
  citations: "messages[].content[].citations",
  isError: "messages[].content[].is_error",
  tools: "tools",
  toolChoice: "tool_choice",
  parallelToolCalls: "tool_choice.disable_parallel_tool_use",
  strict: "tools[].strict",
  temperature: "temperature",
  topP: "top_p",
  topK: "top_k",
  maxOutputTokens: "max_tokens",
  stop: "stop_sequences",
  reasoning: "thinking",
  responseFormat: "output_config.format",
  user: "metadata.user_id",
};

const KNOWN = knownFields(messagesFields);
const KNOWN_THINKING: ReadonlySet<string> = new Set(["type", "budget_tokens", "display"]);
const KNOWN_CONFIG: ReadonlySet<string> = new Set(["format", "effort"]);
const KNOWN_METADATA: ReadonlySet<string> = new Set(["user_id"]);

const MARK = ["type", "ttl"];
const SOURCE = ["type", "media_type", "data", "url", "file_id", "content"];
const FORMAT = ["type", "schema"];
const INSIDES: Insides = [
  ["messages[].output_config", ["effort"]],
  ["output_config.format", FORMAT],
  ["output_format", FORMAT],
  ["tool_choice", ["type", "name", "disable_parallel_tool_use"]],
  ["cache_control", MARK],
  ["tools[].cache_control", MARK],
  ["system[].cache_control", MARK],
  ["messages[].content[].cache_control", MARK],
  ["messages[].content[].source", SOURCE],
  ["messages[].content[].content[].cache_control", MARK],
  ["messages[].content[].content[].source", SOURCE],
];

/** The files and servers that the model is to use, where it may think, and that it is to summarize instead of to answer. */
const MEANING: ReadonlySet<string> = new Set(messagesFields.meaning);
