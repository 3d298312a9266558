import type { Slotted } from "../base/async/slot-list.ts";
import type { Clock } from "../base/clock.ts";
import type {
  AttemptUse,
  ChargeReason,
  OpenHold,
  Outcome,
  PricedModel,
  ReportedUse,
} from "../billing/billing.ts";
import type { FailureNotes } from "../billing/failed-requests/failed-request.ts";
import { rawText } from "../billing/journal/journal-record.ts";
import { boundCalls, type UsageBound } from "../billing/pricing/usage-bound.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { type Loss, lossTexts } from "../conversation/loss.ts";
import type { Log } from "../observe/log.ts";
import type { ResponseSummary } from "../protocols/protocol.ts";
import type { Candidate } from "../upstreams/call.ts";
import { openSecretFilter, sentSecrets } from "../upstreams/scrub/sent-secrets.ts";
import type { ServiceTerms } from "../usage/service-terms.ts";
import { type PlaceReason, type TokenUsage, totalOutput } from "../usage/usage.ts";
import type { FallbackChain } from "./admit/fallback-chain.ts";
import { requestsPricedOptions } from "./admit/priced-options.ts";
import type { KeepAlive } from "./response/keep-alive.ts";
import { ourNameOf, priceAdditional, recordedWork } from "./settle/additional-usage.ts";
import { isEmpty, isUncounted } from "./settle/empty-response.ts";
import { type ChargeableUsage, estimateMissing, type OurName, reportedByModel } from "./settle/estimate.ts";
import type { TextRequest } from "./text-request.ts";

/** One accepted request with its hold. It is settled here, exactly once, whatever happens. */
export interface Exchange extends Slotted {
  /** The request as it is sent to the current candidate. */
  request: TextRequest;
  /** The catalog at the time of admission. */
  readonly catalog: Catalog;
  /** Milliseconds since 1970; selects the prices that depend on the time of day. */
  readonly acceptedMs: number;
  readonly hold: OpenHold;
  /** The most that the request can use at the model that is asked now. */
  bound: UsageBound;
  /** Models that may respond in place of the asked one; undefined = there are none. */
  readonly fallbacks: FallbackChain | undefined;
  /** The model that is asked now, if the request has fallbacks. */
  priced: PricedModel | undefined;
  readonly clock: Clock;
  readonly log: Pick<Log, "error">;
  /** Keeps a streamed response alive; undefined = the request is not streamed. */
  keepAlive: KeepAlive | undefined;
  readonly chargeEmptyAnswers: boolean;
  /** Attempts made so far, the running one included. */
  attempts: number;
  /** Usage of failed attempts. */
  readonly uses: AttemptUse[];
  /** True if any of the running attempt may have reached its upstream. */
  isSent: () => boolean;
  /** The first failure, if any. */
  failedFirst: FailedAttempt | undefined;
  readonly notes: FailureNotes;
  /** The candidate of the latest attempt. */
  lastCandidate: Candidate | null;
  /** Why that candidate was chosen. */
  reason: PlaceReason | null;
  /** The output limit that the gateway added because the balance covers no more. */
  readonly outputLimit: number | undefined;
  /** Monotonic time of the first byte of the response that is being relayed. */
  firstByteMs: number | null;
  /** The grace period of a shutdown is over, and the exchange is cut. */
  isAborted: boolean;
  /** The service tier that a header of the current response states. */
  tierInHead: string | undefined;
  /** The client has disconnected. */
  clientGone: boolean;
  /** Ends what runs now; each attempt sets its own function. */
  onAbort: () => void;
  settled: boolean;
  /** The outcome with which it was settled, and the usage. */
  outcome: Outcome | undefined;
  charged: FinalUsage | undefined;
  /** The parts of the request for which the current attempt's protocol has no place. */
  losses: readonly Loss[];
}

export interface FailedAttempt {
  readonly upstream: string;
  readonly code: string;
}

/** The end of a response, from which the charge is computed. */
export interface ExchangeEnd {
  readonly reason: ChargeReason;
  /** The candidate of the latest attempt; null = there was none. */
  readonly candidate: Candidate | null;
  /** The meter's summary; undefined if nothing was produced and nothing is charged. */
  readonly summary: ResponseSummary | undefined;
  /** The summary of a response of which nothing was passed on, which its vendor may bill nevertheless. */
  readonly undelivered?: () => ResponseSummary;
  readonly status: number;
  readonly errorCode?: string | undefined;
}

