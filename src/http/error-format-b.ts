import type { ErrorStatement } from "../errors.ts";
import { shapeA } from "../protocols/error-format-a.ts";

/** How a path's callers read errors. */
export interface ErrorShape {
  /** A second header in which they read the request's id. */
  readonly idHeader?: string;
  encodeError(error: ErrorStatement, requestId: string): string;
}

/**
 * Pictures and videos: `{code, message, data: null}`, whose message is exactly the message. What no endpoint of
 * theirs says (no key, no money, no such path or method) is shape A, as everywhere.
 */
export const ERROR_FORMAT_B: ErrorShape = {
  encodeError(error, requestId) {
    return JSON.stringify(
      error.status === 401 || EVERYWHERE.has(error.code)
        ? { error: shapeA(error, requestId) }
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
