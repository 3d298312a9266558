import type { Exchange } from "../../exchange.ts";
import { type JsonObject, objectOr, parseJson } from "../../json.ts";
import type { Response, ToolCall } from "../../response.ts";
import { encodeUsage } from "./usage.ts";

/** The kind under which thinking signatures are minted; the text shown is what they bind. */
export const THINKING_SIGNATURE = "messages.thinking";

/** The plain message. */
export function encodeResponse(exchange: Exchange): JsonObject {
  const [response] = exchange.responses;
  return {
    ...messageObject(exchange),
    content: response === undefined ? [] : encodeBlocks(exchange, response),
    ...encodeStop(response),
    usage: encodeUsage(exchange),
  };
}

/** The message with nothing in it yet. */
export function messageObject(exchange: Exchange): JsonObject {
  return {
    model: exchange.prompt.model,
    id: exchange.id,
    type: "message",
    role: "assistant",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    container: null,
  };
}

/** Finished blocks in order: thinking, text, tool use. An empty response has none. */
export function encodeBlocks(exchange: Exchange, response: Response): JsonObject[] {
  const blocks: JsonObject[] = [];
  if (response.thinking !== undefined) blocks.push(encodeThinking(exchange, response.thinking));
  if (response.text !== "") blocks.push({ type: "text", text: response.text });
  return [...blocks, ...response.calls.map(encodeCall)];
}

function encodeThinking(exchange: Exchange, text: string): JsonObject {
  const thinking = exchange.prompt.thinking.shown ? text : "";
  return { type: "thinking", thinking, signature: exchange.mint.sign(THINKING_SIGNATURE, thinking) };
}

function encodeCall(call: ToolCall): JsonObject {
  // Arguments cut short by the token limit are no object: the plain form shows none.
  const input = call.complete ? objectOr(parseJson(call.args)) : {};
  return { type: "tool_use", id: `toolu_${call.id}`, name: call.name, input };
}

export function encodeStop(response: Response | undefined): JsonObject {
  const finish = response?.finish ?? { kind: "stop" };
  switch (finish.kind) {
    case "length":
      return { stop_reason: "max_tokens", stop_sequence: null };
    case "tools":
      return { stop_reason: "tool_use", stop_sequence: null };
    case "stop-sequence":
      return { stop_reason: "stop_sequence", stop_sequence: finish.sequence };
    default:
      return { stop_reason: "end_turn", stop_sequence: null };
  }
}
