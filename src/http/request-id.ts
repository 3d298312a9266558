import { randomId } from "../base/random.ts";

/**
 * A fresh id for every request, never the caller's own: it is the key of a charge, and a caller who
 * could choose it could make two requests share one.
 */
export function requestId(): string {
  return `req_${randomId()}`;
}

/** Whether a text can be the id of a request; the database does not even take every text. */
export function isRequestId(text: string): boolean {
  return /^req_[0-9a-z]{1,64}$/.test(text);
}
