import { appendAll } from "../../base/append-all.ts";
import { assert } from "../../base/assert.ts";
import { divideHalfUp, type Nanos, PPM } from "../../base/money.ts";
import {
  type CallPrice,
  type PriceTable,
  rowsOf,
  type TableRows,
  type WholeRow,
} from "../../catalog/price-table.ts";
import { sideOf, TOKEN_PRICE_NAMES, type TokenPriceName, tokenPrice } from "../../catalog/token-prices.ts";
import {
  findTerm,
  SERVICE_DIMENSIONS,
  type ServiceDimension,
  type ServiceTerms,
} from "../../usage/service-terms.ts";
import {
  BILLED_UNITS,
  type CallCount,
  type CountedWork,
  MAX_TOKENS_REPORTED,
  TOKEN_BUCKETS,
  type TokenBucket,
  type TokenUsage,
  totalInput,
  type UnitCounts,
} from "../../usage/usage.ts";
import { bucketName, PRICE_OF } from "./bucket-price.ts";

/** All that one request is charged for. */
export interface PricedUsage extends CountedWork {
  /** One, unless the vendor ran tools and says what each pass used: prices by length go by the input of one pass. */
  readonly passes: readonly TokenUsage[];
  /** Requests with the same input that each pass is the sum of; absent = one. */
  readonly requests?: number | undefined;
}

/**
 * The service terms of a request. An absent term is plain service; a term that the table lacks is charged at its highest
 * price.
 */
export interface PriceTerms extends ServiceTerms {
  /** A model that has no price, which the tokens are of: they are charged at the highest price of the table. */
  readonly unpricedModel?: string | undefined;
  /** The name of the table's hours that held when the request was accepted; absent = none. */
  readonly hours?: string | undefined;
  /** Factor of the account's group. */
  readonly factorPpm: bigint;
}

/** One of the terms that tokens were charged by. */
export interface AppliedTerm {
  readonly dimension: ServiceDimension | "hours";
  /** Name of the term in the price table, or the vendor's name if the table lacks it. */
  readonly name: string;
  /** On tokens, parts per million; absent = it has a row of its own. */
  readonly factorPpm?: bigint | undefined;
}

/** Tokens of one bucket in one pass. */
export interface TokenPriceLine {
  readonly kind: "tokens";
  /** Present if it isn't the requested model. */
  readonly model?: string;
  readonly bucket: TokenBucket;
  readonly tokens: number;
  /** The row that was taken, by its name in `WholeRow`. */
  readonly row: string;
  readonly nanosPerMillion: bigint;
  /** Product of the factors on tokens, over FACTOR_SCALE. */
  readonly factor: bigint;
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
  /** Sum of the lines; times the group's factor and rounded once, half up, it is the charge. */
  readonly sum: bigint;
  readonly chargeNanos: Nanos;
  /** The row that the first pass took. */
  readonly row: string;
  readonly terms: readonly AppliedTerm[];
  /** Reported terms and buckets without a price in the table, such as "tier turbo" or "audio_input". [] = none. */
  readonly unpriced: readonly string[];
}

/** The product of four factors on tokens, each in parts per million, counts so many to 1. */
export const FACTOR_SCALE = PPM ** 4n;

/** Rates count millionths of a nano, and the factors on tokens parts of that. */
export const EXACT_PER_NANO = PPM * FACTOR_SCALE;

/**
 * Computes the charge from a price table: the only place where usage becomes money. Each pass takes the row of the highest
 * step that its input exceeds, or the row of the tier. Tier, speed, region and hours are factors on tokens alone; the group's
 * factor applies to everything. An item without a price is charged at the table's highest price of its kind, and named.
 */
export function price(table: PriceTable, usage: PricedUsage, terms: PriceTerms): PricedCharge {
  const unpriced = new Set<string>();
  const unpricedTerms = new Set<string>();
  const { unpricedModel } = terms;
  if (unpricedModel !== undefined) unpriced.add(`model ${unpricedModel}`);
  const shared = sharedTerms(table, terms, unpricedTerms);
  const known = { table, rows: rowsOf(table.base, table), factor: productOf(shared) };
  const lines: PriceLine[] = [];
  let first: Candidate | undefined;
  for (const pass of usage.passes) {
    const taken = takenBy(pass, usage.requests ?? 1, known, terms);
    first ??= taken;
    tokenLines(pass, taken, known, lines, unpriced);
  }
  const hasTokens = lines.length > 0;
  if (usage.calls !== undefined) appendAll(lines, callLines(table, usage.calls, unpriced));
  if (usage.units !== undefined) appendAll(lines, unitLines(table, usage.units, unpriced));
  const { requests = 1 } = usage;
  if (table.request !== 0n && requests > 0)
    lines.push(countLine("request", "request", requests, table.request));
  const isPlainTier = terms.tier === undefined || unpricedModel !== undefined;
  const tier = isPlainTier ? [] : [tierTerm(table, terms.tier, first, unpricedTerms)];
  const sum = lines.reduce((total, { exact }) => total + exact, 0n);
  return {
    lines,
    sum,
    chargeNanos: roundedExact(sum, terms.factorPpm),
    row: first?.row.name ?? "base",
    terms: [...tier, ...shared],
    // Terms are of tokens alone: without any they ask for no price.
    unpriced: hasTokens ? [...unpricedTerms, ...unpriced] : [...unpriced],
  };
}

