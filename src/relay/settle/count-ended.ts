import { createLru } from "../../base/lru.ts";
import { formatUsd } from "../../base/money.ts";
import { allTokens, type Outcome } from "../../billing/billing.ts";
import type { Model } from "../../catalog/catalog.ts";
import type { Log } from "../../observe/log.ts";
import type { Metrics } from "../../observe/metrics.ts";
import { logRefusal, type RequestEnd } from "../../observe/refusal.ts";
import type { Candidate } from "../../upstreams/call.ts";
import type { Exchange, FailedAttempt } from "../exchange.ts";
import { type AttemptFailure, codeOf } from "../failures.ts";
import type { TextRequest } from "../text-request.ts";

interface CountDeps {
  readonly log: Log;
  readonly metrics: Metrics;
}

/** The upstream and error code of a failed attempt, which the exchange keeps. */
export function failedAttempt({ upstream }: Candidate, { error }: AttemptFailure): FailedAttempt {
  return { upstream: upstream.name, code: codeOf(error) };
}

/** The fields of a request's end that its line in the log has; undefined = it is still running. */
export function requestEnd({ request, outcome, attempts }: Exchange): RequestEnd | undefined {
  if (outcome === undefined) return undefined;
  return { model: request.model, reason: outcome.reason, upstream: outcome.upstream, attempts };
}

/**
 * One line for a request that another upstream or a fallback model rescued, since its caller never saw the failure, and for one that was
 * refused after it was let in; what failed for good has the line of its error.
 */
function logEnded(log: Log, exchange: Exchange, { status, upstream, errorCode, reason }: Outcome): void {
  const { request, failedFirst, attempts, fallbacks, notes } = exchange;
  const { id: requestId, route, model, caller } = request;
  const about = {
    requestId,
    route,
    model,
    account: caller.accountName,
    keyId: String(caller.keyId),
    keyName: caller.keyName,
    upstream,
    attempts,
  };
  if (status >= 400 && status < 500) logRefusal(log, { ...about, status, errorCode, reason });
  if (status !== 200 || failedFirst === undefined) return;
  // Keep-alives had sent the status: no upstream rescued it, and the failure was told as an event.
  if (notes.refusal !== undefined) {
    log.warn({ ...about, status, errorCode, reason, err: causeOf(notes.refusal) }, "request failed");
    return;
  }
  const rescued = { ...about, failed: failedFirst.upstream, code: failedFirst.code };
  if (fallbacks?.current === undefined) log.warn(rescued, "failover: another upstream responded");
  else log.warn({ ...rescued, asked: fallbacks.asked.id }, "failover: a fallback model responded");
}

function causeOf(refusal: unknown): unknown {
  return refusal instanceof Error ? (refusal.cause ?? refusal) : refusal;
}

/** For metrics; one that was not settled has met a bug of ours, which the log tells. */
export function countEnded(deps: CountDeps, model: Model, exchange: Exchange): void {
  const { request, hold, outcome } = exchange;
  if (outcome === undefined) return;
  const { metrics } = deps;
  logEnded(deps.log, exchange, outcome);
  const writtenOffNanos = hold.writtenOffNanos();
  logImplausible(deps, request, outcome);
  if (writtenOffNanos > 0n) logWrittenOff(deps, request, outcome, writtenOffNanos);
  const unpriced = hold.unpriced();
  if (unpriced.length > 0) logUnpriced(deps, request, outcome, unpriced);
  const { status, firstByteMs, totalMs } = outcome;
  const usage = allTokens(outcome);
  const endpoint = request.protocol.name;
  const chargeNanos = hold.chargeNanos();
  metrics.requestEnded({
    endpoint,
    model: model.id,
    status,
    firstByteMs,
    totalMs,
    usage,
    chargeNanos,
    writtenOffNanos,
  });
}

/** Once for each model and name: a vendor that serves so mostly serves every request so. The metric counts them all. */
function logUnpriced(
  { log, metrics }: CountDeps,
  { id: requestId, model }: TextRequest,
  { upstream }: Outcome,
  unpriced: readonly string[],
): void {
  metrics.usageUnpriced(model);
  const unlogged = unpriced.filter((name) => logged.get(`${model} ${name}`) === undefined);
  if (unlogged.length === 0) return;
  for (const name of unlogged) logged.set(`${model} ${name}`, unlogged);
  log.warn(
    { alarm: true, requestId, upstream, model, unpriced: unlogged },
    "unpriced usage: the model has no price for part of a request; the highest price of its kind was charged",
  );
}

const logged = createLru<string, readonly string[]>(1_000);

const NOT_POSSIBLE = "implausible usage reported by an upstream; it was not charged";
const ESTIMATED = "implausible usage reported by an upstream; the charge is estimated";
const FAR_BEYOND = "output far above the caller's limit reported by an upstream; it was charged";

/** An upstream that reports nonsense, in a count alone or beside what the model can do: an operator should look. */
function logImplausible({ log, metrics }: CountDeps, request: TextRequest, outcome: Outcome): void {
  const { implausible, hostile: ignoredValues, upstream, estimated } = outcome;
  if (implausible === undefined && ignoredValues === undefined) return;
  metrics.usageImplausible(upstream ?? "");
  const isCharged = ignoredValues === undefined && implausible?.every(({ charged }) => charged);
  const message = isCharged ? FAR_BEYOND : estimated ? ESTIMATED : NOT_POSSIBLE;
  log.error({ ...alarmOf(request, outcome), implausible, ignoredValues }, message);
}

/** Work that nobody pays for. */
function logWrittenOff({ log }: CountDeps, request: TextRequest, outcome: Outcome, nanos: bigint): void {
  log.error(
    { ...alarmOf(request, outcome), usd: formatUsd(nanos) },
    "cost written off: a request cost more than its account or key could pay",
  );
}

function alarmOf({ id: requestId, model, caller }: TextRequest, { upstream }: Outcome): object {
  return { alarm: true, requestId, upstream, model, account: caller.accountName };
}
