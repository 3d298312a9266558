import { assert } from "../../base/assert.ts";
import { divideHalfUp, type Nanos, PPM } from "../../base/money.ts";
import { type CallPrice, type PriceTable, rowsOf, type WholeRow } from "../../catalog/price-table.ts";
import { sideOf, TOKEN_PRICE_NAMES, type TokenPriceName, tokenPrice } from "../../catalog/token-prices.ts";
import {
  type CallCount,
  type PassUsage,
  PRICED_BUCKETS,
  PRICED_UNITS,
  type PricedBucket,
  type PricedUnit,
  type PricedUsage,
} from "../../usage/priced-usage.ts";
import { MAX_TOKENS_REPORTED } from "../../usage/usage.ts";

/** What a request was served with, in the table's words. */
export interface PriceTerms {
  /** Absent = plain service. One that the table lacks is charged at its dearest row. */
  readonly tier?: string | undefined;
  readonly speed?: string | undefined;
  readonly region?: string | undefined;
  /** The name of the table's hours that held when the request was accepted; absent = none. */
  readonly hours?: string | undefined;
  /** Of the account's group. */
  readonly factorPpm: bigint;
}

/** Factors on tokens, in parts per million; one that is absent is 1. */
export interface TokenFactors {
  readonly tier?: bigint;
  readonly speed?: bigint;
  readonly region?: bigint;
  readonly hours?: bigint;
}

/** Tokens of one bucket in one pass. */
export interface TokenPriceLine {
  readonly kind: "tokens";
  /** From 0. */
  readonly pass: number;
  readonly bucket: PricedBucket;
  readonly tokens: number;
  /** The row that was taken, by its name in `WholeRow`. */
  readonly row: string;
  readonly nanosPerMillion: bigint;
  readonly factors: TokenFactors;
  readonly exact: bigint;
}

/** Uses, units, or the request itself, which factors on tokens do not touch. */
export interface CountPriceLine {
  readonly kind: "call" | "unit" | "request";
  /** The tool, with its size behind a blank, or the unit. */
  readonly name: string;
  readonly count: number;
  readonly nanosEach: bigint;
  readonly exact: bigint;
}

export type PriceLine = TokenPriceLine | CountPriceLine;

export interface PricedCharge {
  /** `exact` of a line is in 1 / EXACT_PER_NANO nanos, before the group's factor. Those of a reported 0 are there too. */
  readonly lines: readonly PriceLine[];
  /** Of the lines; times the group's factor and rounded once, half up, it is the charge. */
  readonly sum: bigint;
  readonly chargeNanos: Nanos;
  /** What came and has no price in the table, such as "tier turbo" or "audioInput". [] = all has one. */
  readonly unpriced: readonly string[];
}

/** Rates count millionths of a nano, and each of the four factors on tokens millionths of that. */
export const EXACT_PER_NANO = PPM ** 5n;

/**
 * What a request costs by a price table. Each pass takes the row of the highest step that its input exceeds, or the row of the
 * tier; tier, speed, region and hours are factors on tokens alone, the group's on everything. What has no price is charged
 * at the dearest that the table has for its like, and named.
 */
export function price(table: PriceTable, usage: PricedUsage, terms: PriceTerms): PricedCharge {
  const unpriced = new Set<string>();
  const rows = candidates(table, terms, unpriced);
  const lines = [
    ...usage.passes.flatMap((pass, index) => tokenLines(pass, index, rows, unpriced)),
    ...callLines(table, usage.calls ?? [], unpriced),
    ...unitLines(table, usage.units ?? {}, unpriced),
    ...(table.request === 0n ? [] : [countLine("request", "request", 1, table.request)]),
  ];
  const sum = lines.reduce((total, { exact }) => total + exact, 0n);
  return { lines, sum, chargeNanos: roundedExact(sum, terms.factorPpm), unpriced: [...unpriced] };
}

/** An exact sum times the group's factor, in nanos, rounded once. */
function roundedExact(exact: bigint, factorPpm: bigint): Nanos {
  assert(exact >= 0n && factorPpm >= 0n, "a price or a factor is negative");
  return divideHalfUp(exact * factorPpm, EXACT_PER_NANO * PPM);
}

/** A row with the factors on it. */
interface Candidate {
  readonly row: WholeRow;
  readonly above: number;
  readonly factors: TokenFactors;
  /** Of all four factors, each in parts per million. */
  readonly product: bigint;
}