const EXACT_PER_CHARGE = EXACT_PER_NANO * PPM;

/** An exact sum times the group's factor, in nanos, rounded once. */
export function roundedExact(exact: bigint, factorPpm: bigint): Nanos {
  assert(exact >= 0n && factorPpm >= 0n, "a price or a factor is negative");
  return divideHalfUp(exact * factorPpm, EXACT_PER_CHARGE);
}

/** A row with the factors on it. */
interface Candidate {
  readonly row: WholeRow;
  /** Factor of the tier that leads to the row, if any. */
  readonly tierPpm: bigint | undefined;
  /** Product of all factors, over FACTOR_SCALE. */
  readonly factor: bigint;
}

/** A table with the factors that hold whatever row is taken. */
interface Shared {
  readonly table: PriceTable;
  readonly rows: TableRows;
  /** Over THREE_FACTORS, as the tier's is not in it. */
  readonly factor: bigint;
}

/** Speed, region and hours. */
function sharedTerms(
  { speeds, regions, hours }: PriceTable,
  terms: PriceTerms,
  unpriced: Set<string>,
): AppliedTerm[] {
  const shared: AppliedTerm[] = [];
  for (const dimension of SERVICE_DIMENSIONS) {
    const word = terms[dimension];
    if (dimension === "tier" || word === undefined) continue;
    const factors = dimension === "speed" ? speeds : regions;
    const name = findTerm(Object.keys(factors), word);
    if (name === undefined) unpriced.add(`${dimension} ${word}`);
    const factorPpm = name === undefined ? largest(Object.values(factors)) : (factors[name] ?? PPM);
    shared.push({ dimension, name: name ?? word, factorPpm });
  }
  const held = terms.hours === undefined ? undefined : hours.find(({ name }) => name === terms.hours);
  if (held !== undefined) shared.push({ dimension: "hours", name: held.name, factorPpm: held.factor });
  return shared;
}

/** The factor of a word that the table lacks: the table's largest, if that is above 1. */
function largest(factors: readonly bigint[]): bigint {
  return factors.reduce((most, factor) => (factor > most ? factor : most), PPM);
}

const THREE_FACTORS = PPM ** 3n;

/** Product of speed, region and hours, over THREE_FACTORS. */
function productOf(shared: readonly AppliedTerm[]): bigint {
  let product = THREE_FACTORS;
  for (const { factorPpm = PPM } of shared) product = (product * factorPpm) / PPM;
  return product;
}

/** The row that a pass takes; of a tier that the table lacks, or a model without a price, the one at which it costs most. */
function takenBy(
  pass: TokenUsage,
  requests: number,
  shared: Shared,
  { tier, unpricedModel }: PriceTerms,
): Candidate {
  const { table, rows } = shared;
  if (unpricedModel !== undefined) return highestFor(pass, shared);
  const input = totalInput(pass);
  const row = rows.steps.findLast(({ above }) => input > above * requests) ?? rows.steps[0];
  assert(row, "a table has a base row");
  if (tier === undefined) return candidate(row, undefined, shared);
  const name = findTerm(Object.keys(table.tiers), tier);
  return name === undefined ? highestFor(pass, shared) : ofTier(name, row, shared);
}

function highestFor(pass: TokenUsage, shared: Shared): Candidate {
  return everyCandidate(shared).reduce((highest, each) =>
    costIn(each, pass) > costIn(highest, pass) ? each : highest,
  );
}

function candidate(row: WholeRow, tierPpm: bigint | undefined, { factor }: Shared): Candidate {
  return { row, tierPpm, factor: factor * (tierPpm ?? PPM) };
}

/** Returns the row that a tier of the table makes of the input's row. */
function ofTier(name: string, row: WholeRow, shared: Shared): Candidate {
  const tier = shared.table.tiers[name];
  if (tier !== undefined && "factor" in tier) return candidate(row, tier.factor, shared);
  return candidate(shared.rows.tiers.get(name) ?? row, undefined, shared);
}

/** Each row of the table, plain and with each tier. */
function everyCandidate(shared: Shared): Candidate[] {
  const tiers = Object.keys(shared.table.tiers);
  return shared.rows.steps.flatMap((row) => [
    candidate(row, undefined, shared),
    ...tiers.map((tier) => ofTier(tier, row, shared)),
  ]);
}

function costIn({ row, factor }: Candidate, pass: TokenUsage): bigint {
  let cost = 0n;
  for (const bucket of TOKEN_BUCKETS)
    cost += BigInt(pass[bucket] ?? 0) * (tokenPrice(row.prices, PRICE_OF[bucket]) ?? 0n);
  return cost * factor;
}

