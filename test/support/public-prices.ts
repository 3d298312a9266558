import { calcPrice, findProvider, type ModelInfo, type ModelPrice } from "@pydantic/genai-prices";
import { formatRange } from "../../src/catalog/price-table.ts";

/** A model of the public list with its price as the catalog file writes it, or why it cannot. */
export interface PublicModel {
  readonly vendor: string;
  readonly id: string;
  /** Of the list, at the moment that `LISTED_AT` says. */
  readonly listed: ModelPrice;
  readonly price: Readonly<Record<string, unknown>> | undefined;
  /** Why there is none. */
  readonly reason: string;
  /** Moments at which its price differs, and the boundaries of input at which it does. */
  readonly moments: readonly Date[];
  readonly boundaries: readonly number[];
}

/** A day on which the list's dated prices hold that this release of it has. */
const LISTED_AT = new Date("2026-11-27T00:00:00Z");

/** Prices of tokens: the list's name, and the keys of the catalog file. */
export const TOKEN_KEYS: Readonly<Record<string, readonly [string, string?]>> = {
  input_mtok: ["input"],
  output_mtok: ["output"],
  output_reasoning_mtok: ["reasoning"],
  cache_read_mtok: ["cache_read"],
  cache_write_mtok: ["cache_write"],
  cache_write_1h_mtok: ["cache_write_1h"],
  input_audio_mtok: ["audio", "input"],
  cache_audio_read_mtok: ["audio", "cache_read"],
  output_audio_mtok: ["audio", "output"],
  input_image_mtok: ["image", "input"],
  cache_image_read_mtok: ["image", "cache_read"],
  output_image_mtok: ["image", "output"],
  input_video_mtok: ["video", "input"],
  output_video_mtok: ["video", "output"],
};

/** Prices of a thousand uses of a tool. */
export const CALL_KEYS: Readonly<Record<string, string>> = {
  web_searches_kcount: "web_search",
  storage_searches_kcount: "file_search",
};

/** What speech and OCR are sold by, whose models stand apart. */
const OTHER_TRADES = /^(audio_hours|input_audio_hours|input_(annotated_)?document_kpages)$/;

/** Every text model of these vendors that the list has a price for. */
export function publicModels(vendors: readonly string[]): PublicModel[] {
  return vendors.flatMap((vendor) => {
    const models = findProvider({ providerId: vendor })?.models ?? [];
    return models.flatMap((model) => describeModel(vendor, model) ?? []);
  });
}

function describeModel(vendor: string, model: ModelInfo): PublicModel | undefined {
  const ranges = timesOf(model);
  const outside = minutesOutside(ranges);
  const listed = priceAt(vendor, model.id, momentOf(outside ?? 0));
  if (listed === undefined || Object.keys(listed).some((key) => OTHER_TRADES.test(key))) return undefined;
  const boundaries = boundariesOf(listed);
  const moments = [momentOf(outside ?? 0), ...ranges.map(({ from }) => momentOf(from))];
  const common = { vendor, id: model.id, listed, moments, boundaries };
  try {
    const hours = ranges.map((range, index) => ({
      name: `hours ${index + 1}`,
      utc: [formatRange(range)],
      factor: ratioOf(listed, priceAt(vendor, model.id, momentOf(range.from)) ?? {}),
    }));
    const price = { ...spell(listed, boundaries), ...(hours.length > 0 && { hours }) };
    return { ...common, price, reason: "" };
  } catch (error) {
    return { ...common, price: undefined, reason: error instanceof Error ? error.message : String(error) };
  }
}

function priceAt(vendor: string, id: string, timestamp: Date): ModelPrice | undefined {
  return calcPrice({ input_tokens: 0 }, id, { providerId: vendor, timestamp })?.model_price;
}

interface Range {
  readonly from: number;
  readonly until: number;
}

/** Times of day at which the list has another price, in minutes of UTC. */
function timesOf({ prices }: ModelInfo): Range[] {
  if (!Array.isArray(prices)) return [];
  const minutes = (time: string): number => {
    const [hour = 0, minute = 0] = time.split(":").map(Number.parseFloat);
    return hour * 60 + minute;
  };
  return prices.flatMap(({ constraint }) =>
    constraint?.type === "time_of_date"
      ? [{ from: minutes(constraint.start_time), until: minutes(constraint.end_time) }]
      : [],
  );
}

function minutesOutside(ranges: readonly Range[]): number | undefined {
  return ranges
    .map(({ until }) => until)
    .find((minute) => !ranges.some(({ from, until }) => minute >= from && minute < until));
}

function momentOf(minute: number): Date {
  return new Date(LISTED_AT.getTime() + minute * 60_000);
}

/** The one factor between two prices. Throws where there is none. */
function ratioOf(plain: ModelPrice, other: ModelPrice): string {
  const ratios = Object.keys(plain).map((key) => Number(other[key]) / Number(plain[key]));
  const [first = Number.NaN] = ratios;
  if (!ratios.every((ratio) => Math.abs(ratio - first) < 1e-9))
    throw new Error("its prices at other hours have no one factor");
  return decimal(first, 6);
}

function boundariesOf(listed: ModelPrice): number[] {
  const starts = Object.values(listed).flatMap((rate) =>
    typeof rate === "object" ? rate.tiers.map(({ start }) => start) : [],
  );
  return [...new Set(starts)].sort((a, b) => a - b);
}

function spell(listed: ModelPrice, boundaries: readonly number[]): Record<string, unknown> {
  // Nothing is charged for it at all.
  if (Object.keys(listed).length === 0) return { input: "0", output: "0" };
  const calls: Record<string, string> = {};
  let request: string | undefined;
  for (const [key, rate] of Object.entries(listed)) {
    const tool = CALL_KEYS[key];
    if (tool !== undefined) calls[tool] = decimal(Number(rate) / 1_000, 9);
    else if (key === "requests_kcount") request = decimal(Number(rate) / 1_000, 9);
    else if (TOKEN_KEYS[key] === undefined) throw new Error(`it is priced by ${key}`);
  }
  return {
    ...rowAt(listed, 0),
    ...(boundaries.length > 0 && {
      steps: boundaries.map((above) => ({ above, ...rowAt(listed, above + 1) })),
    }),
    ...(Object.keys(calls).length > 0 && { calls }),
    ...(request !== undefined && { request }),
  };
}

function rowAt(listed: ModelPrice, input: number): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const [key, [outer, inner]] of Object.entries(TOKEN_KEYS)) {
    const rate = listed[key];
    if (rate === undefined) continue;
    const plain =
      typeof rate === "number"
        ? rate
        : (rate.tiers.findLast(({ start }) => input > start)?.price ?? rate.base);
    const usd = decimal(plain, 9);
    row[outer] = inner === undefined ? usd : { ...(row[outer] as object | undefined), [inner]: usd };
  }
  return row;
}

/** A number as a person wrote it. Throws where it has more places than the catalog keeps. */
function decimal(value: number, places: number): string {
  const text = value.toFixed(places);
  if (Math.abs(Number(text) - value) > 1e-12) throw new Error(`${value} has more than ${places} places`);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}