/** The work that the vendor may bill for an attempt, according to its response. */
export type Seen = ResponseSummary | "nothing" | "unknown";

/** The usage of an attempt that is not charged. */
export function useOf(exchange: Exchange, candidate: Candidate, seen: Seen): AttemptUse {
  const { priced } = exchange;
  if (!exchange.isSent()) return attemptUse(candidate, "nothing", priced);
  try {
    return attemptUse(candidate, usedOf(exchange, candidate, seen), priced);
  } catch (cause) {
    logError(exchange, cause, "usage of an attempt could not be read; it is recorded as unknown");
    return attemptUse(candidate, "unknown", priced);
  }
}

/** Logs a bug of ours and lets the exchange be settled all the same, so that no hold stays open. */
function logError({ log, request }: Exchange, err: unknown, message: string): void {
  log.error({ err, requestId: request.id }, message);
}

function usedOf(exchange: Exchange, candidate: Candidate, seen: Seen): AttemptUse["used"] {
  if (typeof seen === "string") return seen;
  const { usage, calls, units, served, parts } = seen;
  // A response in several parts may have none of them yet.
  if (usage === undefined || parts?.length === 0)
    return seen.error !== undefined && !seen.hasOutput ? "nothing" : "unknown";
  const bound = boundAt(exchange);
  const { usage: own, additionalUsage } = reportedByModel(exchange.request, seen, bound, namesAt(exchange));
  return {
    usage: own,
    additionalUsage: pricedAdditional(exchange, candidate, additionalUsage).additionalUsage,
    raw: scrubbedRaw(usage.raw, candidate).raw,
    ...recordedWork({ calls: boundCalls(calls, bound).calls, served }, candidate),
    units,
    region: candidate.upstream.region ?? undefined,
    requests: parts?.length,
    withoutOptions: requestsPricedOptions(exchange.request, candidate.protocol) ? undefined : true,
  };
}

function pricedAdditional(
  exchange: Exchange,
  candidate: Candidate | null,
  reported: FinalUsage["additionalUsage"],
): ReturnType<typeof priceAdditional> {
  const { catalog, request, acceptedMs } = exchange;
  return priceAdditional({ catalog, request, acceptedMs, bound: boundAt(exchange) }, candidate, reported);
}

/** The catalog's names by those of the latest attempt's upstream. */
function namesAt(exchange: Exchange): OurName {
  const { lastCandidate, catalog, request } = exchange;
  return (name) =>
    lastCandidate === null
      ? undefined
      : ourNameOf(name, lastCandidate.upstream, { catalog, request, bound: boundAt(exchange) });
}

/** The bound for the latest attempt. Vendor tools and additional models count only if the request was forwarded with them. */
function boundAt({ bound, request, lastCandidate }: Exchange): UsageBound {
  if (lastCandidate === null || requestsPricedOptions(request, lastCandidate.protocol)) return bound;
  if (bound.calls === undefined && bound.additionalModels === undefined) return bound;
  const calls = bound.calls?.byDefault ? bound.calls : undefined;
  return { ...bound, maxPassesWithTools: undefined, calls, additionalModels: undefined };
}

function attemptUse(
  { upstream, credential, model }: Candidate,
  used: AttemptUse["used"],
  priced: PricedModel | undefined,
): AttemptUse {
  const { name, cost } = upstream;
  return { upstream: name, upstreamModel: model, credential: credential.name, cost, used, priced };
}

/** The usage to charge for a response, and the reason of its end. */
export interface FinalUsage extends ChargeableUsage {
  readonly reason: ChargeReason;
}

/**
 * The usage to charge: as reported, estimated if the vendor reported none or nothing readable, none if nothing was produced.
 * Returns no promise if nothing must be estimated. Never throws.
 */
export function finalUsage(exchange: Exchange, ending: Charged): FinalUsage | Promise<FinalUsage> {
  try {
    const charge = computedUsage(exchange, ending);
    return charge instanceof Promise ? charge.catch((cause) => estimated(exchange, ending, cause)) : charge;
  } catch (cause) {
    return estimated(exchange, ending, cause);
  }
}

type Charged = Pick<ExchangeEnd, "reason" | "summary">;

