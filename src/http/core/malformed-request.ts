import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { definedFields } from "../../base/defined-fields.ts";
import { GatewayError, shouldRetry, statementOf } from "../../errors.ts";
import { encodeGatewayError } from "../../protocols/errors/gateway-error-body.ts";
import type { HttpDeps } from "../deps.ts";
import { logFailure, type RefusedCall } from "./log-failure.ts";
import { requestId } from "./response-headers.ts";

type RefusalDeps = Pick<HttpDeps, "log" | "errorType">;

/** A malformed request has no known caller. */
const NOBODY: RefusedCall = { caller: undefined, model: undefined, user: undefined, isLogged: false };

/**
 * The error for which Node gives up a connection; that of its parser has its reason, e.g. "Invalid method encountered".
 */
interface ParseFault extends NodeJS.ErrnoException {
  readonly reason?: string;
}

/** The responses that a connection still owes. */
interface Owing {
  /** The response that its caller waits for or reads. */
  readonly owed: ServerResponse | undefined;
  /** Tells once all that came whole is answered. */
  readonly respondLast: (respond: () => void) => void;
}

/**
 * Refuses what is not HTTP we accept (malformed, headers too large or too slow): the parser gave up, so
 * there is no request and no path, only a socket. Requests that came whole before it are answered first.
 */
export function refuseMalformedRequest(
  error: ParseFault,
  socket: Socket,
  { owed, respondLast }: Owing,
  deps: RefusalDeps,
): void {
  // Behind a request that said it is the last nothing counts: its response, which closes, comes whole (RFC 9112, 9.6).
  if (error.code === "HPE_CLOSED_CONNECTION") return;
  if (!socket.writable || error.code === "ECONNRESET") socket.destroy();
  else if (owed?.req.complete) respondLast(() => respondOnce(socket, undefined, errorOf(error), deps));
  else respondOnce(socket, owed, errorOf(error), deps);
}

/** Refuses CONNECT: Node hands over its socket, whose errors are nobody else's from then on. */
export function refuseTunnel(socket: Socket, owed: ServerResponse | undefined, deps: RefusalDeps): void {
  socket.on("error", () => undefined);
  const error = new GatewayError(
    "method_not_allowed",
    "CONNECT isn't supported: this server is not a proxy.",
    {
      headers: { allow: "" },
    },
  );
  respondOnce(socket, owed, error, deps);
}

/** Refuses a connection before anything was read of it. */
export function refuseConnection(socket: Socket, error: GatewayError, deps: RefusalDeps): void {
  socket.on("error", () => undefined);
  respondOnce(socket, undefined, error, deps);
}

/**
 * Answers on the bare socket and closes it. Where another response comes first, whatever were written now would be
 * read as a part of it, or in its place; so there is only the closing, as if that request's caller had left. A
 * request whose body is what is broken has no better answer than this one.
 */
function respondOnce(
  socket: Socket,
  owed: ServerResponse | undefined,
  error: GatewayError,
  { log, errorType }: RefusalDeps,
): void {
  if (owed !== undefined && (owed.headersSent || owed.req.complete)) {
    // The response that was written in this turn may be complete.
    socket.uncork();
    socket.destroy();
    return;
  }
  if (!socket.writable) return;
  const id = requestId();
  logFailure(log, { id, method: "", route: "", url: "" }, NOBODY, error);
  const body = encodeGatewayError(statementOf(error, errorType), id);
  const headers = definedFields({
    ...error.headers,
    "retry-after": error.retryAfterSeconds,
    "x-request-id": id,
    "x-should-retry": shouldRetry(error),
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
    connection: "close",
  });
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join("")}\r\n${body}`);
  socket.destroySoon();
}

function errorOf({ code, reason }: ParseFault): GatewayError {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return new GatewayError("headers_too_large", "The request's headers exceed 16 KB.");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new GatewayError(
        "request_timeout",
        "The request did not arrive in time: 10 seconds for its headers, 120 for its body.",
      );
    default:
      return new GatewayError(
        "invalid_request",
        `The request is not valid HTTP/1.1${reason === undefined ? "" : `: ${reason}`}.`,
      );
  }
}
