import {
  type ChatRequest,
  EFFORTS,
  type ForeignField,
  type JsonObject,
  type ReasoningOptions,
} from "../../conversation/request.ts";
import { type Fields, foreignFields, optionalText, refuse } from "../fields.ts";
import { asObject } from "../json.ts";

interface DecodedReasoning {
  readonly reasoning?: ReasoningOptions | undefined;
  /** The field that says most of it, for losses. */
  readonly name?: string | undefined;
  readonly foreign: ChatRequest["foreign"];
}

/**
 * Reads the reasoning effort in OpenAI's field and in those of other vendors: `thinking` (DeepSeek, Kimi, GLM, MiMo),
 * which switches it on and off, and `reasoning` (OpenRouter). Those are no part of the protocol: a value that cannot be
 * read is an unknown hint like any other.
 */
export function decodeReasoning(body: Fields): DecodedReasoning {
  const stated = decodeEffort(body);
  const hints = HINTS.flatMap((hint) => readHint(hint, body) ?? []);
  const requests = [
    ...hints.flatMap(({ requested }) => requested ?? []),
    ...(stated.requested === undefined ? [] : [stated.requested]),
  ];
  const foreign = [...stated.foreign, ...hints.flatMap((hint) => hint.foreign)];
  if (requests.length === 0) return { foreign };
  const name =
    stated.requested === undefined
      ? hints.find(({ requested }) => requested !== undefined)?.field
      : undefined;
  const hidden = hints.some(({ hides }) => hides) ? { summary: "none" } : {};
  return {
    reasoning: {
      ...Object.assign({}, ...requests),
      ...hidden,
      enabled: requests.every(({ enabled }) => enabled),
    },
    name,
    foreign,
  };
}

function readHint({ field, known, read }: Hint, body: Fields): ReadHint | undefined {
  const value = body.value[field] ?? undefined;
  if (value === undefined) return undefined;
  const object = asObject(value);
  const said = object === undefined ? undefined : read(object);
  const whole: ForeignField = { path: field, value, ifUnsupported: "drop" };
  if (object === undefined || said === undefined) return { field, foreign: [whole] };
  const inside = foreignFields({ value: object, path: field }, known);
  return { field, ...said, foreign: [{ ...whole, isRead: true }, ...inside] };
}

interface ReadHint extends Said {
  readonly field: string;
  readonly foreign: readonly ForeignField[];
}

function decodeEffort(body: Fields): {
  readonly requested?: ReasoningOptions | undefined;
  readonly foreign: readonly ForeignField[];
} {
  const word = optionalText(body, "reasoning_effort");
  if (word === undefined) return { foreign: [] };
  if (word === DEFAULT) {
    const foreign: ForeignField = {
      path: "reasoning_effort",
      value: word,
      ifUnsupported: "drop",
      isRead: true,
    };
    return { requested: { enabled: true, adaptive: true }, foreign: [foreign] };
  }
  const requested = reasoningOf(word);
  if (requested !== undefined) return { requested, foreign: [] };
  return refuse(
    body,
    "reasoning_effort",
    `\`reasoning_effort\` must be none, ${DEFAULT}, ${EFFORTS.join(", ")}.`,
  );
}

function reasoningOf(word: unknown): ReasoningOptions | undefined {
  if (word === "none") return { enabled: false };
  const effort = EFFORTS.find((known) => known === word);
  return effort === undefined ? undefined : { enabled: true, effort };
}

interface Hint {
  readonly field: string;
  readonly known: ReadonlySet<string>;
  /** Undefined where it says something that is not known. */
  read(value: JsonObject): Said | undefined;
}

interface Said {
  readonly requested?: ReasoningOptions | undefined;
  /** Thoughts are not to be shown, if there are any: that alone makes no model think. */
  readonly hides?: boolean | undefined;
}

const HINTS: readonly Hint[] = [
  {
    field: "thinking",
    known: new Set(["type", "budget_tokens"]),
    read({ type, budget_tokens }) {
      if (type === "disabled") return { requested: { enabled: false } };
      const budget = budgetIn(budget_tokens);
      if (type === "enabled" && budget !== undefined) return { requested: { enabled: true, ...budget } };
      return type === "enabled" || type === "adaptive" || type === "auto"
        ? { requested: BY_ITSELF }
        : undefined;
    },
  },
  {
    field: "reasoning",
    known: new Set(["effort", "max_tokens", "enabled", "exclude"]),
    read({ effort, max_tokens, enabled, exclude }) {
      const hides = exclude === true;
      if (enabled === false) return { requested: { enabled }, hides };
      const requested = effort === undefined ? undefined : reasoningOf(effort);
      if (effort !== undefined && requested === undefined) return undefined;
      const budget = budgetIn(max_tokens);
      if (requested !== undefined || budget !== undefined)
        return { requested: { enabled: true, ...requested, ...budget }, hides };
      if (max_tokens === 0) return { requested: { enabled: false }, hides };
      if (enabled === true) return { requested: BY_ITSELF, hides };
      return typeof exclude === "boolean" ? { hides } : undefined;
    },
  },
];

function budgetIn(tokens: unknown): { readonly budgetTokens: number } | undefined {
  return Number.isSafeInteger(tokens) && Number(tokens) > 0 ? { budgetTokens: Number(tokens) } : undefined;
}

const BY_ITSELF: ReasoningOptions = { enabled: true, adaptive: true };

/** Groq's word for a model that thinks as it would by itself. */
const DEFAULT = "default";
