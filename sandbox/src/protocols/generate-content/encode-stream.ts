import type { Exchange, Frame } from "../../exchange.ts";
import type { JsonObject } from "../../json.ts";
import type { VendorError } from "../../refusal.ts";
import type { Response } from "../../response.ts";
import { countTokens } from "../../tokens.ts";
import { bareNumbers } from "../../usage-fault.ts";
import { piecesOf } from "../../words.ts";
import { callParts, encodeFinish, signFirst } from "./encode-response.ts";
import { encodeError } from "./errors.ts";
import { encodeUsage } from "./usage.ts";

/** Cumulative output as the chunks report it. */
interface Progress {
  candidates: number;
  thoughts: number;
}

/** Chunks of the plain form: no event names, no [DONE]; or one JSON array without `alt=sse`. */
export function* encodeStream(exchange: Exchange): Generator<Frame> {
  let first = true;
  const wrap = (frame: Frame): Frame => {
    const opening = exchange.framing === "sse" ? "data: " : first ? "[" : ",\r\n";
    first = false;
    return { ...frame, bytes: opening + frame.bytes + (exchange.framing === "sse" ? "\r\n\r\n" : "") };
  };
  const progress = { candidates: 0, thoughts: 0 };
  for (const [index, response] of exchange.responses.entries()) {
    const last = index === exchange.responses.length - 1;
    for (const frame of encodeCandidate(exchange, response, index, progress, last)) yield wrap(frame);
  }
  if (exchange.framing === "array") yield { bytes: first ? "[]" : "]" };
}

/** An error object in the place of a chunk; an array is closed after it. */
export function encodeStreamError(exchange: Exchange, error: VendorError, sentFrames: number): string {
  const body = JSON.stringify(encodeError(error));
  if (exchange.framing === "sse") return `data: ${body}\r\n\r\n`;
  return `${sentFrames === 0 ? "[" : ",\r\n"}${body}]`;
}

function* encodeCandidate(
  exchange: Exchange,
  response: Response,
  index: number,
  progress: Progress,
  last: boolean,
): Generator<Frame> {
  const chunk = (parts: JsonObject[], finish: JsonObject): string =>
    encodeChunk(exchange, { content: { parts, role: "model" }, ...finish, index }, progress);
  if (response.thinking !== undefined && exchange.prompt.thinking.shown) {
    for (const piece of piecesOf(response.thinking)) {
      progress.thoughts += countTokens(piece);
      yield { bytes: chunk([{ text: piece, thought: true }], {}), content: piece, thought: true };
    }
  }
  // Tokens of pieces may add up to more than those of the whole, which is never to be exceeded.
  const whole = progress.candidates + response.outputVisible;
  for (const piece of response.pieces) {
    progress.candidates = Math.min(progress.candidates + countTokens(piece), whole);
    yield { bytes: chunk([{ text: piece }], {}), content: piece };
  }
  progress.candidates = whole;
  if (last) progress.thoughts = exchange.usage.outputReasoning;
  const calls = callParts(response);
  signFirst(exchange, response, calls);
  for (const [at, call] of calls.entries()) {
    yield { bytes: chunk([call], {}), content: response.calls[at]?.args ?? "" };
  }
  const closing: JsonObject[] = [{ text: "" }];
  if (calls.length === 0) signFirst(exchange, response, closing);
  yield { bytes: chunk(closing, encodeFinish(response)) };
}

function encodeChunk(exchange: Exchange, candidate: JsonObject, progress: Progress): string {
  const body = JSON.stringify({
    candidates: [candidate],
    usageMetadata: encodeUsage(exchange, progress.candidates, progress.thoughts),
    modelVersion: exchange.prompt.model,
    responseId: exchange.id,
  });
  return bareNumbers(body, exchange.usageFault);
}
