import type { FieldNames } from "../../conversation/loss.ts";
import {
  type ChatRequest,
  EFFORTS,
  type ForeignField,
  type JsonObject,
  type ReasoningOptions,
  type ResponseFormat,
  type Sampling,
} from "../../conversation/request.ts";
import {
  bodyFields,
  decodeEndUser,
  type Fields,
  foreignFields,
  foreignInside,
  type Insides,
  knownFields,
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
import { decodeInput } from "./decode-input.ts";
import { decodeToolChoice, decodeTools, fitsStrict } from "./decode-tools.ts";
import { responsesFields } from "./forward.ts";

/** Reads a caller's responses body. Throws RefusedField. */
export function decodeRequest(raw: unknown): ChatRequest {
  const body = bodyFields(raw);
  const input = decodeInput(body);
  const instructions = optionalText(body, "instructions");
  const tools = decodeTools(body, input.toolLists);
  const toolChoice = decodeToolChoice(body);
  const parallelToolCalls = optionalFlag(body, "parallel_tool_calls");
  const maxOutputTokens = optionalCount(body, "max_output_tokens");
  const reasoning = decodeReasoning(body);
  const text = optionalFields(body, "text");
  const format = text && decodeFormat(text);
  const verbosity = text && optionalText(text, "verbosity");
  const endUser = decodeEndUser(body);
  const cacheKey = optionalText(body, "prompt_cache_key");
  const cacheRetention = optionalText(body, "prompt_cache_retention");
  return {
    protocol: "responses",
    model: optionalText(body, "model") ?? "",
    stream: optionalFlag(body, "stream") ?? false,
    includeUsage: true,
    system: [...(instructions ? [{ kind: "text", text: instructions } as const] : []), ...input.system],
    messages: input.messages,
    tools: tools.tools,
    toolChoice,
    parallelToolCalls,
    sampling: decodeSampling(body),
    limits: maxOutputTokens === undefined ? {} : { maxOutputTokens },
    reasoning,
    responseFormat: format,
    verbosity,
    user: endUser.user,
    cacheKey,
    cacheRetention,
    foreign: [...decodeForeign(body), ...endUser.foreign, ...input.foreign, ...tools.foreign],
    echo: echoOf(body),
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

function decodeReasoning(body: Fields): ReasoningOptions | undefined {
  const fields = optionalFields(body, "reasoning");
  if (fields === undefined) return undefined;
  const word = optionalText(fields, "effort");
  const said = optionalText(fields, "summary") ?? optionalText(fields, "generate_summary");
  const summary = said === undefined ? {} : { summary: said };
  if (word === "none") return { enabled: false, ...summary };
  if (word === undefined) return said === undefined ? undefined : { enabled: true, ...summary };
  const effort = EFFORTS.find((known) => known === word);
  if (effort !== undefined) return { enabled: true, effort, ...summary };
  return refuse(fields, "effort", `\`reasoning.effort\` must be none, ${EFFORTS.join(", ")}.`);
}

function decodeFormat(text: Fields): ResponseFormat | undefined {
  const format = optionalFields(text, "format");
  if (format === undefined) return undefined;
  switch (requiredText(format, "type")) {
    case "text":
      return { kind: "text" };
    case "json_object":
      return { kind: "json" };
    case "json_schema": {
      const name = optionalText(format, "name");
      const description = optionalText(format, "description");
      const schema = requiredFields(format, "schema").value;
      const strict = optionalFlag(format, "strict") ?? (fitsStrict(schema) || undefined);
      return {
        kind: "schema",
        name,
        description,
        schema,
        strict,
      };
    }
    default:
      return refuse(
        format,
        "type",
        `\`${pathOf(format, "type")}\` must be text, json_object or json_schema.`,
      );
  }
}

/** The fields that the neutral form has no place for, except those that state a default. */
function decodeForeign(body: Fields): readonly ForeignField[] {
  const reasoning = optionalFields(body, "reasoning");
  const text = optionalFields(body, "text");
  const include = optionalTexts(body, "include") ?? [];
  return [
    ...foreignFields(body, KNOWN, MEANING).filter(
      ({ path, value }) => DEFAULTS.get(path)?.includes(value) !== true,
    ),
    // Encrypted reasoning is given whether asked for or not; whatever else is asked for is lost.
    ...(include.every((entry) => entry === ENCRYPTED_REASONING)
      ? []
      : [{ path: "include", value: include, ifUnsupported: "drop" } as const]),
    ...(reasoning === undefined ? [] : foreignFields(reasoning, KNOWN_REASONING)),
    ...(text === undefined ? [] : foreignFields(text, KNOWN_TEXT)),
    ...foreignInside(body, INSIDES),
  ];
}

function echoOf(body: Fields): JsonObject {
  return Object.fromEntries(
    ECHOED.filter((field) => (body.value[field] ?? undefined) !== undefined).map((field) => [
      field,
      body.value[field],
    ]),
  );
}

export const ENCRYPTED_REASONING = "reasoning.encrypted_content";

const SAMPLING: readonly (readonly [keyof Sampling, string])[] = [
  ["temperature", "temperature"],
  ["topP", "top_p"],
  ["presencePenalty", "presence_penalty"],
  ["frequencyPenalty", "frequency_penalty"],
];

const FIELD_NAMES: FieldNames = {
  system: "instructions",
  messages: "input",
  media: "input[].content[]",
  mediaName: "input[].content[].filename",
  detail: "input[].content[].detail",
  reasoningState: "input[].encrypted_content",
  thoughts: "input[].summary",
  cache: "input[].content[].prompt_cache_breakpoint",
  citations: "input[].content[].annotations",
  isError: "input[].status",
  tools: "tools",
  toolChoice: "tool_choice",
  parallelToolCalls: "parallel_tool_calls",
  strict: "tools[].strict",
  temperature: "temperature",
  topP: "top_p",
  presencePenalty: "presence_penalty",
  frequencyPenalty: "frequency_penalty",
  maxOutputTokens: "max_output_tokens",
  reasoning: "reasoning",
  responseFormat: "text.format",
  verbosity: "text.verbosity",
  user: "user",
  cacheKey: "prompt_cache_key",
  cacheRetention: "prompt_cache_retention",
};

const KNOWN = knownFields(responsesFields);

const KNOWN_REASONING: ReadonlySet<string> = new Set(["effort", "summary", "generate_summary"]);
const KNOWN_TEXT: ReadonlySet<string> = new Set(["format", "verbosity"]);
const INSIDES: Insides = [
  ["text.format", ["type", "name", "description", "schema", "strict"]],
  ["tool_choice", ["type", "name", "namespace", "mode", "tools"]],
  ["tool_choice.tools[]", ["type", "name", "namespace"]],
  ["input[].summary[]", ["type", "text"]],
  ["input[].content[].input_audio", ["data", "format"]],
];

/** They bring in content that only the vendor has, or a response that comes later. */
const MEANING: ReadonlySet<string> = new Set(responsesFields.meaning);

/** Values by which a caller says what happens anyway. A map, since a caller may name what every object answers to. */
const DEFAULTS: ReadonlyMap<string, readonly unknown[]> = new Map<string, readonly unknown[]>([
  ["background", [false]],
  ["store", [false]],
  ["truncation", ["disabled"]],
  ["service_tier", ["auto", "default"]],
  ["top_logprobs", [0]],
]);

/** The fields of a request that its response repeats. */
const ECHOED = [
  "instructions",
  "max_output_tokens",
  "max_tool_calls",
  "metadata",
  "parallel_tool_calls",
  "prompt_cache_key",
  "reasoning",
  "safety_identifier",
  "temperature",
  "text",
  "tool_choice",
  "tools",
  "top_p",
  "user",
];
