import { writeFrame } from "../../base/sse.ts";
import type { ErrorStatement } from "../../errors.ts";
import { encodeGatewayError } from "../errors/gateway-error-body.ts";
import { decodeUpstreamError } from "../errors/upstream-error.ts";
import type { TruncatedStream } from "../protocol.ts";

export const decodeError = decodeUpstreamError;

/** Shape A as it is. */
export const encodeError = encodeGatewayError;

/** Nothing streams here; were it ever asked for, an event with the error. */
export function encodeStreamError(error: ErrorStatement, requestId: string, broken: TruncatedStream): string {
  const frame = writeFrame(encodeError(error, requestId));
  return broken.midFrame ? `\n\n${frame}` : frame;
}
