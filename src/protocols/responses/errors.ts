import { writeFrame } from "../../base/sse.ts";
import type { ErrorStatement } from "../../errors.ts";
import { gatewayErrorBody } from "../errors/gateway-error-body.ts";
import { decodeUpstreamError } from "../errors/upstream-error.ts";
import type { TruncatedStream } from "../protocol.ts";

export const decodeError = decodeUpstreamError;

/** Shape A as it is. */
export function encodeError(error: ErrorStatement, requestId: string): string {
  return JSON.stringify({ error: gatewayErrorBody(error, requestId) });
}

/**
 * `response.failed` with the response as `response.created` announced it, since clients read the whole
 * object; before any announcement, the protocol's `error` event.
 */
export function encodeStreamError(error: ErrorStatement, requestId: string, broken: TruncatedStream): string {
  const { message, ...stated } = gatewayErrorBody(error, requestId);
  const opening = broken.opening;
  const type = opening === undefined ? "error" : "response.failed";
  const shown =
    opening === undefined
      ? { message, code: stated.code, param: stated.param, error: { message, ...stated } }
      : { response: { ...opening, status: "failed", error: { code: stated.code, message } } };
  const frame = writeFrame(JSON.stringify({ type, sequence_number: broken.events, ...shown }), type);
  return broken.midFrame ? `\n\n${frame}` : frame;
}
