import type { Exchange, Frame } from "../../exchange.ts";
import { arrayOr, type Json, type JsonObject, objectOr, stringOr } from "../../json.ts";
import type { VendorError } from "../../refusal.ts";
import type { Response } from "../../response.ts";
import { bareNumbers } from "../../usage-fault.ts";
import { piecesOf } from "../../words.ts";
import { encodeItems, finishedResponse, remember, responseObject } from "./encode-response.ts";

type Emit = (type: string, fields: JsonObject) => string;

/** The full ladder of events, each with its type and a rising sequence number. */
export function* encodeStream(exchange: Exchange): Generator<Frame> {
  let sequence = 0;
  const emit: Emit = (type, fields) => {
    const data = JSON.stringify({ type, ...fields, sequence_number: sequence });
    sequence += 1;
    return `event: ${type}\ndata: ${bareNumbers(data, exchange.usageFault)}\n\n`;
  };
  const begun = responseObject(exchange, "in_progress");
  yield { bytes: emit("response.created", { response: begun }) };
  yield { bytes: emit("response.in_progress", { response: begun }) };
  const [answer] = exchange.responses;
  const output = answer === undefined ? [] : encodeItems(exchange, answer);
  for (const [index, item] of output.entries()) {
    if (answer !== undefined) yield* encodeItem(item, index, answer, emit);
  }
  const response = finishedResponse(exchange, output);
  remember(exchange, response);
  yield { bytes: emit(`response.${stringOr(response["status"], "completed")}`, { response }) };
}

/** After a failure: the error event, then the response as failed. Nothing says completed. */
export function encodeStreamError(exchange: Exchange, error: VendorError, sentFrames: number): string {
  const code = error.code ?? "server_error";
  const detail = {
    type: error.type ?? "server_error",
    code,
    message: error.message,
    param: error.param ?? null,
  };
  const failed = { ...responseObject(exchange, "failed"), error: { code, message: error.message } };
  const first = JSON.stringify({ type: "error", sequence_number: sentFrames, error: detail });
  const second = JSON.stringify({
    type: "response.failed",
    response: failed,
    sequence_number: sentFrames + 1,
  });
  return `event: error\ndata: ${first}\n\nevent: response.failed\ndata: ${second}\n\n`;
}

function* encodeItem(item: JsonObject, index: number, response: Response, emit: Emit): Generator<Frame> {
  yield { bytes: emit("response.output_item.added", { item: opened(item), output_index: index }) };
  const at = { item_id: item["id"] ?? null, output_index: index };
  if (item["type"] === "reasoning") yield* encodeSummary(item, at, response, emit);
  else if (item["type"] === "message") yield* encodeText(item, at, response, emit);
  else yield* encodeArguments(item, at, response, emit);
  yield { bytes: emit("response.output_item.done", { item, output_index: index }) };
}

/** An item as it stands before its content arrives. */
function opened(item: JsonObject): JsonObject {
  switch (item["type"]) {
    case "reasoning":
      return { ...item, summary: [] };
    case "message":
      return { ...item, status: "in_progress", content: [] };
    case "custom_tool_call":
      return { ...item, status: "in_progress", input: "" };
    default:
      return { ...item, status: "in_progress", arguments: "" };
  }
}

function* encodeSummary(item: JsonObject, at: JsonObject, response: Response, emit: Emit): Generator<Frame> {
  const [part] = arrayOr(item["summary"]);
  if (part === undefined) return;
  const place = { ...at, summary_index: 0 };
  const empty = { type: "summary_text", text: "" };
  yield { bytes: emit("response.reasoning_summary_part.added", { ...place, part: empty }) };
  const text = response.thinking ?? "";
  for (const delta of piecesOf(text)) {
    const bytes = emit("response.reasoning_summary_text.delta", { ...place, delta });
    yield { bytes, content: delta, thought: true };
  }
  yield { bytes: emit("response.reasoning_summary_text.done", { ...place, text }) };
  yield { bytes: emit("response.reasoning_summary_part.done", { ...place, part }) };
}

function* encodeText(item: JsonObject, at: JsonObject, response: Response, emit: Emit): Generator<Frame> {
  const place = { ...at, content_index: 0 };
  const part: Json = arrayOr(item["content"])[0] ?? {};
  const empty = { ...objectOr(part), text: "" };
  yield { bytes: emit("response.content_part.added", { ...place, part: empty }) };
  for (const delta of response.pieces) {
    yield { bytes: emit("response.output_text.delta", { ...place, delta, logprobs: [] }), content: delta };
  }
  yield { bytes: emit("response.output_text.done", { ...place, text: response.text, logprobs: [] }) };
  yield { bytes: emit("response.content_part.done", { ...place, part }) };
}

function* encodeArguments(
  item: JsonObject,
  at: JsonObject,
  response: Response,
  emit: Emit,
): Generator<Frame> {
  const call = response.calls.find((one) => `call_${one.id}` === item["call_id"]);
  if (call === undefined) return;
  const event = call.freeform ? "response.custom_tool_call_input" : "response.function_call_arguments";
  for (const delta of call.argsPieces)
    yield { bytes: emit(`${event}.delta`, { ...at, delta }), content: delta };
  const done = call.freeform ? { input: call.args } : { arguments: call.args, name: call.name };
  yield { bytes: emit(`${event}.done`, { ...at, ...done }) };
}
