import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type ErrorStatement,
  GatewayError,
  shouldRetry,
  statementOf,
  UpstreamRejection,
} from "../../errors.ts";
import { outageOf } from "../../storage/failures.ts";
import { MEDIA_BODY_BYTES } from "../body/body.ts";
import { hasTinyChunks } from "../body/body-pace.ts";
import type { ErrorShape } from "./error-format.ts";

/** Turns whatever was thrown into what the caller may read; the unforeseen stays vague. */
export function stateError(error: unknown, errorType: string): ErrorStatement {
  return error instanceof UpstreamRejection ? error.statement : statementOf(knownError(error), errorType);
}

/** The error of the list that stands for whatever was thrown. */
export function knownError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  return (
    outageOf(error) ??
    new GatewayError(
      "internal_error",
      "Internal error. The operator's log has the details under this request id.",
      { cause: error },
    )
  );
}

/** Responses with a plain JSON error in the path's shape; does nothing once a response has begun. */
export function sendError(
  raw: ServerResponse,
  headers: Readonly<Record<string, string>>,
  shape: Pick<ErrorShape, "encodeError">,
  statement: ErrorStatement,
  requestId: string,
): void {
  if (raw.headersSent || raw.destroyed) return;
  const body = Buffer.from(shape.encodeError(statement, requestId));
  const { retryAfterSeconds } = statement;
  const retryAfter =
    retryAfterSeconds === undefined ? {} : { "retry-after": String(Math.ceil(retryAfterSeconds)) };
  raw.writeHead(statement.status, {
    ...headers,
    "content-type": "application/json; charset=utf-8",
    "content-length": String(body.length),
    "x-should-retry": String(shouldRetry(statement)),
    ...retryAfter,
  });
  if (raw.req.complete) {
    raw.end(body);
    return;
  }
  // The caller has the whole response by its length; ending it would close the connection of one who asked for that.
  raw.write(body);
  drainBody(raw.req, () => raw.end());
}

/** Twice the largest body that is taken: whoever sends more will not be talked to. */
const READ_OUT_BYTES = 2 * MEDIA_BODY_BYTES;

/** Enough for such a body on any line that is worth waiting for. */
const READ_OUT_MS = 10_000;

/**
 * Reads the rest of a refused body, throws it away and then calls `done`. Closing at once would reset the
 * connection under a caller that is still sending, and most clients then report a broken pipe and never
 * our answer.
 */
function drainBody(request: IncomingMessage, done: () => void): void {
  const { socket } = request;
  const firstByte = socket.bytesRead;
  const lastByte = firstByte + READ_OUT_BYTES;
  let chunks = 0;
  const timer = setTimeout(() => socket.destroy(), READ_OUT_MS);
  request.on("data", () => {
    chunks += 1;
    if (socket.bytesRead > lastByte || hasTinyChunks(chunks, socket.bytesRead - firstByte)) socket.destroy();
  });
  request.on("error", () => undefined);
  const over = (): void => {
    clearTimeout(timer);
    done();
  };
  request.on("close", over);
  request.on("end", over);
  request.resume();
}
