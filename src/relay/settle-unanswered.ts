import { statementOf } from "../errors.ts";
import { UNKNOWN_STREAM } from "../protocols/protocol.ts";
import type { Candidates } from "../routing/candidate-iterator.ts";
import { type Exchange, settle } from "./exchange.ts";
import { type AttemptFailure, codeOf, shuttingDown } from "./failures.ts";

/** Settles a request without a response. Throws the caller's error, if the caller is still there. */
export async function settleUnanswered(
  exchange: Exchange,
  candidates: Candidates,
  last: AttemptFailure | undefined,
  errorType: string,
): Promise<void> {
  const { request } = exchange;
  const { response } = request;
  const error = last?.error ?? (exchange.isAborted ? shuttingDown() : candidates.unavailableError());
  exchange.notes.refusal = error;
  const left = exchange.clientGone || (exchange.attempts > 0 && last === undefined);
  await settle(exchange, {
    reason: exchange.isAborted ? "drained" : left ? "client_aborted_before_output" : reasonOf(exchange, last),
    candidate: exchange.lastCandidate,
    summary: undefined,
    status: left
      ? 0
      : response.committed
        ? 200
        : "statement" in error
          ? error.statement.status
          : error.status,
    errorCode: codeOf(error),
  });
  if (left) return;
  if (!response.committed) throw error;
  // Keep-alives have gone out, and with them the status: the refusal is told as a stream tells it.
  if (!response.open) return;
  const statement = "statement" in error ? error.statement : statementOf(error, errorType);
  const truncated = { ...UNKNOWN_STREAM, form: request.arrayStream ? ("array" as const) : ("sse" as const) };
  response.write(Buffer.from(request.protocol.encodeStreamError(statement, request.id, truncated)));
  response.end();
}

function reasonOf(
  exchange: Exchange,
  last: AttemptFailure | undefined,
): "no_upstream" | "rejected" | "upstream_timeout" | "upstream_failed" {
  if (last === undefined) return "no_upstream";
  if (exchange.attempts === 0) return "rejected";
  if (last.timedOut) return "upstream_timeout";
  return last.retryable ? "upstream_failed" : "rejected";
}
