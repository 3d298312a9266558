import type { Caller } from "../accounts/caller.ts";
import type { Nanos } from "../base/money.ts";
import type { Endpoint, MediaRates, UpstreamCost } from "../catalog/catalog.ts";
import type { PriceDimensions, PriceHours } from "../catalog/price-table.ts";
import type { TokenPrices } from "../catalog/token-prices.ts";
import { GatewayError, type LimitName } from "../errors.ts";
import type { ServiceTerms } from "../usage/service-terms.ts";
import { type AskedPlace, type CountedWork, sumTokens, type TokenUsage } from "../usage/usage.ts";
import type { LedgerRef } from "./leases/ledger-ref.ts";
import type { Implausible } from "./pricing/usage-bound.ts";

/**
 * Takes and settles holds for requests of any kind. A hold is taken before anything is sent upstream and settled
 * exactly once. If the money is held by other requests, the request waits within the limits of `money-wait.ts`.
 */
export interface Billing<Order, Taken, Payer> {
  /**
   * Takes a hold; at once where that needs no waiting. Rejects (or throws) GatewayError: InsufficientFunds (403), balance_busy
   * (429, Retry-After), service_unavailable (503).
   */
  take(order: Order): Taken | Promise<Taken>;
  /** Rejects with GatewayError as `take` does where there is no money to take; undefined = there is. Takes nothing. */
  requireFunds(payer: Payer): Promise<void> | undefined;
}

/**
 * Billing of text requests, as `relay` uses it. The hot path makes no database call: money comes from the lease, records go to
 * the journal. A hold's begin record is written when the hold is taken; 503 = the last flush is stale or records cannot be
 * written. `requireFunds` answers at once if this process holds money of the account and of the key's limit; otherwise the
 * next flush asks the database.
 */
export interface TextBilling extends Billing<HoldOrder, OpenHold, Caller> {
  /** Says that a request is refused for what `take` rejected with, after which a smaller hold may have been tried. */
  refused(error: unknown): void;
}

/** A hold is larger than all the money there is, so that waiting is no help; a smaller one may fit. */
export class InsufficientFunds extends GatewayError {
  /** The total funds of the account, its budgets or its key, whichever are smallest, running holds included. */
  readonly fundsNanos: Nanos;
  /** The ledger that has these funds. */
  readonly ledger: LedgerRef;

  constructor(message: string, fundsNanos: Nanos, ledger: LedgerRef, limit: LimitName) {
    super("insufficient_user_quota", message, { limit });
    this.fundsNanos = fundsNanos;
    this.ledger = ledger;
  }
}

/** The price row and factor in force when the request was accepted; nothing later changes them. */
export interface FrozenPrice {
  readonly priceId: bigint;
  /** The base row. */
  readonly rates: TokenPrices;
  readonly factorPpm: bigint;
  /** Present if the price table has more than its base row. */
  readonly dimensions?: PriceDimensions | undefined;
  /** The requested tier, speed and region, in words that the price table has; absent = the standard ones. */
  readonly asked?: ServiceTerms | undefined;
  /**
   * Tiers in which its upstreams may serve it unasked, in words that the price table has; absent = none. The hold
   * covers them.
   */
  readonly unasked?: UnrequestedTerms | undefined;
  /** Tools that it offers the upstream to run, as the table's calls name them. */
  readonly tools?: readonly string[] | undefined;
  /** The sizes that it asks of those that run in several, by their names there; the dearest counts. Absent = it asks for none. */
  readonly sizes?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Fields with a fee that is charged once, unless the response counts their calls; also among the table's calls. */
  readonly fees?: readonly string[] | undefined;
  /** Calls that each response is billed for, whatever was asked and of whichever protocol, unless it counts them; also among the table's. */
  readonly unrequestedCalls?: readonly string[] | undefined;
  /** Those of the table's hours in which it was accepted. */
  readonly hours?: Pick<PriceHours, "name" | "factor"> | undefined;
}

/** Terms with which upstreams may serve a request that doesn't ask for them. */
export interface UnrequestedTerms {
  readonly tiers: readonly string[];
  readonly regions: readonly string[];
}

/** The frozen price of images and videos. */
export interface FrozenMediaPrice {
  readonly priceId: bigint;
  readonly rates: FrozenMediaRates;
  readonly factorPpm: bigint;
}

/** Prices of images and videos, and of the tokens that pay for an image where its vendor counts them; absent = none do. */
export interface FrozenMediaRates extends MediaRates {
  readonly tokens?: TokenPrices | undefined;
}

export interface HoldOrder {
  readonly requestId: string;
  readonly caller: Caller;
  readonly model: string;
  /** The requested name, if it is an alias of the model. */
  readonly askedModel?: string | undefined;
  readonly endpoint: Endpoint;
  readonly streamed: boolean;
  /** `key=value` by key; absent = none. */
  readonly tags?: readonly string[] | undefined;
  readonly price: FrozenPrice;
  readonly amountNanos: bigint;
  /** When it was accepted, in milliseconds since 1970, which decided its price; absent = when its hold is taken. */
  readonly acceptedMs?: number | undefined;
}

/** The tokens of all models that a response took. */
export function allTokens({
  usage,
  additionalUsage = [],
}: Pick<Outcome, "usage" | "additionalUsage">): TokenUsage {
  return additionalUsage.length === 0
    ? usage
    : sumTokens([usage, ...additionalUsage.map((other) => other.usage)]);
}