function tierTerm(
  { tiers }: PriceTable,
  word: string,
  taken: Candidate | undefined,
  unpriced: Set<string>,
): AppliedTerm {
  const name = findTerm(Object.keys(tiers), word);
  if (name === undefined) unpriced.add(`tier ${word}`);
  const factorPpm = taken?.tierPpm;
  return { dimension: "tier", name: name ?? word, factorPpm };
}

function tokenLines(
  pass: TokenUsage,
  taken: Candidate,
  shared: Shared,
  lines: PriceLine[],
  unpriced: Set<string>,
): void {
  for (const bucket of TOKEN_BUCKETS) {
    const tokens = pass[bucket];
    if (tokens === undefined) continue;
    const name = PRICE_OF[bucket];
    let from = taken;
    let rate = tokenPrice(taken.row.prices, name);
    if (rate === undefined) {
      // A vendor that reports nothing of a kind needs no price for it: embeddings have no output.
      if (tokens > 0) unpriced.add(bucketName(bucket));
      ({ from, rate } = highestRateOf(everyCandidate(shared), name, taken));
    }
    const { row, factor } = from;
    const exact = countOf(bucket, tokens) * rate * factor;
    lines.push({ kind: "tokens", bucket, tokens, row: row.name, nanosPerMillion: rate, factor, exact });
  }
}

interface HighestRate {
  readonly from: Candidate;
  readonly rate: bigint;
}

/** The highest price of such tokens in any row; where none has one, the highest price of all that go the same way; else 0. */
function highestRateOf(all: readonly Candidate[], name: TokenPriceName, otherwise: Candidate): HighestRate {
  const alike = TOKEN_PRICE_NAMES.filter((other) => sideOf(other) === sideOf(name));
  const priced = (names: readonly TokenPriceName[]): HighestRate[] =>
    all.flatMap((from) =>
      names.flatMap((each) => {
        const rate = tokenPrice(from.row.prices, each);
        return rate === undefined ? [] : [{ from, rate }];
      }),
    );
  const own = priced([name]);
  return (own.length > 0 ? own : priced(alike)).reduce(
    (highest, each) => (each.rate * each.from.factor > highest.rate * highest.from.factor ? each : highest),
    { from: otherwise, rate: 0n },
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
    if (nanos === undefined && count > 0) unpriced.add(`call ${name}`);
    const counted = terms?.per === "request" ? Math.min(count, 1) : count;
    return countLine("call", name, counted, nanos ?? maxCallPrice(terms ? [terms] : Object.values(calls)));
  });
}

/** undefined = of a size that has no price. A size that nobody states does not matter where all cost the same. */
export function nanosOfCall(terms: CallPrice, size: string | undefined): bigint | undefined {
  if ("nanos" in terms) return terms.nanos;
  return size !== undefined && Object.hasOwn(terms.sizes, size) ? terms.sizes[size] : undefined;
}

/** Returns the most expensive of these sizes, or the first one without a price. */
export function highestSize(terms: CallPrice, sizes: readonly string[]): string {
  const priced = sizes.filter((size) => nanosOfCall(terms, size) !== undefined);
  return priced.reduce(
    (dearest, size) =>
      (nanosOfCall(terms, size) ?? 0n) > (nanosOfCall(terms, dearest) ?? 0n) ? size : dearest,
    priced[0] ?? sizes[0] ?? "",
  );
}

export function maxCallPrice(prices: readonly CallPrice[]): bigint {
  const all = prices.flatMap((terms) => ("nanos" in terms ? [terms.nanos] : Object.values(terms.sizes)));
  return all.reduce((highest, nanos) => (nanos > highest ? nanos : highest), 0n);
}

/** A unit without a price costs nothing and is named: no other unit says what it could cost. */
function unitLines({ units }: PriceTable, counts: UnitCounts, unpriced: Set<string>): CountPriceLine[] {
  return BILLED_UNITS.flatMap((unit) => {
    const count = counts[unit];
    if (count === undefined) return [];
    if (units[unit] === undefined && count > 0) unpriced.add(`unit ${unit}`);
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

/** The line at a share of its price; prices of a piece are whole nanos, rounded half up. */
export function scaledLine(line: PriceLine, factorPpm: bigint): PriceLine {
  if (factorPpm === PPM) return line;
  if (line.kind !== "tokens")
    return countLine(line.kind, line.name, line.count, divideHalfUp(line.nanosEach * factorPpm, PPM));
  const factor = divideHalfUp(line.factor * factorPpm, PPM);
  return { ...line, factor, exact: countOf(line.bucket, line.tokens) * line.nanosPerMillion * factor };
}

/** Usage was cleaned where it was read; a hostile number that came this far is a bug, not a charge. */
function countOf(name: string, count: number): bigint {
  assert(
    Number.isSafeInteger(count) && count >= 0 && count <= MAX_TOKENS_REPORTED,
    `${name} is ${count}, which is no count`,
  );
  return BigInt(count);
}
