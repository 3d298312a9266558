import { writeFrame } from "../../base/sse.ts";
import type { ErrorStatement } from "../../errors.ts";
import { shapeA } from "../error-format-a.ts";
import type { BrokenStream } from "../protocol.ts";
import { decodeUpstreamError } from "../upstream-error.ts";

export const decodeError = decodeUpstreamError;

/** Shape A as it is. */
export function encodeError(error: ErrorStatement, requestId: string): string {
  return JSON.stringify({ error: shapeA(error, requestId) });
}

/** A frame with the error, and no `[DONE]` after it: nothing may look finished. */
export function encodeStreamError(error: ErrorStatement, requestId: string, broken: BrokenStream): string {
  const frame = writeFrame(encodeError(error, requestId));
  return broken.midFrame ? `\n\n${frame}` : frame;
}
