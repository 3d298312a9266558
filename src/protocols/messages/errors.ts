import { writeFrame } from "../../base/sse.ts";
import type { ErrorStatement } from "../../errors.ts";
import { gatewayErrorBody } from "../errors/gateway-error-body.ts";
import { decodeUpstreamError } from "../errors/upstream-error.ts";
import type { TruncatedStream } from "../protocol.ts";

export const decodeError = decodeUpstreamError;

/**
 * Shape A, with what this protocol's clients read at the top. They know a prompt beyond the context by the vendor's words, as
 * it has no code for it.
 */
export function encodeError(error: ErrorStatement, requestId: string): string {
  const isUnsaid = error.code === "context_length_exceeded" && !TOO_LONG.test(error.message);
  const shown = isUnsaid ? { ...error, message: `prompt is too long: ${error.message}` } : error;
  return JSON.stringify({ type: "error", error: gatewayErrorBody(shown, requestId), request_id: requestId });
}

const TOO_LONG = /prompt is too long|exceed context limit/i;

/** The protocol's `error` event, whose data is the plain error body. */
export function encodeStreamError(error: ErrorStatement, requestId: string, broken: TruncatedStream): string {
  const frame = writeFrame(encodeError(error, requestId), "error");
  return broken.midFrame ? `\n\n${frame}` : frame;
}
