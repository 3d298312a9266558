import type { Socket } from "node:net";
import { GatewayError, statementOf } from "../errors.ts";
import { PROTOCOLS } from "../protocols/table.ts";
import { requestId } from "./request-id.ts";

/**
 * Answers what is not HTTP we accept (malformed, headers too large or too slow): the parser gave up, so
 * there is no request and no path, only a socket to be told once and closed.
 */
export function refuseBrokenRequest(error: NodeJS.ErrnoException, socket: Socket, errorType: string): void {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const [line, known] = answerOf(error.code);
  const id = requestId();
  const body = PROTOCOLS["chat-completions"].encodeError(statementOf(known, errorType), id);
  socket.end(
    `HTTP/1.1 ${line}\r\nx-request-id: ${id}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

function answerOf(code: string | undefined): readonly [line: string, error: GatewayError] {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return [
        "431 Request Header Fields Too Large",
        new GatewayError("invalid_request", "The request's headers exceed 16 KB."),
      ];
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return [
        "408 Request Timeout",
        new GatewayError(
          "request_timeout",
          "The request did not arrive in time: 10 seconds for its headers, 120 for its body.",
        ),
      ];
    default:
      return ["400 Bad Request", new GatewayError("invalid_request", "The request is not valid HTTP/1.1.")];
  }
}
