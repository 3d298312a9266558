import { definedFields } from "../../base/defined-fields.ts";
import { isRecord } from "../../base/json/record.ts";
import { fieldNames, MalformedResponse } from "./malformed-response.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** Id of a response, because Converse does not name it. */
export interface ResponseNames {
  readonly id: string;
  readonly model: string;
}

/**
 * Reasons to stop that Claude's vendor has another word for; the others are the same, or are told as they came.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseResponse.html
 */
const STOPS: Readonly<Record<string, string>> = {
  guardrail_intervened: "refusal",
  content_filtered: "refusal",
};

export function stopReason(word: unknown): unknown {
  return typeof word === "string" && Object.hasOwn(STOPS, word) ? STOPS[word] : word;
}

/** A response of Converse in the form of Claude's vendor. Throws MalformedResponse for what is none. */
export function readConverse(response: unknown, { id, model }: ResponseNames): JsonObject {
  const output = isRecord(response) ? response["output"] : undefined;
  const message = isRecord(output) ? output["message"] : undefined;
  if (!isRecord(response) || !isRecord(message) || !Array.isArray(message["content"]))
    throw new MalformedResponse("it holds no message");
  return definedFields({
    id,
    type: "message",
    role: "assistant",
    model,
    content: message["content"].map(readBlock),
    stop_reason: stopReason(response["stopReason"]),
    stop_sequence: null,
    usage: readUsage(response["usage"]),
  });
}

function readBlock(block: unknown): JsonObject {
  if (!isRecord(block)) throw new MalformedResponse("a block is no object");
  const { text, toolUse: call, reasoningContent: thought } = block;
  if (typeof text === "string") return { type: "text", text };
  if (isRecord(call))
    return { type: "tool_use", id: call["toolUseId"], name: call["name"], input: call["input"] ?? {} };
  if (isRecord(thought)) return readThought(thought);
  throw new MalformedResponse(`a block of it is unknown: ${fieldNames(block)}`);
}

function readThought({ reasoningText: shown, redactedContent: data }: JsonObject): JsonObject {
  if (!isRecord(shown)) return { type: "redacted_thinking", data };
  return { type: "thinking", thinking: shown["text"] ?? "", signature: shown["signature"] ?? "" };
}

/**
 * The counts are disjoint: what was read from a cache, or written to it, is not part of `inputTokens`.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html
 */
export function readUsage(usage: unknown): JsonObject | undefined {
  if (!isRecord(usage)) return undefined;
  return definedFields({
    input_tokens: usage["inputTokens"],
    output_tokens: usage["outputTokens"],
    cache_read_input_tokens: usage["cacheReadInputTokens"],
    cache_creation_input_tokens: usage["cacheWriteInputTokens"],
    cache_creation: readLifetimes(usage["cacheDetails"]),
  });
}

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CacheDetail.html: what was written, by how long it is kept. */
function readLifetimes(details: unknown): JsonObject | undefined {
  if (!Array.isArray(details) || details.length === 0) return undefined;
  const written = (ttl: string): number =>
    details.reduce<number>(
      (sum, each: unknown) =>
        isRecord(each) && each["ttl"] === ttl && typeof each["inputTokens"] === "number"
          ? sum + each["inputTokens"]
          : sum,
      0,
    );
  return { ephemeral_5m_input_tokens: written("5m"), ephemeral_1h_input_tokens: written("1h") };
}