/** The charge of a response as if its vendor had reported no usage. */
async function estimated(
  exchange: Exchange,
  { reason, summary }: Charged,
  cause: unknown,
): Promise<FinalUsage> {
  logError(exchange, cause, "charge computation failed; the charge is estimated");
  try {
    return await computedUsage(exchange, { reason, summary: summary && { ...summary, ...UNCOUNTED } });
  } catch (again) {
    logError(exchange, again, "charge estimate failed; nothing is charged");
    return withReason(undefined, "upstream_failed", NOTHING);
  }
}

const UNCOUNTED = { usage: undefined, calls: undefined, units: undefined, parts: undefined };

function computedUsage(exchange: Exchange, ending: Charged): FinalUsage | Promise<FinalUsage> {
  const { summary } = ending;
  const reason = reasonOf(exchange, ending);
  if (summary === undefined || FREE.has(reason)) return withReason(summary, reason, NOTHING);
  const counted = estimateMissing(exchange.request, summary, boundAt(exchange), namesAt(exchange));
  return counted instanceof Promise
    ? counted.then((usage) => withReason(summary, reason, usage))
    : withReason(summary, reason, counted);
}

function withReason(
  summary: ResponseSummary | undefined,
  reason: ChargeReason,
  usage: ChargeableUsage,
): FinalUsage {
  const isBefore = summary?.hasOutput !== true || hasNoOutput(usage);
  const before = isBefore ? BEFORE_OUTPUT[reason] : undefined;
  // Object.assign, because a spread costs a microsecond per request here.
  return Object.assign({ reason: before ?? reason }, before === undefined ? usage : NOTHING);
}

function hasNoOutput({ usage, additionalUsage }: ChargeableUsage): boolean {
  return totalOutput(usage) === 0 && (additionalUsage ?? []).every(({ tokens }) => totalOutput(tokens) === 0);
}

/**
 * Settles the exchange, with `charge` if it is known already. Resolves when the end record has been handed to the operating
 * system. A second call does nothing, because a client's abort may race with the upstream's end.
 */
export function settle(exchange: Exchange, ending: ExchangeEnd, charge?: FinalUsage): Promise<void> {
  if (exchange.settled) return Promise.resolve();
  exchange.settled = true;
  const due = charge ?? finalUsage(exchange, ending);
  return due instanceof Promise
    ? due.then((known) => settleAs(exchange, ending, known))
    : settleAs(exchange, ending, due);
}

function settleAs(exchange: Exchange, ending: ExchangeEnd, charge: FinalUsage): Promise<void> {
  const outcome = safeOutcome(exchange, ending, charge);
  const written = exchange.hold.settle(outcome);
  exchange.outcome = outcome;
  exchange.charged = charge;
  return written;
}

/** The outcome; if assembling it throws, only the fields that every request has. */
function safeOutcome(exchange: Exchange, ending: ExchangeEnd, charge: FinalUsage): Outcome {
  try {
    return outcomeOf(exchange, ending, charge);
  } catch (cause) {
    logError(exchange, cause, "outcome of a request could not be assembled; only its charge is recorded");
    const { candidate, status, errorCode } = ending;
    return {
      reason: charge.reason,
      usage: charge.usage,
      calls: charge.calls,
      units: charge.units,
      estimated: charge.estimated,
      upstream: candidate?.upstream.name ?? null,
      upstreamModel: candidate?.model ?? null,
      answeredBy: answeredBy(exchange),
      status,
      errorCode,
      attempts: exchange.attempts,
      firstByteMs: null,
      totalMs: Math.round(exchange.clock.monotonicMs() - exchange.request.startedMs),
    };
  }
}

/** The fallback model that was asked last, if one was. */
function answeredBy({ fallbacks, request, priced }: Exchange): PricedModel | undefined {
  return fallbacks?.current?.request === request ? priced : undefined;
}

/** Settles an exchange that a bug of ours has ended before anything else did. */
export async function settleInternalError(exchange: Exchange, cause: unknown): Promise<void> {
  if (exchange.settled) return;
  logError(exchange, cause, "internal error ended a request; nothing is charged");
  const { lastCandidate: candidate } = exchange;
  await settle(exchange, {
    reason: candidate === null ? "no_upstream" : "upstream_failed",
    candidate,
    summary: undefined,
    status: 500,
    errorCode: "internal_error",
  });
}

/** Responses that are passed on and cost nothing. */
const FREE: ReadonlySet<ChargeReason> = new Set(["empty_answer", "upstream_failed"]);