interface Candidates {
  /** One for each length of the input, by rising `above`; undefined where the tier has no price. */
  readonly byLength: readonly Candidate[] | undefined;
  /** All that the table has, of any tier and length. */
  readonly all: readonly Candidate[];
}

function candidates(table: PriceTable, terms: PriceTerms, unpriced: Set<string>): Candidates {
  const { steps, tiers } = rowsOf(table.base, table);
  const shared = sharedFactors(table, terms, unpriced);
  const withFactors = (row: WholeRow, above: number, tier?: bigint): Candidate => {
    const factors = tier === undefined ? shared : { tier, ...shared };
    return { row, above, factors, product: productOf(factors) };
  };
  const ofSteps = (tier?: bigint) => steps.map((row) => withFactors(row, row.above, tier));
  const ofTier = (name: string): readonly Candidate[] | undefined => {
    const tier = Object.hasOwn(table.tiers, name) ? table.tiers[name] : undefined;
    if (tier === undefined) return undefined;
    if ("factor" in tier) return ofSteps(tier.factor);
    const row = tiers.get(name);
    return row && [withFactors(row, -1)];
  };
  const byLength = terms.tier === undefined ? ofSteps() : ofTier(terms.tier);
  if (byLength === undefined) unpriced.add(`tier ${terms.tier}`);
  return {
    byLength,
    all: [...ofSteps(), ...Object.keys(table.tiers).flatMap((tier) => ofTier(tier) ?? [])],
  };
}

function sharedFactors(table: PriceTable, terms: PriceTerms, unpriced: Set<string>): TokenFactors {
  const speed = factorOf("speed", table.speeds, terms.speed, unpriced);
  const region = factorOf("region", table.regions, terms.region, unpriced);
  const hours =
    terms.hours === undefined ? undefined : table.hours.find(({ name }) => name === terms.hours)?.factor;
  return {
    ...(speed !== undefined && { speed }),
    ...(region !== undefined && { region }),
    ...(hours !== undefined && { hours }),
  };
}

/** Of a word that the table lacks, the largest that it has, if that is above 1. */
function factorOf(
  dimension: "speed" | "region",
  factors: Readonly<Record<string, bigint>>,
  word: string | undefined,
  unpriced: Set<string>,
): bigint | undefined {
  if (word === undefined) return undefined;
  if (Object.hasOwn(factors, word)) return factors[word];
  unpriced.add(`${dimension} ${word}`);
  return Object.values(factors).reduce((largest, factor) => (factor > largest ? factor : largest), PPM);
}

function productOf({ tier = PPM, speed = PPM, region = PPM, hours = PPM }: TokenFactors): bigint {
  return tier * speed * region * hours;
}

function tokenLines(
  pass: PassUsage,
  index: number,
  { byLength, all }: Candidates,
  unpriced: Set<string>,
): TokenPriceLine[] {
  const input = inputOf(pass);
  const taken = byLength?.findLast(({ above }) => input > above) ?? byLength?.[0];
  return PRICED_BUCKETS.flatMap((bucket) => {
    const tokens = pass[bucket];
    if (tokens === undefined) return [];
    const name = PRICE_OF[bucket];
    const rate = taken && tokenPrice(taken.row.prices, name);
    if (taken !== undefined && rate === undefined) unpriced.add(bucket);
    const { from, nanosPerMillion } =
      taken === undefined || rate === undefined
        ? dearestOf(all, name)
        : { from: taken, nanosPerMillion: rate };
    const { row, factors, product } = from;
    const exact = countOf(bucket, tokens) * nanosPerMillion * product;
    return [{ kind: "tokens", pass: index, bucket, tokens, row: row.name, nanosPerMillion, factors, exact }];
  });
}

/** What each bucket is priced by. */
export const PRICE_OF = {
  inputUncached: "input",
  cacheRead: "cacheRead",
  cacheReadExplicit: "cacheReadExplicit",
  cacheWrite5m: "cacheWrite",
  cacheWrite30m: "cacheWrite30m",
  cacheWrite1h: "cacheWrite1h",
  cacheWrite12h: "cacheWrite12h",
  outputVisible: "output",
  outputReasoning: "reasoning",
  audioInput: "audioInput",
  audioCacheRead: "audioCacheRead",
  audioOutput: "audioOutput",
  imageInput: "imageInput",
  imageCacheRead: "imageCacheRead",
  imageOutput: "imageOutput",
  videoInput: "videoInput",
  videoCacheRead: "videoCacheRead",
  videoOutput: "videoOutput",
} as const satisfies Readonly<Record<PricedBucket, TokenPriceName>>;

