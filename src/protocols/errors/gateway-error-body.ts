import type { ErrorStatement } from "../../errors.ts";

/** The gateway's own error body: strings throughout, never null; the message ends with the request's id. */
export interface GatewayErrorBody {
  readonly message: string;
  readonly type: string;
  readonly param: string;
  readonly code: string;
  /** The vendor's structured details, unchanged. */
  readonly details?: unknown;
}

/** The whole body; the specification calls it shape A. */
export function encodeGatewayError(error: ErrorStatement, requestId: string): string {
  return JSON.stringify({ error: gatewayErrorBody(error, requestId) });
}

/** Its `error` object. Protocols add beside it what their own clients read. */
export function gatewayErrorBody(error: ErrorStatement, requestId: string): GatewayErrorBody {
  return {
    message: `${error.message} (request id: ${requestId})`,
    type: error.type,
    param: error.param,
    code: error.code,
    details: error.details,
  };
}
