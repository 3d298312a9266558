import { writeFrame } from "../../base/sse.ts";
import type { ErrorStatement } from "../../errors.ts";
import type { BrokenStream } from "../protocol.ts";
import { shapeA } from "../shape-a.ts";
import { decodeUpstreamError } from "../upstream-error.ts";

export const decodeError = decodeUpstreamError;

/** Shape A, with what this protocol's clients read at the top. */
export function encodeError(error: ErrorStatement, requestId: string): string {
  return JSON.stringify({ type: "error", error: shapeA(error, requestId), request_id: requestId });
}

/** The protocol's `error` event, whose data is the plain error body. */
export function encodeStreamError(error: ErrorStatement, requestId: string, broken: BrokenStream): string {
  const frame = writeFrame(encodeError(error, requestId), "error");
  return broken.midFrame ? `\n\n${frame}` : frame;
}
