import type { ModelInfo, ModelPrice } from "@pydantic/genai-prices";
import type { CallPrice, MinuteRange, PriceHours } from "../catalog/price-table.ts";
import type { TokenPriceName, TokenPrices } from "../catalog/token-prices.ts";
import { boundaryOf } from "./boundaries.ts";
import { commonFactor, exactly, hoursOf, type Row, stepsOf, validTable } from "./join-price.ts";
import { type ListedPrice, listedPrice, NotExpressible } from "./list-entry.ts";

/** Prices per 1,000,000 tokens: the list's names and ours. */
const TOKEN_KEYS: Readonly<Record<string, TokenPriceName>> = {
  input_mtok: "input",
  output_mtok: "output",
  output_reasoning_mtok: "reasoning",
  cache_read_mtok: "cacheRead",
  cache_write_mtok: "cacheWrite",
  cache_write_1h_mtok: "cacheWrite1h",
  input_audio_mtok: "audioInput",
  cache_audio_read_mtok: "audioCacheRead",
  output_audio_mtok: "audioOutput",
  input_image_mtok: "imageInput",
  cache_image_read_mtok: "imageCacheRead",
  output_image_mtok: "imageOutput",
  input_video_mtok: "videoInput",
  output_video_mtok: "videoOutput",
};

/** Returns the tool that the list means. Google's search is not the tool that others call web search. */
export function toolOf(vendor: string, key: string): string | undefined {
  if (key === "storage_searches_kcount") return "file_search";
  if (key !== "web_searches_kcount") return undefined;
  return vendor === "google" ? "google_search" : "web_search";
}

/** Units by which speech and OCR are sold; such models are not text models. */
const OTHER_TRADES = /^(audio_hours|input_audio_hours|input_(annotated_)?document_kpages)$/;

/** A model whose price is in the list. */
export interface ListedModel {
  readonly vendor: string;
  readonly prices: ModelInfo["prices"];
  /** Lets the list choose among prices by date and hour. */
  priceAt(at: Date): ModelPrice | undefined;
}

/** True if it is a text model with a price. `day` is midnight of the day whose prices are wanted. */
export function isTextModel({ priceAt }: ListedModel, day: Date): boolean {
  const price = priceAt(day);
  return price !== undefined && !Object.keys(price).some((key) => OTHER_TRADES.test(key));
}

/**
 * Returns the price in force on this day. A number without steps applies to input of any length, as in the list's own
 * computation.
 */
export function readGenaiPrice(model: ListedModel, day: Date): ListedPrice {
  return listedPrice(() => {
    const ranges = rangesOf(model.prices);
    const plain = model.priceAt(minuteOf(day, plainMinute(ranges))) ?? {};
    const table = validTable({
      ...readRows(model.vendor, plain),
      ...readOthers(model.vendor, plain),
      hours: readHours(model, plain, { day, ranges }),
    });
    return { table, leftOut: [] };
  });
}

/** Times of day at which another price applies. */
export function rangesOf(prices: ModelInfo["prices"]): MinuteRange[] {
  if (!Array.isArray(prices)) return [];
  return prices.flatMap(({ constraint }) =>
    constraint?.type === "time_of_date"
      ? [{ from: minutes(constraint.start_time), until: minutes(constraint.end_time) }]
      : [],
  );
}

function minutes(time: string): number {
  const written = /^(\d\d):(\d\d):00(?:\.0+)?Z$/.exec(time);
  if (written === null)
    throw new NotExpressible(`its price changes at ${time}, which is no whole minute in UTC`);
  return Number(written[1]) * 60 + Number(written[2]);
}

/** Returns a minute of the day that is in none of the ranges. */
export function plainMinute(ranges: readonly MinuteRange[]): number {
  const isIn = (minute: number, { from, until }: MinuteRange): boolean =>
    from < until ? minute >= from && minute < until : minute >= from || minute < until;
  const ends = ranges.map(({ until }) => until);
  const plain = [...ends, 0].find((minute) => !ranges.some((range) => isIn(minute, range)));
  if (plain === undefined) throw new NotExpressible("it has another price at every hour");
  return plain;
}

export function minuteOf(day: Date, minute: number): Date {
  return new Date(day.getTime() + minute * 60_000);
}

function readHours(
  { priceAt, vendor }: ListedModel,
  plain: ModelPrice,
  { day, ranges }: { readonly day: Date; readonly ranges: readonly MinuteRange[] },
): PriceHours[] {
  const rows = readRows(vendor, plain);
  const hours = ranges.map((range) => {
    const other = priceAt(minuteOf(day, range.from)) ?? {};
    const others = readRows(vendor, other);
    const factors = [
      commonFactor(rows.base, others.base),
      ...rows.steps.map(({ above, prices }) => {
        const step = others.steps.find((each) => each.above === above);
        return step && commonFactor(prices, step.prices);
      }),
    ];
    const [factor] = factors;
    const isSame = factors.every((each) => each === factor) && others.steps.length === rows.steps.length;
    const isBeside = Object.keys(other).every(
      (key) => TOKEN_KEYS[key] !== undefined || other[key] === plain[key],
    );
    if (factor === undefined || !isSame || !isBeside)
      throw new NotExpressible("its prices at other hours have no one factor");
    return { ranges: [range], factor };
  });
  return hoursOf(hours);
}

function readRows(vendor: string, price: ModelPrice) {
  // The model is free of charge.
  if (Object.keys(price).length === 0) return { base: { input: 0n, output: 0n }, steps: [] };
  const boundaries = new Map<number, number>();
  for (const rate of Object.values(price)) {
    if (typeof rate !== "object") continue;
    for (const { start } of rate.tiers) {
      const above = boundaryOf(vendor, start);
      boundaries.set(above, Math.max(start, boundaries.get(above) ?? 0));
    }
  }
  const steps = Array.from(boundaries, ([above, start]) => [above, rowAt(price, start + 1)] as const);
  return { base: rowAt(price, 0), steps: stepsOf(steps) };
}

/**
 * Prices of tokens in a request with this many input tokens. The shortest text of a double is the number that its
 * author wrote.
 */
function rowAt(price: ModelPrice, input: number): TokenPrices {
  const row: Row = {};
  for (const [key, name] of Object.entries(TOKEN_KEYS)) {
    const rate = price[key];
    if (rate === undefined) continue;
    const plain =
      typeof rate === "number"
        ? rate
        : (rate.tiers.findLast(({ start }) => input > start)?.price ?? rate.base);
    row[name] = exactly(key, String(plain), 9);
  }
  return row;
}

function readOthers(vendor: string, price: ModelPrice) {
  const calls: Record<string, CallPrice> = {};
  let request = 0n;
  for (const [key, rate] of Object.entries(price)) {
    if (rate === undefined || TOKEN_KEYS[key] !== undefined) continue;
    const tool = toolOf(vendor, key);
    // Dollars per thousand uses are as many nanos per use as millionths.
    if (tool !== undefined) calls[tool] = { per: "use", nanos: flat(key, rate) };
    else if (key === "requests_kcount") request = flat(key, rate);
    else throw new NotExpressible(`it is priced by ${key}`);
  }
  return { calls, request };
}

function flat(key: string, rate: NonNullable<ModelPrice[string]>): bigint {
  if (typeof rate !== "number") throw new NotExpressible(`${key} depends on the length of the input`);
  return exactly(key, String(rate), 6);
}
