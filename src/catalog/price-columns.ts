import { definedFields } from "../base/defined-fields.ts";
import type { MediaRates, PriceRow } from "./catalog.ts";
import { NO_DIMENSIONS, type PriceDimensions } from "./price-table.ts";
import type { TokenPriceName, TokenPrices } from "./token-prices.ts";

/** A price as declared, without the id of its row. */
export type Price = Omit<PriceRow, "id">;

/** A price in the form of its columns. Amounts inside JSON are text, because a JSON number would lose digits. */
export interface PriceColumns {
  readonly rates: Amounts;
  /** null = none. */
  readonly dimensions: Partial<AsText<PriceDimensions>> | null;
  readonly media: AsText<MediaRates>;
}

type Amounts = Readonly<Record<string, string>>;

/** The same type with every amount and factor as text. */
type AsText<T> = T extends bigint ? string : T extends object ? { [K in keyof T]: AsText<T[K]> } : T;

export function readPrice({ rates, dimensions, media }: PriceColumns): Price {
  return definedFields({
    rates: readAmounts(rates),
    dimensions: dimensions === null ? undefined : readDimensions(dimensions),
    media: definedFields({
      perImage: media.perImage && readAmounts(media.perImage),
      perSecond: media.perSecond && readAmounts(media.perSecond),
    }),
  });
}

/** Names of the columns, in the order of priceValues. */
export const PRICE_COLUMNS = ["rates", "dimensions", "media"] as const;

export function priceValues({ rates, dimensions, media }: Price): (string | null)[] {
  return [asJson(rates), dimensions === undefined ? null : asJson(dimensions), asJson(media)];
}

/** A price as a part of other JSON. */
export function priceColumns({ rates, dimensions, media }: Price): PriceColumns {
  const columns = { rates, dimensions: dimensions ?? null, media };
  return JSON.parse(asJson(columns)) as PriceColumns;
}

/** True if two prices are equal in every amount, however they are written. */
export function samePrice(one: Price, other: Price): boolean {
  const [a, b] = [priceValues(one), priceValues(other)];
  return a.every((value, index) => value === b[index]);
}

/** Fields sorted by name, so that equal prices are equal text. */
function asJson(value: object): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner === "bigint") return String(inner);
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
    const fields = Object.entries(inner).filter(([, field]) => field !== undefined);
    return Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

function readDimensions(stored: Partial<AsText<PriceDimensions>>): PriceDimensions {
  const { steps, tiers, speeds, regions, hours, calls, units, request } = stored;
  return {
    steps: (steps ?? []).map(({ above, prices }) => ({ above, prices: readPrices(prices) })),
    tiers: mapValues(tiers ?? {}, (tier) =>
      "factor" in tier ? { factor: BigInt(tier.factor) } : { prices: readPrices(tier.prices) },
    ),
    speeds: readAmounts(speeds ?? {}),
    regions: readAmounts(regions ?? {}),
    hours: (hours ?? []).map((each) => ({ ...each, factor: BigInt(each.factor) })),
    calls: mapValues(calls ?? {}, (call) =>
      "sizes" in call
        ? { per: call.per, sizes: readAmounts(call.sizes) }
        : { per: call.per, nanos: BigInt(call.nanos) },
    ),
    units: mapValues((units ?? {}) as Amounts, BigInt),
    request: request === undefined ? NO_DIMENSIONS.request : BigInt(request),
  };
}

function readPrices(prices: Readonly<Partial<Record<TokenPriceName, string>>>): TokenPrices {
  return readAmounts(prices as Amounts);
}

function readAmounts(amounts: Amounts): Record<string, bigint> {
  return mapValues(amounts, BigInt);
}

function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  make: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, make(value)]));
}