const INPUT_BUCKETS = PRICED_BUCKETS.filter((bucket) => sideOf(PRICE_OF[bucket]) === "input");

/** All input of a pass, cached or not. */
function inputOf(pass: PassUsage): number {
  let tokens = 0;
  for (const bucket of INPUT_BUCKETS) tokens += pass[bucket] ?? 0;
  return tokens;
}

interface Dearest {
  readonly from: Candidate;
  readonly nanosPerMillion: bigint;
}

/** The dearest price of such tokens in any row; where none has one, the dearest of all that go the same way. */
function dearestOf(all: readonly Candidate[], name: TokenPriceName): Dearest {
  const alike = TOKEN_PRICE_NAMES.filter((other) => sideOf(other) === sideOf(name));
  const priced = (names: readonly TokenPriceName[]): Dearest[] =>
    all.flatMap((from) =>
      names.flatMap((each) => {
        const nanosPerMillion = tokenPrice(from.row.prices, each);
        return nanosPerMillion === undefined ? [] : [{ from, nanosPerMillion }];
      }),
    );
  const own = priced([name]);
  const [first] = all;
  assert(first, "a table has a base row");
  return (own.length > 0 ? own : priced(alike)).reduce(
    (dearest, each) =>
      each.nanosPerMillion * each.from.product > dearest.nanosPerMillion * dearest.from.product
        ? each
        : dearest,
    { from: first, nanosPerMillion: 0n },
  );
}

function callLines(
  { calls }: PriceTable,
  counts: readonly CallCount[],
  unpriced: Set<string>,
): CountPriceLine[] {
  return counts.map(({ tool, size, count }) => {
    const name = size === undefined ? tool : `${tool} ${size}`;
    const terms = Object.hasOwn(calls, tool) ? calls[tool] : undefined;
    const nanos = terms && nanosOfCall(terms, size);
    if (nanos === undefined) unpriced.add(`call ${name}`);
    const counted = terms?.per === "request" ? Math.min(count, 1) : count;
    return countLine("call", name, counted, nanos ?? dearestCall(terms ? [terms] : Object.values(calls)));
  });
}

/** undefined = of a size that has no price. A size that nobody states does not matter where all cost the same. */
function nanosOfCall(terms: CallPrice, size: string | undefined): bigint | undefined {
  if ("nanos" in terms) return terms.nanos;
  return size !== undefined && Object.hasOwn(terms.sizes, size) ? terms.sizes[size] : undefined;
}

function dearestCall(prices: readonly CallPrice[]): bigint {
  const all = prices.flatMap((terms) => ("nanos" in terms ? [terms.nanos] : Object.values(terms.sizes)));
  return all.reduce((dearest, nanos) => (nanos > dearest ? nanos : dearest), 0n);
}

/** A unit without a price costs nothing and is named: no other unit says what it could cost. */
function unitLines(
  { units }: PriceTable,
  counts: Readonly<Partial<Record<PricedUnit, number>>>,
  unpriced: Set<string>,
): CountPriceLine[] {
  return PRICED_UNITS.flatMap((unit) => {
    const count = counts[unit];
    if (count === undefined) return [];
    if (units[unit] === undefined) unpriced.add(`unit ${unit}`);
    return [countLine("unit", unit, count, units[unit] ?? 0n)];
  });
}

function countLine(
  kind: CountPriceLine["kind"],
  name: string,
  count: number,
  nanosEach: bigint,
): CountPriceLine {
  return { kind, name, count, nanosEach, exact: countOf(name, count) * nanosEach * EXACT_PER_NANO };
}

/** Usage was cleaned where it was read; a hostile number that came this far is a bug, not a charge. */
function countOf(name: string, count: number): bigint {
  assert(
    Number.isSafeInteger(count) && count >= 0 && count <= MAX_TOKENS_REPORTED,
    `${name} is ${count}, which is no count`,
  );
  return BigInt(count);
}
