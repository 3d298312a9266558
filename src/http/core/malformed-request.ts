import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { definedFields } from "../../base/defined-fields.ts";
import { GatewayError, shouldRetry, statementOf } from "../../errors.ts";
import { encodeGatewayError } from "../../protocols/errors/gateway-error-body.ts";
import type { HttpDeps } from "../deps.ts";
import { requestId } from "./response-headers.ts";
import { type RefusedCall, tellFailed } from "./tell-failed.ts";

type Told = Pick<HttpDeps, "log" | "errorType">;

/** Of what is no request, nobody is known. */
const NOBODY: RefusedCall = { caller: undefined, model: undefined, user: undefined, isTold: false };

/** What Node gives up a connection for; of its parser with what that met, e.g. "Invalid method encountered". */
interface ParseFault extends NodeJS.ErrnoException {
  readonly reason?: string;
}

/** What a connection still has to answer. */
interface Owing {
  /** The answer that its caller waits for or reads. */
  readonly owed: ServerResponse | undefined;
  /** Tells once all that came whole is answered. */
  readonly tellLast: (tell: () => void) => void;
}

/**
 * Refuses what is not HTTP we accept (malformed, headers too large or too slow): the parser gave up, so
 * there is no request and no path, only a socket. Requests that came whole before it are answered first.
 */
export function refuseMalformedRequest(
  error: ParseFault,
  socket: Socket,
  { owed, tellLast }: Owing,
  deps: Told,
): void {
  // Behind a request that said it is the last nothing counts: its answer, which closes, comes whole (RFC 9112, 9.6).
  if (error.code === "HPE_CLOSED_CONNECTION") return;
  if (!socket.writable || error.code === "ECONNRESET") socket.destroy();
  else if (owed?.req.complete) tellLast(() => tellOnce(socket, undefined, errorOf(error), deps));
  else tellOnce(socket, owed, errorOf(error), deps);
}

/** Refuses CONNECT: Node hands over its socket, whose errors are nobody else's from then on. */
export function refuseTunnel(socket: Socket, owed: ServerResponse | undefined, deps: Told): void {
  socket.on("error", () => undefined);
  const error = new GatewayError(
    "method_not_allowed",
    "CONNECT isn't supported: this server is not a proxy.",
    {
      headers: { allow: "" },
    },
  );
  tellOnce(socket, owed, error, deps);
}

/** Refuses a connection before anything was read of it. */
export function refuseConnection(socket: Socket, error: GatewayError, deps: Told): void {
  socket.on("error", () => undefined);
  tellOnce(socket, undefined, error, deps);
}

/**
 * Answers on the bare socket and closes it. Where another answer comes first, whatever were written now would be
 * read as a part of it, or in its place; so there is only the closing, as if that request's caller had left. A
 * request whose body is what is broken has no better answer than this one.
 */
function tellOnce(
  socket: Socket,
  owed: ServerResponse | undefined,
  error: GatewayError,
  { log, errorType }: Told,
): void {
  if (owed !== undefined && (owed.headersSent || owed.req.complete)) {
    // What that answer wrote in this turn may be all of it.
    socket.uncork();
    socket.destroy();
    return;
  }
  if (!socket.writable) return;
  const id = requestId();
  tellFailed(log, { id, method: "", route: "", url: "" }, NOBODY, error);
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
