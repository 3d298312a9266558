import { asArray, asObject, asText } from "../json.ts";
import type { UpstreamHeaders } from "../protocol.ts";
import { type ErrorWords, readErrorBody, readErrorValue } from "./error-body.ts";
import { isTooLong } from "./error-patterns.ts";
import { classifyError, type UpstreamError } from "./upstream-error-policy.ts";

/** Reads an upstream's error response of any vendor's shape; never throws. */
export function decodeUpstreamError(
  status: number,
  headers: UpstreamHeaders,
  body: Uint8Array,
): UpstreamError {
  const words = readErrorBody(body);
  const own = SHOULD_RETRY[one(headers["x-should-retry"]).toLowerCase()];
  const stated = state(status, words, retryAfter(headers) ?? retryInfo(words.details));
  return own === undefined ? stated : { ...stated, shouldRetry: own };
}

/** Reads an error that came with a success status or inside a stream, so that only its words tell the status. */
export function decodeStatedError(value: unknown): UpstreamError {
  const words = readErrorValue(value);
  return state(words.status ?? statusOf(words), words, retryInfo(words.details));
}

function state(status: number, words: ErrorWords, retryAfterSeconds: number | undefined): UpstreamError {
  const fault = classifyError(status, words);
  return {
    fault,
    status,
    type: words.type !== "" ? words.type : status < 500 ? "invalid_request_error" : "api_error",
    code: fault === "caller" && isTooLong(words) ? "context_length_exceeded" : words.code,
    param: words.param,
    message: words.message !== "" ? words.message : `the upstream returned status ${status}`,
    details: words.details,
    retryAfterSeconds,
  };
}

/** The statuses that the vendors' words stand for; an unknown word is the upstream's failure. */
function statusOf(words: ErrorWords): number {
  for (const [pattern, status] of STATUS_WORDS) {
    if (pattern.test(words.type) || pattern.test(words.code)) return status;
  }
  return 502;
}

const STATUS_WORDS: readonly (readonly [RegExp, number])[] = [
  [/^overloaded/i, 529],
  [/rate_?limit|insufficient_quota|^RESOURCE_EXHAUSTED$/i, 429],
  [/^authentication_error$|^UNAUTHENTICATED$|^invalid_api_key$/i, 401],
  [/^permission_error$|^PERMISSION_DENIED$/i, 403],
  [/^not_found_error$|^NOT_FOUND$|^model_not_found$/i, 404],
  [/^request_too_large$/i, 413],
  [/^invalid_request|^INVALID_ARGUMENT$|^FAILED_PRECONDITION$|^context_length|^invalid_prompt$/i, 400],
  [/timeout|^DEADLINE_EXCEEDED$/i, 504],
  [/^UNAVAILABLE$/i, 503],
];

const SHOULD_RETRY: Readonly<Record<string, boolean>> = { true: true, false: false };

/** Seconds to wait, from the headers in use: whole seconds, milliseconds, or a date beside the response's own. */
function retryAfter(headers: UpstreamHeaders): number | undefined {
  const exact = bounded(Number.parseFloat(one(headers["retry-after-ms"])) / 1000);
  if (exact !== undefined) return exact;
  const value = one(headers["retry-after"]);
  if (/^\s*\d+(\.\d+)?\s*$/.test(value)) return bounded(Number.parseFloat(value));
  return bounded((Date.parse(value) - Date.parse(one(headers["date"]))) / 1000);
}

/** The native protocol's RetryInfo: `retryDelay` as seconds with a unit. */
function retryInfo(details: unknown): number | undefined {
  for (const detail of asArray(details)) {
    const delay = /^(\d+(?:\.\d+)?)s$/.exec(asText(asObject(detail)?.["retryDelay"]))?.[1];
    if (delay !== undefined) return bounded(Number.parseFloat(delay));
  }
  return undefined;
}

function bounded(seconds: number): number | undefined {
  return seconds >= 0 && seconds <= MAX_RETRY_SECONDS ? Math.ceil(seconds) : undefined;
}

function one(value: string | string[] | undefined): string {
  return (Array.isArray(value) ? value[0] : value) ?? "";
}

/** A vendor that says "come back in a week" has a broken clock; clients would believe it. */
const MAX_RETRY_SECONDS = 24 * 60 * 60;
