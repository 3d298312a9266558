import type { Exchange, Frame } from "../../exchange.ts";
import { type Json, type JsonObject, objectOr } from "../../json.ts";
import type { Response, ToolCall } from "../../response.ts";
import { servedTier } from "../../service.ts";
import { bareNumbers } from "../../usage-fault.ts";
import { piecesOf } from "../../words.ts";
import { callId, encodeFinish } from "./encode-response.ts";
import { encodeUsage } from "./usage.ts";

/** The chunks of a stream: role, thoughts, text, tool calls, finish; then usage if asked, then [DONE]. */
export function* encodeStream(exchange: Exchange): Generator<Frame> {
  const asked = objectOr(exchange.prompt.body["stream_options"])["include_usage"] === true;
  const frame = frameWriter(exchange, asked);
  for (const [index, response] of exchange.responses.entries()) yield* encodeChoice(response, index, frame);
  const usage = asked ? encodeUsage(exchange) : undefined;
  if (usage !== undefined) yield { bytes: frame.closing(usage) };
  yield { bytes: "data: [DONE]\n\n" };
}

interface FrameWriter {
  delta(index: number, delta: JsonObject, finish?: string): string;
  closing(usage: JsonObject): string;
}

function frameWriter(exchange: Exchange, asked: boolean): FrameWriter {
  const head = JSON.stringify({
    id: exchange.id,
    object: "chat.completion.chunk",
    created: exchange.createdSeconds,
    model: exchange.prompt.model,
    service_tier: servedTier(exchange, "default"),
    system_fingerprint: "fp_sandbox",
  }).slice(0, -1);
  // Vendors put `usage: null` on every chunk once usage was asked for.
  const tail = asked ? ',"usage":null}\n\n' : "}\n\n";
  return {
    delta(index, delta, finish) {
      const reason = finish === undefined ? "null" : `"${finish}"`;
      const choice = `{"index":${index},"delta":${JSON.stringify(delta)},"logprobs":null,"finish_reason":${reason}}`;
      return `data: ${head},"choices":[${choice}]${tail}`;
    },
    closing: (usage) =>
      `data: ${head},"choices":[],"usage":${bareNumbers(JSON.stringify(usage), exchange.usageFault)}}\n\n`,
  };
}

function* encodeChoice(response: Response, index: number, frame: FrameWriter): Generator<Frame> {
  const [firstCall] = response.calls;
  const silent = response.text === "" && response.thinking === undefined && firstCall !== undefined;
  const opening: JsonObject = { role: "assistant", content: silent ? null : "", refusal: null };
  // Without text, the role travels on the first call's opening delta.
  if (silent) opening["tool_calls"] = [callOpening(firstCall, 0)];
  yield { bytes: frame.delta(index, opening) };
  for (const piece of piecesOf(response.thinking ?? "")) {
    yield { bytes: frame.delta(index, { reasoning_content: piece }), content: piece, thought: true };
  }
  for (const piece of response.pieces)
    yield { bytes: frame.delta(index, { content: piece }), content: piece };
  for (const [position, call] of response.calls.entries()) {
    if (!silent || position > 0)
      yield { bytes: frame.delta(index, { tool_calls: [callOpening(call, position)] }) };
    for (const piece of call.argsPieces) {
      const delta = { tool_calls: [{ index: position, function: { arguments: piece } }] };
      yield { bytes: frame.delta(index, delta), content: piece };
    }
  }
  yield { bytes: frame.delta(index, {}, encodeFinish(response)) };
}

function callOpening(call: ToolCall, index: number): Json {
  return { index, id: callId(call), type: "function", function: { name: call.name, arguments: "" } };
}
