import type { ErrorStatement } from "../../errors.ts";
import { encodeGatewayError, gatewayErrorBody } from "../../protocols/errors/gateway-error-body.ts";
import type { Protocol } from "../../protocols/protocol.ts";
import { PROTOCOLS } from "../../protocols/table.ts";

/** The form of errors for a path's callers. */
export interface ErrorShape {
  /** A second header in which they read the request's id. */
  readonly idHeader?: string | undefined;
  encodeError(error: ErrorStatement, requestId: string): string;
}

/**
 * Images and videos: `{code, message, data: null}`, whose message is exactly the message. What no endpoint of
 * theirs says (no key, no money, no such path or method) is shape A, as everywhere.
 */
const ERROR_FORMAT_B: ErrorShape = {
  encodeError(error, requestId) {
    return JSON.stringify(
      error.status === 401 || EVERYWHERE.has(error.code)
        ? { error: gatewayErrorBody(error, requestId) }
        : { code: error.code, message: error.message, data: null },
    );
  },
};

/** Codes of errors that look alike on every path. */
const EVERYWHERE: ReadonlySet<string> = new Set([
  "insufficient_user_quota",
  "not_found",
  "method_not_allowed",
]);

/** The form for paths that no protocol claims. */
const ERROR_FORMAT_A: ErrorShape = { encodeError: encodeGatewayError };

/** The error shape that a path's callers read, known before any route is. */
export function shapeOf(path: string): ErrorShape {
  for (const [pattern, shape] of SHAPES) if (pattern.test(path)) return shape;
  return ERROR_FORMAT_A;
}

const SHAPES: readonly (readonly [pattern: RegExp, shape: ErrorShape])[] = [
  ...Object.values(PROTOCOLS).flatMap(shapesOf),
  [/^\/v1\/images\/|^\/v2\//, ERROR_FORMAT_B],
];

function shapesOf({ endpoint, encodeError }: Protocol): (readonly [RegExp, ErrorShape])[] {
  const { errorPaths, idHeader } = endpoint;
  return errorPaths === null ? [] : [[errorPaths, { encodeError, idHeader }]];
}
