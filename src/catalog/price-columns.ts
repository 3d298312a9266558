import type { MediaRates, PriceRow, TokenRates } from "./catalog.ts";

/** A price as declared; the row that holds it gets an id. */
export type Price = Omit<PriceRow, "id">;

/** A price as its columns hold it; amounts in json are text, because a JSON number would lose digits. */
export interface PriceColumns {
  readonly input: bigint | null;
  readonly output: bigint | null;
  readonly reasoning: bigint | null;
  readonly cache_read: bigint | null;
  readonly cache_write_5m: bigint | null;
  readonly cache_write_1h: bigint | null;
  readonly extras: Readonly<Record<string, string>>;
  readonly media: {
    readonly perImage?: Readonly<Record<string, string>>;
    readonly perSecond?: Readonly<Record<string, string>>;
  };
}

export function readPrice(row: PriceColumns): Price {
  const { perImage, perSecond } = row.media;
  return {
    rates: readRates(row),
    extras: readAmounts(row.extras),
    media: {
      ...(perImage && { perImage: readAmounts(perImage) }),
      ...(perSecond && { perSecond: readAmounts(perSecond) }),
    },
  };
}

/** The names of the columns, in the order of priceValues. */
export const PRICE_COLUMNS = [
  "input",
  "output",
  "reasoning",
  "cache_read",
  "cache_write_5m",
  "cache_write_1h",
  "extras",
  "media",
] as const;

export function priceValues({ rates, extras, media }: Price): unknown[] {
  return [
    rates.input ?? null,
    rates.output ?? null,
    rates.reasoning ?? null,
    rates.cacheRead ?? null,
    rates.cacheWrite5m ?? null,
    rates.cacheWrite1h ?? null,
    JSON.stringify(amountsAsText(extras)),
    JSON.stringify(mediaAsText(media)),
  ];
}

/** Whether two prices are the same in every amount, however they were written. */
export function samePrice(one: Price, other: Price): boolean {
  const [a, b] = [priceValues(one), priceValues(other)];
  return a.every((value, index) => value === b[index]);
}

function readRates(row: PriceColumns): TokenRates {
  return {
    ...(row.input !== null && { input: row.input }),
    ...(row.output !== null && { output: row.output }),
    ...(row.reasoning !== null && { reasoning: row.reasoning }),
    ...(row.cache_read !== null && { cacheRead: row.cache_read }),
    ...(row.cache_write_5m !== null && { cacheWrite5m: row.cache_write_5m }),
    ...(row.cache_write_1h !== null && { cacheWrite1h: row.cache_write_1h }),
  };
}

function mediaAsText({ perImage, perSecond }: MediaRates): PriceColumns["media"] {
  return {
    ...(perImage && { perImage: amountsAsText(perImage) }),
    ...(perSecond && { perSecond: amountsAsText(perSecond) }),
  };
}

/** Sorted by name, so that equal prices are equal text. */
function amountsAsText(amounts: Readonly<Record<string, bigint>>): Record<string, string> {
  const names = Object.keys(amounts).sort();
  return Object.fromEntries(names.map((name) => [name, String(amounts[name])]));
}

function readAmounts(amounts: Readonly<Record<string, string>>): Record<string, bigint> {
  return Object.fromEntries(Object.entries(amounts).map(([name, text]) => [name, BigInt(text)]));
}
