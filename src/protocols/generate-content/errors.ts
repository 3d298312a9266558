import { writeFrame } from "../../base/sse.ts";
import type { ErrorStatement } from "../../errors.ts";
import type { BrokenStream } from "../protocol.ts";
import { shapeA } from "../shape-a.ts";
import { decodeUpstreamError } from "../upstream-error.ts";

export const decodeError = decodeUpstreamError;

/** Shape A, with the status word that this protocol's clients read. */
export function encodeError(error: ErrorStatement, requestId: string): string {
  return JSON.stringify({ error: { ...shapeA(error, requestId), status: statusWord(error) } });
}

/**
 * An error object in place of an answer. Its code is the numeric status here, because the official
 * client raises nothing for any other; ours stands beside it as the reason.
 */
export function encodeStreamError(error: ErrorStatement, requestId: string, broken: BrokenStream): string {
  const { code: reason, ...stated } = shapeA(error, requestId);
  const body = JSON.stringify({
    error: { code: error.status, ...stated, status: statusWord(error), reason },
  });
  if (broken.form === "array") return broken.events === 0 ? `[${body}]` : `,\n${body}]`;
  const frame = writeFrame(body);
  return broken.midFrame ? `\n\n${frame}` : frame;
}

/** The vendor's own word where it gave one, else the word for the status. */
function statusWord(error: ErrorStatement): string {
  return VENDOR_WORD.test(error.type) ? error.type : (STATUS_WORDS[error.status] ?? "UNKNOWN");
}

const VENDOR_WORD = /^[A-Z_]+$/;

/** google.rpc.Code by HTTP status. */
const STATUS_WORDS: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  405: "INVALID_ARGUMENT",
  408: "DEADLINE_EXCEEDED",
  409: "ABORTED",
  413: "INVALID_ARGUMENT",
  415: "INVALID_ARGUMENT",
  417: "INVALID_ARGUMENT",
  429: "RESOURCE_EXHAUSTED",
  499: "CANCELLED",
  500: "INTERNAL",
  501: "UNIMPLEMENTED",
  502: "UNAVAILABLE",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
  529: "UNAVAILABLE",
};
