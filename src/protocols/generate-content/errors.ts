import { writeFrame } from "../../base/sse.ts";
import type { ErrorStatement } from "../../errors.ts";
import { gatewayErrorBody } from "../errors/gateway-error-body.ts";
import { decodeUpstreamError } from "../errors/upstream-error.ts";
import { asObject } from "../json.ts";
import type { TruncatedStream } from "../protocol.ts";

export const decodeError = decodeUpstreamError;

/**
 * The vendor's form (google.rpc.Status): `code` is the numeric status, since the official clients read no other, `status` its
 * word, `details` a list. The rest of shape A stands beside it; its code, which is a word, as `reason`.
 */
export function encodeError(error: ErrorStatement, requestId: string): string {
  const { code: reason, details: _, ...stated } = gatewayErrorBody(error, requestId);
  const details = detailsOf(error);
  return JSON.stringify({
    error: {
      code: error.status,
      ...stated,
      status: statusWord(error),
      reason,
      details: details.length === 0 ? undefined : details,
    },
  });
}

/** An error object in place of a response. */
export function encodeStreamError(error: ErrorStatement, requestId: string, broken: TruncatedStream): string {
  const body = encodeError(error, requestId);
  if (broken.form === "array") return broken.events === 0 ? `[${body}]` : `,\n${body}]`;
  const frame = writeFrame(body);
  return broken.midFrame ? `\n\n${frame}` : frame;
}

/** The vendor's details, and the time to wait if waiting helps and the vendor has not stated it. */
function detailsOf({ status, details, retryAfterSeconds }: ErrorStatement): readonly unknown[] {
  const stated: readonly unknown[] = Array.isArray(details)
    ? details
    : details === undefined || details === null
      ? []
      : [details];
  if (status !== 429 && retryAfterSeconds === undefined) return stated;
  if (stated.some((each) => asObject(each)?.["@type"] === RETRY_INFO)) return stated;
  return [
    ...stated,
    { "@type": RETRY_INFO, retryDelay: `${Math.ceil(retryAfterSeconds ?? UNKNOWN_WAIT_SECONDS)}s` },
  ];
}

const RETRY_INFO = "type.googleapis.com/google.rpc.RetryInfo";

/** The time for which this upstream is avoided if it states none: vendors count by the minute and refill steadily. */
const UNKNOWN_WAIT_SECONDS = 5;

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
