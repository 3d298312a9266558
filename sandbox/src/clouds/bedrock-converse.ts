import type { Exchange, Frame, TextProtocol } from "../exchange.ts";
import { arrayOr, isObject, type Json, type JsonObject, objectOr, parseJson } from "../json.ts";
import { messages } from "../protocols/messages/protocol.ts";
import type { Usage } from "../usage.ts";
import { eventFrame } from "./aws-frames.ts";
import { BEDROCK_ERRORS } from "./bedrock-errors.ts";
import { decodeConverse } from "./decode-converse.ts";

/**
 * Any model by `converse` and `converse-stream`, in Bedrock's own form; the model itself is the sandbox's, asked as Claude's vendor is.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html, API_runtime_ConverseStream.html
 */
export const bedrockConverse: TextProtocol = {
  ...messages,
  ...BEDROCK_ERRORS,
  decodeRequest: (body, context) =>
    messages.decodeRequest(decodeConverse(body, context.pathModel, context.pathStream), context),
  encodeResponse(exchange) {
    const { content, stop_reason: stopReason } = messages.encodeResponse(exchange);
    return {
      output: { message: { role: "assistant", content: arrayOr(content).map(encodeBlock) } },
      stopReason: stopReason ?? "end_turn",
      usage: encodeUsage(exchange.usage),
      metrics: { latencyMs: 1_000 },
    };
  },
  *encodeStream(exchange) {
    for (const frame of messages.encodeStream(exchange)) {
      const frames = String(frame.bytes)
        .split("\n")
        .filter((line) => line.startsWith("data: "))
        .flatMap((line) => encodeEvent(objectOr(parseJson(line.slice("data: ".length))), exchange));
      if (frames.length > 0) yield { ...frame, bytes: Buffer.concat(frames) } satisfies Frame;
    }
  },
};

function encodeBlock(value: Json): JsonObject {
  const block = objectOr(value);
  switch (block["type"]) {
    case "thinking":
      return {
        reasoningContent: {
          reasoningText: { text: block["thinking"] ?? "", signature: block["signature"] ?? "" },
        },
      };
    case "tool_use":
      return {
        toolUse: { toolUseId: block["id"] ?? "", name: block["name"] ?? "", input: block["input"] ?? {} },
      };
    default:
      return { text: block["text"] ?? "" };
  }
}

/** Tokens that were read from a cache, or written to it, are not part of `inputTokens`, but of the total. */
function encodeUsage(usage: Usage): JsonObject {
  const { inputUncached: inputTokens, cacheRead, cacheWrite5m, cacheWrite1h } = usage;
  const outputTokens = usage.outputVisible + usage.outputReasoning;
  const written = cacheWrite5m + cacheWrite1h;
  const details = [
    { ttl: "1h", inputTokens: cacheWrite1h },
    { ttl: "5m", inputTokens: cacheWrite5m },
  ].filter((each) => each.inputTokens > 0);
  return {
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + cacheRead + written + outputTokens,
    cacheReadInputTokens: cacheRead,
    cacheWriteInputTokens: written,
    ...(details.length === 0 ? {} : { cacheDetails: details }),
  };
}

function encodeEvent(event: JsonObject, { usage }: Exchange): Buffer[] {
  const contentBlockIndex = event["index"] ?? 0;
  switch (event["type"]) {
    case "message_start":
      return [eventFrame("messageStart", { role: "assistant" })];
    case "content_block_start": {
      const block = objectOr(event["content_block"]);
      // Only of calls the beginning is told.
      if (block["type"] !== "tool_use") return [];
      const start = { toolUse: { toolUseId: block["id"], name: block["name"] } };
      return [eventFrame("contentBlockStart", { start, contentBlockIndex })];
    }
    case "content_block_delta":
      return [
        eventFrame("contentBlockDelta", { delta: encodeDelta(objectOr(event["delta"])), contentBlockIndex }),
      ];
    case "content_block_stop":
      return [eventFrame("contentBlockStop", { contentBlockIndex })];
    case "message_delta": {
      const delta = objectOr(event["delta"]);
      return [eventFrame("messageStop", { stopReason: delta["stop_reason"] })];
    }
    case "message_stop":
      return [eventFrame("metadata", { usage: encodeUsage(usage), metrics: { latencyMs: 1_000 } })];
    default:
      return [];
  }
}

function encodeDelta(delta: JsonObject): JsonObject {
  switch (delta["type"]) {
    case "thinking_delta":
      return { reasoningContent: { text: delta["thinking"] ?? "" } };
    case "signature_delta":
      return { reasoningContent: { signature: delta["signature"] ?? "" } };
    case "input_json_delta":
      return { toolUse: { input: delta["partial_json"] ?? "" } };
    default:
      return { text: isObject(delta) ? (delta["text"] ?? "") : "" };
  }
}
