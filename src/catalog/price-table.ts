import type { BilledUnit } from "../usage/usage.ts";
import { TOKEN_PRICE_NAMES, type TokenPrices } from "./token-prices.ts";

/**
 * The price of a text model in every dimension in which vendors bill. Amounts are nanos: per 1,000,000 tokens in rows
 * of token prices, otherwise per unit. Factors are parts per million. `tableProblems` lists what is wrong with a table.
 */
export interface PriceTable extends PriceDimensions {
  /** Applies if no step and no tier does. */
  readonly base: TokenPrices;
}

/** A table without its base row. */
export interface PriceDimensions {
  /** Sorted by `above`. */
  readonly steps: readonly PriceStep[];
  /** Keyed by the tier in which the request was served. */
  readonly tiers: Readonly<Record<string, PriceTier>>;
  readonly speeds: Readonly<Record<string, bigint>>;
  readonly regions: Readonly<Record<string, bigint>>;
  readonly hours: readonly PriceHours[];
  readonly calls: Readonly<Record<string, CallPrice>>;
  readonly units: Readonly<Partial<Record<BilledUnit, bigint>>>;
  /** Price of each request. */
  readonly request: bigint;
}

/** Dimensions of a table that has only a base row. */
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

/**
 * Applies if all input of a pass, cached or not, exceeds `above` tokens. Prices that it leaves out are those of the row
 * beneath.
 */
export interface PriceStep {
  readonly above: number;
  readonly prices: TokenPrices;
}

/**
 * Either a factor on the row that applies to the input, or a row that replaces all rows. Prices that the row leaves out
 * are those of the base row.
 */
export type PriceTier = { readonly factor: bigint } | { readonly prices: TokenPrices };

/** Factor on requests that are accepted at these times of the day, in UTC. */
export interface PriceHours {
  readonly name: string;
  readonly ranges: readonly MinuteRange[];
  /** Weekdays on which a range begins, 1 = Monday to 7 = Sunday; absent = every day. */
  readonly days?: readonly number[];
  readonly factor: bigint;
}

/**
 * Minutes of the day, from 0 to 1439. `until` is exclusive and at most 1440; if it is not above `from`, it is on the
 * next day.
 */
export interface MinuteRange {
  readonly from: number;
  readonly until: number;
}

/** Formats a range as the catalog file writes it: "16:30-00:30". */
export function formatRange({ from, until }: MinuteRange): string {
  const time = (minutes: number): string =>
    [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, "0")).join(":");
  return `${time(from)}-${time(until)}`;
}

/** Nanos for each use, by size if the tool has sizes; or for each request that uses the tool. */
export type CallPrice =
  | { readonly per: "use" | "request"; readonly nanos: bigint }
  | { readonly per: "use"; readonly sizes: Readonly<Record<string, bigint>> };

/** Sizes of a search, from small to large. */
export const SEARCH_SIZES = ["low", "medium", "high"] as const;

/** Sizes of calls that a price table can have, from small to large: searches, then containers by memory. */
export const CALL_SIZES = [...SEARCH_SIZES, "1g", "4g", "16g", "64g"] as const;

/** Sorts the sizes from small to large; a stored table has them in another order. */
export function bySize<T>(sizes: Readonly<Record<string, T>>): Record<string, T> {
  const rank = (size: string): number => (CALL_SIZES as readonly string[]).indexOf(size);
  return Object.fromEntries(Object.entries(sizes).sort(([one], [other]) => rank(one) - rank(other)));
}

/** A row in which every price is filled in from the row beneath. */
export interface WholeRow {
  /** Name of the row on receipts: "base", "above 272000", "tier priority". */
  readonly name: string;
  readonly prices: TokenPrices;
}

/** All rows of a table, each filled in from the row beneath. */
export interface TableRows {
  /** The base row, with -1 as `above`, and then the steps, sorted by `above`. */
  readonly steps: readonly (WholeRow & { readonly above: number })[];
  /** Tiers that have a row instead of a factor. */
  readonly tiers: ReadonlyMap<string, WholeRow>;
}

// A frozen price is shared by all requests for a model, so its rows are computed once.
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

/** Returns the hours of the table that apply at this moment, in milliseconds since 1970. */
export function hoursAt(hours: readonly PriceHours[], atMs: number): PriceHours | undefined {
  const minutes = Math.floor(atMs / MS_PER_MINUTE);
  const minute = minutes % MINUTES_PER_DAY;
  // 1 January 1970 was a Thursday, day 4 of the week.
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
  // A range over midnight belongs to the day on which it began.
  return (minute >= from && isOpen(day)) || (minute < until && isOpen(day === 1 ? DAYS : day - 1));
}

/** True if a row names the prices of all text, which makes it a complete row. */
export function namesText({ input, output }: TokenPrices): boolean {
  return input !== undefined || output !== undefined;
}

/** Returns the prices that `beneath` names and a complete row leaves out. */
export function namesMissing(beneath: TokenPrices, row: TokenPrices) {
  return TOKEN_PRICE_NAMES.filter((name) => beneath[name] !== undefined && row[name] === undefined);
}
