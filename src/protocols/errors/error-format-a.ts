import type { ErrorStatement } from "../../errors.ts";

/** The gateway's own error body: strings throughout, never null; the message ends with the request's id. */
export interface ShapeA {
  readonly message: string;
  readonly type: string;
  readonly param: string;
  readonly code: string;
  /** What a vendor adds in structured form, as it came. */
  readonly details?: unknown;
}

/** A body of shape A. */
export function encodeShapeA(error: ErrorStatement, requestId: string): string {
  return JSON.stringify({ error: shapeA(error, requestId) });
}

/** The `error` object of shape A. Protocols add beside it what their own clients read. */
export function shapeA(error: ErrorStatement, requestId: string): ShapeA {
  return {
    message: `${error.message} (request id: ${requestId})`,
    type: error.type,
    param: error.param,
    code: error.code,
    details: error.details,
  };
}