export interface OpenHold {
  /**
   * Await it before the upstream is called: resolved once the begin record has been handed to the operating
   * system, so that a request whose process dies is never unknown. All records of one turn of the event
   * loop share one write and one promise, so this costs a microtask. Rejects with GatewayError
   * service_unavailable (503) where records cannot be written; settle it then as any request that was not sent.
   */
  readonly begun: Promise<void>;
  /**
   * Resolves the hold: computes the charge, writes the end record, gives the rest back. Call exactly
   * once; a second call throws. Resolved when the record has been handed to the operating system, which
   * must be before the response's last byte is sent.
   */
  settle(outcome: Outcome): Promise<void>;
  /** The charge, 0 until the hold is settled. It never exceeds the hold, which grows if there is money. */
  chargeNanos(): bigint;
  /** The cost beyond the charge. */
  writtenOffNanos(): bigint;
  /** Items that were used without a price, as FrozenPrice names them; [] until the hold is settled. */
  unpriced(): readonly string[];
}

/** Why a request was charged as it was; see CHARGED_REASONS for which charge anything. */
export type ChargeReason =
  | "completed"
  | "completed_usage_missing"
  | "empty_answer"
  | "client_aborted"
  | "client_aborted_before_output"
  | "upstream_failed"
  | "upstream_failed_after_output"
  | "upstream_timeout"
  | "upstream_timeout_after_output"
  | "rejected"
  | "no_upstream"
  | "drained"
  | "interrupted";

/** For all other reasons nothing is charged, whatever the usage. */
export const CHARGED_REASONS: ReadonlySet<ChargeReason> = new Set([
  "completed",
  "completed_usage_missing",
  "client_aborted",
  "upstream_failed_after_output",
  "upstream_timeout_after_output",
  "drained",
]);

/** The usage of a model other than the requested one, with that model's price. */
export interface AdditionalUsage {
  /** The catalog's name of the model, or the vendor's if the catalog has none. */
  readonly model: string;
  readonly usage: TokenUsage;
  /** It worked beside the model that has served the response: the response's speed was not its own. */
  readonly isBeside?: true | undefined;
  /** It is the model of a tool: where calls of that have a price, they pay for it. */
  readonly tool?: string | undefined;
  /** It is one call of this tool: where calls of that have a price, it is paid beside the tokens. */
  readonly callOf?: string | undefined;
  /** The price when the request was accepted; undefined = the model has none. */
  readonly price: FrozenPrice | undefined;
}

/** The parts of a response that determine its price. */
export interface ServedUsage extends CountedWork {
  readonly usage: TokenUsage;
  /** Usage of additional models for the response; absent = none. */
  readonly additionalUsage?: readonly AdditionalUsage[] | undefined;
  /** Requests to the vendor that the usage is the sum of, each with the same input; absent = one, 0 = none was answered. */
  readonly requests?: number | undefined;
  /** The tier, speed and region that the vendor reports; absent = it reports none. */
  readonly served?: ServiceTerms | undefined;
  /** Region of the upstream that responded, which applies where the response names none; absent = no region. */
  readonly region?: string | undefined;
  /** Set where the upstream that responded was not asked for tools, tiers and the like. */
  readonly withoutOptions?: true | undefined;
}

/** The usage together with the vendor's own usage object. */
export interface ReportedUse extends ServedUsage {
  /** The vendor's usage object as sent. */
  readonly raw?: unknown;
  /** The usage object as recorded JSON; absent = it isn't written yet. */
  readonly rawText?: string | undefined;
}

/** The usage of one attempt at its vendor, whether or not it is charged. */
export interface AttemptUse {
  readonly upstream: string;
  readonly upstreamModel: string;
  readonly credential: string;
  /** The upstream's prices when the request was accepted; null = the model's list price. */
  readonly cost: UpstreamCost | null;
  /**
   * "charged": what the outcome says. "nothing": the vendor has heard nothing of it or has refused it. "unknown": the vendor
   * may bill it and has not said what it used.
   */
  readonly used: "charged" | "nothing" | "unknown" | ReportedUse;
  /** The model that it was asked for; absent = that of the request. */
  readonly priced?: PricedModel | undefined;
}

/** A model with its price, as it was when the request was accepted. */
export interface PricedModel {
  readonly model: string;
  readonly price: FrozenPrice;
}

/** `usage` has the buckets to charge; {} charges nothing. */
export interface Outcome extends ReportedUse {
  readonly reason: ChargeReason;
  /** True where a bucket is our estimate and not the vendor's word. */
  readonly estimated: boolean;
  /** The usage of every attempt, in order; absent = a single attempt, which used what is charged, at the list price. */
  readonly attemptUses?: readonly AttemptUse[] | undefined;
  /** Impossible values that were ignored. */
  readonly hostile?: readonly string[] | undefined;
  readonly upstream: string | null;
  readonly upstreamModel: string | null;
  /** A fallback model that was asked in place of the request's, with which it is charged; absent = none was. */
  readonly answeredBy?: PricedModel | undefined;
  /** Absent = nobody was asked. */
  readonly place?: AskedPlace | undefined;
  /** The output limit that the gateway wrote into the request, where the caller stated none and the money covered no more. */
  readonly outputLimit?: number | undefined;
  /** Impossible counts that the vendor reported, which the usage replaces. */
  readonly implausible?: readonly Implausible[] | undefined;
  /** HTTP status the caller saw; 0 = gone before any. */
  readonly status: number;
  readonly errorCode?: string | undefined;
  readonly attempts: number;
  readonly firstByteMs: number | null;
  readonly totalMs: number;
  /** Fields that translation could not carry. */
  readonly losses?: readonly string[] | undefined;
}
