import type { FieldNames } from "../../conversation/loss.ts";
import type {
  ChatRequest,
  ForeignField,
  Limits,
  ResponseFormat,
  Sampling,
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
import { asArray } from "../json.ts";
import { decodeMessages } from "./decode-parts.ts";
import { decodeReasoning } from "./decode-reasoning.ts";
import { decodeToolChoice, decodeTools } from "./decode-tools.ts";
import { chatCompletionsFields } from "./forward.ts";
import { decodeFunctionChoice, decodeFunctions } from "./legacy-functions.ts";

/** Reads a caller's chat completions body. Throws RefusedField. */
export function decodeRequest(raw: unknown): ChatRequest {
  const body = bodyFields(raw);
  const { system, messages, ...inside } = decodeMessages(body);
  const foreign = [...inside.foreign];
  const tools = decodeTools(body);
  const functions = decodeFunctions(body, foreign);
  // Clients that know tools get tool calls in the response.
  const oneCall = functions.length > 0 && tools.tools.length === 0;
  const toolChoice = decodeToolChoice(body) ?? decodeFunctionChoice(body);
  const parallelToolCalls = optionalFlag(body, "parallel_tool_calls") ?? (oneCall ? false : undefined);
  const { reasoning, ...requestedFormat } = decodeReasoning(body);
  const responseFormat = decodeFormat(body);
  const verbosity = optionalText(body, "verbosity");
  const endUser = decodeEndUser(body);
  const cacheKey = optionalText(body, "prompt_cache_key");
  const cacheRetention = optionalText(body, "prompt_cache_retention");
  const n = optionalCount(body, "n");
  const stream = optionalFlag(body, "stream") ?? false;
  const streamOptions = optionalFields(body, "stream_options");
  const names = oneCall ? { ...FIELD_NAMES, ...FUNCTION_NAMES } : FIELD_NAMES;
  return {
    protocol: "chat-completions",
    model: requiredText(body, "model"),
    stream,
    includeUsage: streamOptions?.value["include_usage"] === true,
    system,
    messages,
    tools: [...tools.tools, ...functions],
    toolChoice,
    parallelToolCalls,
    oneCall: oneCall ? true : undefined,
    sampling: decodeSampling(body),
    limits: decodeLimits(body),
    reasoning,
    responseFormat,
    verbosity,
    user: endUser.user,
    cacheKey,
    cacheRetention,
    n,
    foreign: [
      ...foreignFields(body, KNOWN, MEANING),
      ...foreignInside(body, INSIDES),
      ...endUser.foreign,
      ...requestedFormat.foreign,
      ...decodeModalities(body),
      ...foreign,
      ...tools.foreign,
    ],
    echo: {},
    fieldNames: requestedFormat.name === undefined ? names : { ...names, reasoning: requestedFormat.name },
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
  const maxOutputTokens = optionalCount(body, "max_completion_tokens") ?? optionalCount(body, "max_tokens");
  const stop = typeof body.value["stop"] === "string" ? [body.value["stop"]] : optionalTexts(body, "stop");
  return {
    maxOutputTokens,
    stop,
  };
}

function decodeFormat(body: Fields): ResponseFormat | undefined {
  const format = optionalFields(body, "response_format");
  if (format === undefined) return undefined;
  switch (requiredText(format, "type")) {
    case "text":
      return { kind: "text" };
    case "json_object":
      return { kind: "json" };
    case "json_schema": {
      const asked = requiredFields(format, "json_schema");
      const name = optionalText(asked, "name");
      const description = optionalText(asked, "description");
      const strict = optionalFlag(asked, "strict");
      return {
        kind: "schema",
        name,
        description,
        schema: optionalFields(asked, "schema")?.value ?? {},
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

/** Text is what every response is; any other kind cannot be had elsewhere. */
function decodeModalities(body: Fields): readonly ForeignField[] {
  const value = body.value["modalities"] ?? undefined;
  if (value === undefined || asArray(value).every((kind) => kind === "text")) return [];
  return [{ path: "modalities", value, ifUnsupported: "refuse" }];
}

const SAMPLING: readonly (readonly [keyof Sampling, string])[] = [
  ["temperature", "temperature"],
  ["topP", "top_p"],
  ["topK", "top_k"],
  ["seed", "seed"],
  ["presencePenalty", "presence_penalty"],
  ["frequencyPenalty", "frequency_penalty"],
];

const FIELD_NAMES: FieldNames = {
  system: "messages",
  messages: "messages",
  name: "messages[].name",
  media: "messages[].content[]",
  mediaName: "messages[].content[].file.filename",
  detail: "messages[].content[].image_url.detail",
  reasoningState: "messages[].tool_calls[].extra_content",
  thoughts: "messages[].reasoning_content",
  cache: "cache_control",
  citations: "messages[].annotations",
  isError: "messages[].content",
  tools: "tools",
  toolChoice: "tool_choice",
  parallelToolCalls: "parallel_tool_calls",
  strict: "tools[].function.strict",
  temperature: "temperature",
  topP: "top_p",
  topK: "top_k",
  seed: "seed",
  presencePenalty: "presence_penalty",
  frequencyPenalty: "frequency_penalty",
  maxOutputTokens: "max_completion_tokens",
  stop: "stop",
  reasoning: "reasoning_effort",
  responseFormat: "response_format",
  verbosity: "verbosity",
  user: "user",
  cacheKey: "prompt_cache_key",
  cacheRetention: "prompt_cache_retention",
  n: "n",
};

/** The names of callers who know functions and no tools. */
const FUNCTION_NAMES: FieldNames = {
  tools: "functions",
  toolChoice: "function_call",
  reasoningState: "messages[].function_call.extra_content",
};

const KNOWN = knownFields(chatCompletionsFields);

const MARK = ["type", "ttl"];
const LINK = ["url", "detail"];
const NAME = ["name"];
const INSIDES: Insides = [
  ["stream_options", ["include_usage"]],
  ["response_format", ["type", "json_schema"]],
  ["response_format.json_schema", ["name", "description", "schema", "strict"]],
  ["tools[].function", ["name", "description", "parameters", "strict"]],
  ["tools[].custom", ["name", "description", "format"]],
  ["tools[].cache_control", MARK],
  ["tool_choice", ["type", "function", "custom", "allowed_tools"]],
  ["tool_choice.function", NAME],
  ["tool_choice.custom", NAME],
  ["tool_choice.allowed_tools", ["mode", "tools"]],
  ["tool_choice.allowed_tools.tools[]", ["type", "function", "custom", "name"]],
  ["tool_choice.allowed_tools.tools[].function", NAME],
  ["tool_choice.allowed_tools.tools[].custom", NAME],
  ["messages[].cache_control", MARK],
  ["messages[].content[].cache_control", MARK],
  ["messages[].content[].image_url", LINK],
  ["messages[].content[].video_url", LINK],
  ["messages[].content[].input_audio", ["data", "format"]],
  ["messages[].content[].file", ["filename", "file_id", "file_data", "format"]],
  ["messages[].tool_calls[].cache_control", MARK],
  ["messages[].tool_calls[].function", ["name", "arguments"]],
  ["messages[].tool_calls[].custom", ["name", "input"]],
];

/** Sound as a response. */
const MEANING: ReadonlySet<string> = new Set(chatCompletionsFields.meaning);