/** A stream that failed after its first events and before any output; nearly all that fail do so then. Nothing is charged. */
const BEFORE_OUTPUT: Readonly<Partial<Record<ChargeReason, ChargeReason>>> = {
  upstream_failed_after_output: "upstream_failed",
  upstream_timeout_after_output: "upstream_timeout",
};

const NOTHING: ChargeableUsage = { usage: {}, estimated: false, implausible: [] };

/** The usage of every attempt. The last one is missing from `uses` unless it failed. */
function usesOf(exchange: Exchange, { summary, undelivered }: ExchangeEnd, usage: TokenUsage): AttemptUse[] {
  const { uses, attempts, lastCandidate } = exchange;
  if (lastCandidate === null || uses.length >= attempts) return uses;
  const isCharged = usage !== NOTHING.usage;
  const last = isCharged
    ? attemptUse(lastCandidate, "charged", exchange.priced)
    : useOf(exchange, lastCandidate, summary ?? undelivered?.() ?? "unknown");
  return uses.length === 0 ? [last] : [...uses, last];
}

function outcomeOf(
  exchange: Exchange,
  ending: ExchangeEnd,
  { reason, usage, additionalUsage: others, estimated, implausible: odd, calls, units }: FinalUsage,
): Outcome {
  const { summary, candidate, errorCode } = ending;
  const { firstByteMs, request, lastCandidate, outputLimit } = exchange;
  const reported = summary?.usage;
  const { additionalUsage, implausible: oddAdditional } = pricedAdditional(exchange, candidate, others);
  const implausible = [...odd, ...oddAdditional];
  const { raw, rawText: written } = scrubbedRaw(reported?.raw, lastCandidate);
  const work = recordedWork({ calls, served: servedTerms(exchange, summary) }, lastCandidate);
  return {
    reason,
    usage,
    additionalUsage: additionalUsage.length === 0 ? undefined : additionalUsage,
    estimated,
    calls: work.calls,
    units,
    served: work.served,
    region: candidate?.upstream.region ?? undefined,
    requests: summary?.parts?.length,
    upstream: candidate?.upstream.name ?? null,
    upstreamModel: candidate?.model ?? null,
    answeredBy: answeredBy(exchange),
    place:
      candidate === null || candidate !== lastCandidate || exchange.reason === null
        ? undefined
        : { credential: candidate.credential.name, reason: exchange.reason },
    status: ending.status,
    attempts: exchange.attempts,
    attemptUses: usesOf(exchange, ending, usage),
    firstByteMs: firstByteMs === null ? null : Math.round(firstByteMs - request.startedMs),
    totalMs: Math.round(exchange.clock.monotonicMs() - request.startedMs),
    errorCode,
    outputLimit,
    losses: exchange.losses.length === 0 ? undefined : lossTexts(exchange.losses),
    withoutOptions:
      candidate === null || requestsPricedOptions(request, candidate.protocol) ? undefined : true,
    raw,
    rawText: written,
    hostile: reported?.hostile.length ? reported.hostile : undefined,
    implausible: implausible.length === 0 ? undefined : implausible,
  };
}

/** A vendor's usage object as account holders may read it: without what its vendor knows us by. Written once, as it is recorded. */
function scrubbedRaw(raw: unknown, asked: Candidate | null): Pick<ReportedUse, "raw" | "rawText"> {
  if (raw === undefined || asked === null) return { raw };
  const text = rawText(raw);
  const written = [Buffer.from(text)];
  const scrubbed = openSecretFilter(sentSecrets(asked)).without(written);
  if (scrubbed === written) return { raw, rawText: text };
  const clean = Buffer.concat(scrubbed).toString();
  return { raw: JSON.parse(clean) as unknown, rawText: clean };
}

/** The body's service terms override its headers; of several joined responses only the shared terms count. */
function servedTerms(
  { tierInHead: tier }: Exchange,
  summary: ResponseSummary | undefined,
): ServiceTerms | undefined {
  if (summary === undefined || summary.parts !== undefined || tier === undefined) return summary?.served;
  return { tier, ...summary.served };
}

function reasonOf(
  { request, chargeEmptyAnswers }: Exchange,
  { reason, summary }: Pick<ExchangeEnd, "reason" | "summary">,
): ChargeReason {
  if (reason !== "completed" || summary === undefined) return reason;
  if (isUncounted(summary)) return "empty_answer";
  if (!chargeEmptyAnswers && isEmpty(request, summary)) return "empty_answer";
  return summary.usage === undefined ? "completed_usage_missing" : "completed";
}
