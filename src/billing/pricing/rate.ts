import { assert } from "../../base/assert.ts";
import { divideHalfUp, type Nanos, PPM } from "../../base/money.ts";
import type { MediaRates } from "../../catalog/catalog.ts";
import { type TokenPrices, tokenPrice } from "../../catalog/token-prices.ts";
import {
  MAX_TOKENS_REPORTED,
  type MediaUnits,
  TOKEN_BUCKETS,
  type TokenBucket,
  type TokenUsage,
} from "../../usage/usage.ts";
import type { FrozenMediaPrice, FrozenPrice, PriceTerm } from "../billing.ts";
import { PRICE_OF } from "./price.ts";

/**
 * What a request costs: every bucket at its rate, times the group's factor, rounded once, half up. All
 * arithmetic is on whole numbers, so the same usage costs the same on every protocol and every machine.
 */
export function charge(usage: TokenUsage, price: FrozenPrice): Nanos {
  let microNanos = 0n;
  for (const bucket of TOKEN_BUCKETS) {
    const tokens = usage[bucket];
    if (tokens !== undefined) microNanos += tokenCount(bucket, tokens) * rateOf(price.rates, bucket);
  }
  const extras = extrasCost(price);
  if (price.terms === undefined) return roundedCost(microNanos + extras, price.factorPpm);
  return roundedCost(
    microNanos * termProduct(price.terms) + extras * TERM_SCALE,
    price.factorPpm,
    TERM_SCALE,
  );
}

/** The factors on tokens of a charge, each in parts per million and absent ones as 1: their product over TERM_SCALE. */
export function termProduct(terms: readonly PriceTerm[] = []): bigint {
  let product = TERM_SCALE;
  for (const { factorPpm = PPM } of terms) product = (product * factorPpm) / PPM;
  return product;
}

/** Room for a tier, a speed, a region and hours, so that dividing by PPM for each of them leaves nothing over. */
export const TERM_SCALE = PPM ** 4n;

/**
 * The one place where tokens become money: a sum of tokens x rate (rates are nanos per 1,000,000 tokens,
 * so the sum is in millionths of a nano, over `scale`), times the factor, in nanos.
 */
export function roundedCost(microNanos: bigint, factorPpm: bigint, scale = 1n): Nanos {
  assert(microNanos >= 0n && factorPpm >= 0n, "a price or a factor is negative");
  return divideHalfUp(microNanos * factorPpm, MICRO_NANOS_PER_NANO * PPM * scale);
}

/** The other way round: the most tokens at one rate that this much money is sure to cover. 0 where they cost nothing. */
export function tokensWithin(nanos: Nanos, rate: bigint, factorPpm: bigint): bigint {
  if (nanos <= 0n || rate * factorPpm === 0n) return 0n;
  return (nanos * MICRO_NANOS_PER_NANO * PPM) / (rate * factorPpm);
}

const MICRO_NANOS_PER_NANO = 1_000_000n;

/** The extra that every request pays for whose model has a price by the request; nobody has to ask for it. */
export const REQUEST_FEE = "request";

/** What the request pays beside its tokens, in millionths of a nano, before the factor. */
export function extrasCost({ extras }: FrozenPrice): bigint {
  if (extras === undefined) return 0n;
  return Object.values(extras).reduce((sum, nanos) => sum + nanos, 0n) * MICRO_NANOS_PER_NANO;
}

/** One line of a receipt: a bucket, its tokens and the rate they were charged at, before the factor. */
export interface ChargeLine {
  readonly bucket: TokenBucket;
  readonly tokens: number;
  readonly nanosPerMillion: bigint;
  /** tokens x nanosPerMillion x the factors on tokens, in millionths of a nano over TERM_SCALE: exact, so the lines add up. */
  readonly exact: bigint;
}

/**
 * The tokens' part of the same charge line by line: `roundedCost` of the sum of `exact` and of `extrasCost` x TERM_SCALE
 * is `charge`. Buckets that were not reported have no line; a reported 0 has one.
 */
