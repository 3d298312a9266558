import type { Exchange, Frame } from "../../exchange.ts";
import type { JsonObject } from "../../json.ts";
import type { Response } from "../../response.ts";
import { bareNumbers } from "../../usage-fault.ts";
import { piecesOf } from "../../words.ts";
import { encodeBlocks, encodeStop, messageObject } from "./encode-response.ts";
import { encodeClosingUsage, encodeOpeningUsage } from "./usage.ts";

/** One message_start, blocks strictly one after the other, message_delta, message_stop. */
export function* encodeStream(exchange: Exchange): Generator<Frame> {
  const event = (type: string, fields: JsonObject): string =>
    `event: ${type}\ndata: ${bareNumbers(JSON.stringify({ type, ...fields }), exchange.usageFault)}\n\n`;
  const message = { ...messageObject(exchange), usage: encodeOpeningUsage(exchange) };
  yield { bytes: event("message_start", { message }) };
  const [response] = exchange.responses;
  const blocks = response === undefined ? [] : streamedBlocks(exchange, response);
  for (const [index, block] of blocks.entries()) {
    yield { bytes: event("content_block_start", { index, content_block: opened(block) }) };
    // The vendor's first keep-alive comes right after the first block opens.
    if (index === 0) yield { bytes: event("ping", {}) };
    for (const { delta, content, thought } of deltasOf(block, response, index, blocks)) {
      const bytes = event("content_block_delta", { index, delta });
      yield content === undefined ? { bytes } : { bytes, content, thought: thought ?? false };
    }
    yield { bytes: event("content_block_stop", { index }) };
  }
  const delta = { ...encodeStop(response), stop_details: null, container: null };
  yield { bytes: event("message_delta", { delta, usage: encodeClosingUsage(exchange) }) };
  yield { bytes: event("message_stop", {}) };
}

/** A flood has pieces but no text of its own: it still streams in a text block. */
function streamedBlocks(exchange: Exchange, response: Response): JsonObject[] {
  const blocks = encodeBlocks(exchange, response);
  const flooding = response.text === "" && response.outputVisible > 0 && response.calls.length === 0;
  return flooding ? [...blocks, { type: "text", text: "" }] : blocks;
}

function opened(block: JsonObject): JsonObject {
  switch (block["type"]) {
    case "thinking":
      return { type: "thinking", thinking: "", signature: "" };
    case "tool_use":
      return { ...block, input: {} };
    default:
      return { ...block, text: "" };
  }
}

interface Delta {
  delta: JsonObject;
  content?: string;
  thought?: boolean;
}

function* deltasOf(
  block: JsonObject,
  response: Response | undefined,
  index: number,
  blocks: JsonObject[],
): Generator<Delta> {
  if (response === undefined) return;
  if (block["type"] === "thinking") {
    for (const piece of piecesOf(String(block["thinking"]))) {
      yield { delta: { type: "thinking_delta", thinking: piece }, content: piece, thought: true };
    }
    yield { delta: { type: "signature_delta", signature: block["signature"] ?? "" } };
  } else if (block["type"] === "text") {
    for (const piece of response.pieces) yield { delta: { type: "text_delta", text: piece }, content: piece };
  } else {
    const call = response.calls[index - (blocks.length - response.calls.length)];
    yield { delta: { type: "input_json_delta", partial_json: "" } };
    for (const piece of call?.argsPieces ?? []) {
      yield { delta: { type: "input_json_delta", partial_json: piece }, content: piece };
    }
  }
}
