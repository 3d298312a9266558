import type { ServerResponse } from "node:http";
import { type ErrorStatement, GatewayError, shouldRetry, statementOf, UpstreamRejection } from "../errors.ts";
import type { Log } from "../observe/log.ts";
import { outageOf } from "../storage/failures.ts";
import { drainBody } from "./drain-body.ts";
import type { ErrorShape } from "./error-format-b.ts";

/** Turns whatever was thrown into what the caller may read; the unforeseen is logged and stays vague. */
export function stateError(error: unknown, requestId: string, log: Log, errorType: string): ErrorStatement {
  if (error instanceof UpstreamRejection) return error.statement;
  const known = knownError(error);
  if (known.status >= 500)
    log.warn({ requestId, reason: known.reason, err: known.cause ?? known }, known.message);
  return statementOf(known, errorType);
}

/** The error of the list that stands for whatever was thrown. */
export function knownError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  return (
    outageOf(error) ??
    new GatewayError(
      "internal_error",
      "The gateway failed on this request; the operator's log has it under its request id.",
      { cause: error },
    )
  );
}

/** Answers with a plain JSON error in the path's shape; does nothing once an answer has begun. */
export function sendError(
  raw: ServerResponse,
  headers: Readonly<Record<string, string>>,
  shape: Pick<ErrorShape, "encodeError">,
  statement: ErrorStatement,
  requestId: string,
): void {
  if (raw.headersSent || raw.destroyed) return;
  const body = Buffer.from(shape.encodeError(statement, requestId));
  raw.writeHead(statement.status, {
    ...headers,
    "content-type": "application/json; charset=utf-8",
    "content-length": String(body.length),
    "x-should-retry": String(shouldRetry(statement)),
    ...(statement.retryAfterSeconds === undefined
      ? {}
      : { "retry-after": String(Math.ceil(statement.retryAfterSeconds)) }),
  });
  if (raw.req.complete) {
    raw.end(body);
    return;
  }
  // The caller has the whole answer by its length; ending it would close the connection of one who asked for that.
  raw.write(body);
  drainBody(raw.req, () => raw.end());
}