export function itemise(usage: TokenUsage, price: FrozenPrice): ChargeLine[] {
  const product = termProduct(price.terms);
  return TOKEN_BUCKETS.flatMap((bucket) => {
    const tokens = usage[bucket];
    if (tokens === undefined) return [];
    const nanosPerMillion = rateOf(price.rates, bucket);
    const exact = tokenCount(bucket, tokens) * nanosPerMillion * product;
    return [{ bucket, tokens, nanosPerMillion, exact }];
  });
}

/** One line of a task's receipt: images of a tier or seconds of a resolution, each at its rate, before the factor. */
export interface MediaChargeLine {
  readonly unit: "image" | "second";
  /** The price book's word: "1k", "720p". */
  readonly word: string;
  readonly count: number;
  readonly nanosEach: bigint;
}

/** What images and seconds cost: count x rate, times the group's factor, rounded once, half up. Throws UnpricedError. */
export function mediaCharge(units: MediaUnits, price: FrozenMediaPrice): Nanos {
  const sum = itemiseMedia(units, price.rates).reduce((total, line) => total + mediaLineCost(line), 0n);
  return roundedCost(sum, price.factorPpm);
}

/** In millionths of a nano, as token lines are. */
export function mediaLineCost({ count, nanosEach }: MediaChargeLine): bigint {
  return BigInt(count) * nanosEach * MICRO_NANOS_PER_NANO;
}

/** The same charge line by line. Throws UnpricedError. */
export function itemiseMedia(units: MediaUnits, rates: MediaRates): MediaChargeLine[] {
  return [
    ...linesOf("image", units.images, rates.perImage),
    ...linesOf("second", units.videoSeconds, rates.perSecond),
  ];
}

/** A model has no price for a tier or a resolution. */
export class UnpricedError extends Error {
  override readonly name = "UnpricedError";
}

function linesOf(
  unit: MediaChargeLine["unit"],
  counts: Readonly<Record<string, number>> = {},
  rates: Readonly<Record<string, bigint>> = {},
): MediaChargeLine[] {
  return Object.entries(counts).map(([word, count]) => {
    const nanosEach = Object.hasOwn(rates, word) ? rates[word] : undefined;
    if (nanosEach === undefined) throw new UnpricedError(`there is no price for one ${unit} of ${word}`);
    assert(Number.isSafeInteger(count) && count >= 0, `${count} is no number of ${unit}s`);
    return { unit, word, count, nanosEach };
  });
}

/**
 * The rate of a bucket: its price, or the one that stands in for it (`tokenPrice`).
 * A model without an input or output price has none to pay in that direction (embeddings have no output).
 */
export function rateOf(rates: TokenPrices, bucket: TokenBucket): bigint {
  return tokenPrice(rates, PRICE_OF[bucket]) ?? 0n;
}

/** The dearest rate at which one input token can be charged; 1h writes count only where the request can ask for them. */
export function maxInputRate(rates: TokenPrices, mayWrite1h: boolean): bigint {
  const buckets: TokenBucket[] = ["inputUncached", "cacheRead", "cacheWrite5m"];
  if (mayWrite1h) buckets.push("cacheWrite1h");
  return dearest(rates, buckets);
}

/** The dearest rate at which one output token can be charged. */
export function maxOutputRate(rates: TokenPrices): bigint {
  return dearest(rates, ["outputVisible", "outputReasoning"]);
}

function dearest(rates: TokenPrices, buckets: readonly TokenBucket[]): bigint {
  return buckets.reduce((most, bucket) => {
    const rate = rateOf(rates, bucket);
    return rate > most ? rate : most;
  }, 0n);
}

/** Usage was cleaned where it was read; a hostile number that came this far is a bug, not a charge. */
function tokenCount(bucket: TokenBucket, tokens: number): bigint {
  assert(
    Number.isSafeInteger(tokens) && tokens >= 0 && tokens <= MAX_TOKENS_REPORTED,
    `${bucket} is ${tokens}, which is no token count`,
  );
  return BigInt(tokens);
}
