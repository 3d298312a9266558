import type { IncomingMessage, ServerResponse } from "node:http";
import { GatewayError } from "../../errors.ts";

/**
 * The number that Node reads by itself; it would drop the last ones of more without an error, a credential among them.
 */
const MAX_HEADERS = 2_000;

/** Bytes behind a refused head may be its body or not, so they are not served. */
const CLOSING = { headers: { connection: "close" } };

/** Why a request's head cannot be trusted, where the parser has let it pass; undefined for a sound one. */
export function faultOfHead(request: IncomingMessage): GatewayError | undefined {
  const { rawHeaders, httpVersion } = request;
  if (rawHeaders.length > 2 * MAX_HEADERS) return tooManyHeaders();
  if (request.httpVersionMajor !== 1) return otherVersion();
  if (!namesItsHost(rawHeaders, httpVersion)) return hostless();
  const coding = request.headers["transfer-encoding"];
  if (coding === undefined) return undefined;
  if (httpVersion !== "1.1") return codedTooEarly();
  return coding.trim().toLowerCase() === "chunked" ? undefined : coded();
}

/** Exactly one host, as the standard wants it, be it empty. HTTP/1.0 needs none. Read off the list, where two are two. */
function namesItsHost(rawHeaders: readonly string[], httpVersion: string): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return hosts === 1 || (hosts === 0 && httpVersion !== "1.1");
}

function tooManyHeaders(): GatewayError {
  return new GatewayError(
    "headers_too_large",
    `The request has more than ${MAX_HEADERS} headers; send fewer.`,
    CLOSING,
  );
}

function otherVersion(): GatewayError {
  return new GatewayError(
    "unsupported_http_version",
    "Only HTTP/1.1 and HTTP/1.0 are supported here.",
    CLOSING,
  );
}

function hostless(): GatewayError {
  return new GatewayError("invalid_request", "A request needs one Host header.", CLOSING);
}

/** HTTP/1.0 knows no transfer codings: two servers would disagree on where such a request ends (RFC 9112, 6.1). */
function codedTooEarly(): GatewayError {
  return new GatewayError(
    "invalid_request",
    "Transfer-Encoding isn't supported over HTTP/1.0. Send a Content-Length, or use HTTP/1.1.",
    CLOSING,
  );
}

/** The parser lets others pass before it and decodes none of them: what is read would not be what was sent. */
function coded(): GatewayError {
  return new GatewayError(
    "invalid_request",
    "The only supported Transfer-Encoding is `chunked`. Use Content-Encoding for compression.",
    CLOSING,
  );
}

export function unmetExpectation(): GatewayError {
  return new GatewayError(
    "unmet_expectation",
    "The only supported Expect header is `Expect: 100-continue`. Remove this one.",
    CLOSING,
  );
}

/** The responses of requests whose sender waits for the word to send its body. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>();

/** A request with `Expect: 100-continue`: its sender is told to go on once somebody wants the body, and never if nobody does. */
export function awaitGoAhead(request: IncomingMessage, response: ServerResponse): void {
  const hasBody =
    request.headers["transfer-encoding"] !== undefined || Number(request.headers["content-length"] ?? 0) > 0;
  if (hasBody) waiting.set(request, response);
  // A missing body would never be read, and the final response alone would close the connection.
  else response.writeContinue();
}

/** To be called before a body is read. */
export function sendContinue(request: IncomingMessage): void {
  if (request.headers.expect === undefined) return;
  const response = waiting.get(request);
  waiting.delete(request);
  if (response !== undefined && !response.headersSent) response.writeContinue();
}
