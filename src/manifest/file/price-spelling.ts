import { definedFields } from "../../base/defined-fields.ts";
import { formatDecimal, formatUsd } from "../../base/money.ts";
import type { Path } from "../../base/schema-issues.ts";
import {
  bySize,
  type CallPrice,
  formatRange,
  type MinuteRange,
  NO_DIMENSIONS,
  type PriceDimensions,
  type PriceHours,
  type PriceTable,
  type PriceTier,
} from "../../catalog/price-table.ts";
import { keysOfTokenPrice, TOKEN_PRICE_NAMES, type TokenPrices } from "../../catalog/token-prices.ts";
import { decimalValue, type FileRecord, type FileValue, usd, usdByName } from "./file-value.ts";
import type { FileModel, FilePrice } from "./schema.ts";

/** The rows of a model's price, each with its place in the file under the model. */
export function priceRows({
  price,
}: Pick<FileModel, "price">): { readonly row: FilePrice; readonly path: Path }[] {
  if (price === undefined) return [];
  if (!Array.isArray(price)) return [{ row: price, path: ["price"] }];
  return price.map((row, index) => ({ row, path: ["price", index] }));
}

/** The price table that the file writes; of a price by image or second an empty one. */
export function decodeTable(price: FilePrice): PriceTable {
  const dimensions = decodeDimensions(price) ?? NO_DIMENSIONS;
  return { base: decodePrices(price), ...dimensions };
}

/** The prices of the file beside the base row; undefined = none. */
export function decodeDimensions(price: FilePrice): PriceDimensions | undefined {
  const dimensions: PriceDimensions = {
    steps: (price.steps ?? []).map((step) => ({ above: step.above, prices: decodePrices(step) })),
    tiers: mapValues(price.tiers ?? {}, ({ factor, ...prices }) =>
      factor === undefined ? { prices: decodePrices(prices) } : { factor },
    ),
    speeds: mapValues(price.speeds ?? {}, ({ factor }) => factor),
    regions: mapValues(price.regions ?? {}, ({ factor }) => factor),
    hours: (price.hours ?? []).map(
      ({ name, utc, days, factor }): PriceHours =>
        definedFields({
          name,
          ranges: utc.map(decodeRange),
          factor,
          days: days ? [...new Set(days)].sort() : undefined,
        }),
    ),
    calls: { ...mapValues(price.extras ?? {}, decodeExtra), ...mapValues(price.calls ?? {}, decodeCall) },
    units: named(price.units ?? {}),
    request: price.request ?? NO_DIMENSIONS.request,
  };
  const isEmpty = Object.values(dimensions).every((part: object | bigint) =>
    typeof part === "bigint" ? part === 0n : Object.keys(part).length === 0,
  );
  return isEmpty ? undefined : dimensions;
}

/** A row's prices, whatever else stands beside them. */
export function decodePrices(row: Readonly<Record<string, unknown>>): TokenPrices {
  return Object.fromEntries(
    TOKEN_PRICE_NAMES.flatMap((price) => {
      const value = keysOfTokenPrice(price).reduce<unknown>(
        (under, key) => (under as Readonly<Record<string, unknown>> | undefined)?.[key],
        row,
      );
      return typeof value === "bigint" ? [[price, value]] : [];
    }),
  );
}

/** A row as the file has it. */
export function encodePrices(prices: TokenPrices): FileRecord {
  const row: Record<string, FileValue> = {};
  for (const name of TOKEN_PRICE_NAMES) {
    const value = usd(prices[name]);
    const [key = "", inner] = keysOfTokenPrice(name);
    if (value === undefined) continue;
    row[key] = inner === undefined ? value : { ...(row[key] as FileRecord | undefined), [inner]: value };
  }
  return row;
}

export function encodeDimensions(dimensions: PriceDimensions): FileRecord {
  const { steps, tiers, speeds, regions, hours, calls, units, request } = dimensions;
  const record: FileRecord = {
    steps: steps.map(({ above, prices }) => ({ above, ...encodePrices(prices) })),
    tiers: mapValues(tiers, encodeTier),
    speeds: mapValues(speeds, encodeFactor),
    regions: mapValues(regions, encodeFactor),
    hours: hours.map(({ name, ranges, days, factor }) =>
      definedFields({ name, utc: ranges.map(formatRange), days, ...encodeFactor(factor) }),
    ),
    calls: mapValues(calls, encodeCall),
    units: usdByName(named(units)),
    request: request === 0n ? undefined : usd(request),
  };
  return Object.fromEntries(
    Object.entries(record).filter(
      ([, value]) => typeof value !== "object" || value === null || Object.keys(value).length > 0,
    ),
  );
}

function encodeTier(tier: PriceTier): FileRecord {
  return "factor" in tier ? encodeFactor(tier.factor) : encodePrices(tier.prices);
}

function encodeFactor(factor: bigint): FileRecord {
  return { factor: decimalValue(formatDecimal(factor, 6)) };
}

/** The old spelling of what a request pays at most once. */
function decodeExtra(nanos: bigint): CallPrice {
  return { per: "request", nanos };
}

function decodeCall(call: NonNullable<FilePrice["calls"]>[string]): CallPrice {
  if (typeof call === "bigint") return { per: "use", nanos: call };
  const { price, per = "use", ...sizes } = call;
  return price === undefined ? { per: "use", sizes: named(sizes) } : { per, nanos: price };
}

function encodeCall(call: CallPrice): FileValue {
  if ("sizes" in call) return usdByName(bySize(call.sizes));
  const price = decimalValue(formatUsd(call.nanos));
  return call.per === "use" ? price : { price, per: call.per };
}

function decodeRange(text: string): MinuteRange {
  const [from = 0, until = 0] = text.split("-").map((time) => {
    const [hour = 0, minute = 0] = time.split(":").map(Number);
    return hour * 60 + minute;
  });
  return { from, until };
}

function named<Name extends string>(
  prices: Readonly<Partial<Record<Name, bigint | undefined>>>,
): Record<Name, bigint> {
  return Object.fromEntries(Object.entries(prices).filter(([, price]) => price !== undefined)) as Record<
    Name,
    bigint
  >;
}

function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  make: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, make(value)]));
}
