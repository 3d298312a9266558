import type { BilledUnit } from "../usage/usage.ts";
import { TOKEN_PRICE_NAMES, type TokenPrices } from "./token-prices.ts";

/**
 * The price of a text model in every dimension in which vendors bill. Amounts are nanos: per 1,000,000 tokens in rows of
 * token prices, else each. Factors are parts per million. `tableProblems` says what makes a table unsound.
 */
export interface PriceTable extends PriceDimensions {
  /** The row of a request that nothing else changes. */
  readonly base: TokenPrices;
}

/** A table without its base row. */
export interface PriceDimensions {
  /** By rising `above`. */
  readonly steps: readonly PriceStep[];
  /** By what the request was served with. */
  readonly tiers: Readonly<Record<string, PriceTier>>;
  readonly speeds: Readonly<Record<string, bigint>>;
  readonly regions: Readonly<Record<string, bigint>>;
  readonly hours: readonly PriceHours[];
  readonly calls: Readonly<Record<string, CallPrice>>;
  readonly units: Readonly<Partial<Record<BilledUnit, bigint>>>;
  /** For every request. */
  readonly request: bigint;
}

/** Nothing but the base row. */
export const NO_DIMENSIONS: PriceDimensions = Object.freeze({
  steps: [],
  tiers: {},
  speeds: {},
  regions: {},
  hours: [],
  calls: {},
  units: {},
  request: 0n,
});

/** Holds where all input of a pass, cached or not, is more than `above` tokens; what it does not name is as in the row beneath. */
export interface PriceStep {
  readonly above: number;
  readonly prices: TokenPrices;
}

/** A factor on the row that the input takes, or a row in place of all of them; what it does not name is as in the base row. */
export type PriceTier = { readonly factor: bigint } | { readonly prices: TokenPrices };

/** Factor for requests accepted at these times of the day, in UTC. */
export interface PriceHours {
  readonly name: string;
  readonly ranges: readonly MinuteRange[];
  /** Days of the week on which a range begins, 1 = Monday to 7 = Sunday; absent = every day. */
  readonly days?: readonly number[];
  readonly factor: bigint;
}

/** Minutes of the day, from 0 to 1439; `until` is exclusive, at most 1440, and on the next day where it is not above `from`. */
export interface MinuteRange {
  readonly from: number;
  readonly until: number;
}

/** As the catalog file writes it: "16:30-00:30". */
export function formatRange({ from, until }: MinuteRange): string {
  const time = (minutes: number): string =>
    [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, "0")).join(":");
  return `${time(from)}-${time(until)}`;
}

/** Nanos for each use, by size where there are sizes; or for a request that uses it at all. */
export type CallPrice =
  | { readonly per: "use" | "request"; readonly nanos: bigint }
  | { readonly per: "use"; readonly sizes: Readonly<Record<string, bigint>> };

/** The sizes of a search, from small to large. */
export const SEARCH_SIZES = ["low", "medium", "high"] as const;

/** The sizes of a call that a price table knows, from small to large: searches, then containers by memory. */
export const CALL_SIZES = [...SEARCH_SIZES, "1g", "4g", "16g", "64g"] as const;

/** By rising size: a stored table has them in an order of its own. */
export function bySize<T>(sizes: Readonly<Record<string, T>>): Record<string, T> {
  const rank = (size: string): number => (CALL_SIZES as readonly string[]).indexOf(size);
  return Object.fromEntries(Object.entries(sizes).sort(([one], [other]) => rank(one) - rank(other)));
}

/** A row of token prices with nothing left to look up beneath it. */
export interface WholeRow {
  /** What a receipt calls it: "base", "above 272000", "tier priority". */
  readonly name: string;
  readonly prices: TokenPrices;
}

/** Every row of a table with what it takes from the row beneath. */
export interface TableRows {
  /** The base row and then the steps, by rising `above`; the base row's is -1. */
  readonly steps: readonly (WholeRow & { readonly above: number })[];
  /** Tiers with a row of their own. */
  readonly tiers: ReadonlyMap<string, WholeRow>;
}

// Prices are frozen and shared by all requests for a model.
const known = new WeakMap<PriceDimensions, TableRows>();

export function rowsOf(base: TokenPrices, dimensions: PriceDimensions): TableRows {
  let rows = known.get(dimensions);
  if (rows?.steps[0]?.prices !== base) {
    rows = makeRows(base, dimensions);
    known.set(dimensions, rows);
  }
  return rows;
}

function makeRows(base: TokenPrices, { steps, tiers }: PriceDimensions): TableRows {
  const whole = [{ name: "base", above: -1, prices: base }];
  let prices = base;
  for (const step of steps) {
    prices = { ...prices, ...step.prices };
    whole.push({ name: `above ${step.above}`, above: step.above, prices });
  }
  const own = Object.entries(tiers).flatMap(([tier, terms]): [string, WholeRow][] =>
    "prices" in terms ? [[tier, { name: `tier ${tier}`, prices: { ...base, ...terms.prices } }]] : [],
  );
  return { steps: whole, tiers: new Map(own) };
}

/** Those of the table's hours that hold at this moment, in milliseconds since 1970. */
export function hoursAt(hours: readonly PriceHours[], atMs: number): PriceHours | undefined {
  const minutes = Math.floor(atMs / MS_PER_MINUTE);
  const minute = minutes % MINUTES_PER_DAY;
  // 1970 began on a Thursday, day 4 of the week.
  const day = ((Math.floor(minutes / MINUTES_PER_DAY) + 3) % DAYS) + 1;
  return hours.find((each) => each.ranges.some((range) => holds(each.days, range, day, minute)));
}

const MS_PER_MINUTE = 60_000;
export const MINUTES_PER_DAY = 1440;
const DAYS = 7;

function holds(
  days: readonly number[] | undefined,
  { from, until }: MinuteRange,
  day: number,
  minute: number,
) {
  const isOpen = (start: number): boolean => days === undefined || days.includes(start);
  if (from < until) return minute >= from && minute < until && isOpen(day);
  // Over midnight: what has begun yesterday belongs to yesterday.
  return (minute >= from && isOpen(day)) || (minute < until && isOpen(day === 1 ? DAYS : day - 1));
}

/** True if a row names the price of all text, and so says that it is a row of its own. */
export function namesText({ input, output }: TokenPrices): boolean {
  return input !== undefined || output !== undefined;
}

/** The prices that `beneath` names and a row of its own does not. */
export function namesMissing(beneath: TokenPrices, row: TokenPrices) {
  return TOKEN_PRICE_NAMES.filter((name) => beneath[name] !== undefined && row[name] === undefined);
}
