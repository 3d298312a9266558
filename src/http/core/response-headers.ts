import type { IncomingMessage } from "node:http";
import { randomId } from "../../base/random.ts";

/** The headers of a response that a page of another origin may read. */
const EXPOSED =
  "x-request-id, request-id, retry-after, x-should-retry, x-faregate-dropped, x-faregate-estimated, x-faregate-output-limit, x-faregate-model, x-ratelimit-limit-requests, x-ratelimit-remaining-requests, x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens, x-ratelimit-reset-tokens";

/**
 * Headers of every response, errors included: the request's id (twice where the protocol's clients read it in a header of
 * their own), that no cache may store it (files and streams say otherwise), and open CORS, which is safe because no cookie is
 * a credential there. The console, where one is, answers pages of no other origin.
 */
export function responseHeaders(
  request: IncomingMessage,
  requestId: string,
  idHeader?: string,
): Record<string, string> {
  const headers: Record<string, string> = { "x-request-id": requestId, "cache-control": "no-store" };
  if (idHeader !== undefined) headers[idHeader] = requestId;
  if (request.headers.origin !== undefined && !isConsole(request)) {
    headers["access-control-allow-origin"] = "*";
    headers["access-control-expose-headers"] = EXPOSED;
  }
  return headers;
}

/** Answers a preflight: no key is needed, and whatever headers the page asks for are allowed; not at the console. */
export function preflightHeaders(request: IncomingMessage): Record<string, string> {
  if (isConsole(request)) return {};
  return {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": "GET, POST, DELETE, OPTIONS",
    "access-control-allow-headers": request.headers["access-control-request-headers"] ?? "*",
    "access-control-max-age": "86400",
    vary: "access-control-request-headers",
  };
}

function isConsole({ url = "" }: IncomingMessage): boolean {
  return url.startsWith("/api/");
}

/**
 * A fresh id for every request, never the caller's own: it is the key of a charge, and a caller who
 * could choose it could make two requests share one.
 */
export function requestId(): string {
  return `req_${randomId()}`;
}

/** True if a text can be the id of a request; the database does not even take every text. */
export function isRequestId(text: string): boolean {
  return /^req_[0-9a-z]{1,64}$/.test(text);
}
