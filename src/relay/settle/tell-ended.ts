import type { Outcome } from "../../billing/billing.ts";
import type { Log } from "../../observe/log.ts";
import type { Candidate } from "../../upstreams/call.ts";
import type { Exchange, FailedAttempt } from "../exchange.ts";
import { type AttemptFailure, codeOf } from "../failures.ts";

/** What the exchange keeps of an attempt that failed: who was asked, and the error's code. */
export function failedAttempt({ upstream }: Candidate, { error }: AttemptFailure): FailedAttempt {
  return { upstream: upstream.name, code: codeOf(error) };
}

/**
 * One line for a request that another upstream rescued, since its caller never saw the failure, and for one that was
 * refused after it was let in; what failed for good has the line of its error.
 */
export function tellEnded(log: Log, exchange: Exchange, { status, upstream }: Outcome): void {
  const { request, failedFirst, attempts } = exchange;
  const { id: requestId, model, caller } = request;
  const about = {
    requestId,
    model,
    account: caller.accountName,
    keyName: caller.keyName,
    upstream,
    attempts,
  };
  if (status >= 400 && status < 500) log.info({ ...about, status }, "a request was refused");
  if (status === 200 && failedFirst !== undefined)
    log.warn({ ...about, failed: failedFirst.upstream, code: failedFirst.code }, "another upstream answered");
}
