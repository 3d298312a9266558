import { formatDecimal, PPM } from "../../base/money.ts";
import type { Catalog, Endpoint, Model, PriceRow } from "../../catalog/catalog.ts";
import {
  bySize,
  formatRange,
  NO_DIMENSIONS,
  type PriceDimensions,
  rowsOf,
} from "../../catalog/price-table.ts";
import {
  keysOfTokenPrice,
  TOKEN_PRICE_NAMES,
  type TokenPriceName,
  type TokenPrices,
} from "../../catalog/token-prices.ts";
import { madeAt } from "../../protocols/table.ts";
import type { AccountModel, AccountModels } from "./contract.ts";

/** Every model that a group can call, by id, with what its accounts pay. */
export function modelsOfGroup(catalog: Catalog, group: string): AccountModels {
  const factorPpm = catalog.groups.get(group)?.factorPpm ?? PPM;
  const data = catalog.listed({ models: null, group }).flatMap((model) => {
    const endpoints = catalog.endpointsOf(model.id, group);
    return model.price === null ? [] : [responseOf(model, endpoints, model.price, factorPpm)];
  });
  data.sort((one, other) => (one.id < other.id ? -1 : 1));
  return { group, factor: formatDecimal(factorPpm, FACTOR_PLACES), data };
}

const FACTOR_PLACES = 6;
/**
 * The decimals of a price in nanos times a factor in parts per million: the product is exact, so nothing is rounded.
 */
const PRICE_PLACES = 9 + FACTOR_PLACES;

/** Prices of tokens that have a place of their own in the response. */
const USUAL_PRICES: ReadonlySet<TokenPriceName> = new Set([
  "input",
  "output",
  "reasoning",
  "cacheRead",
  "cacheWrite",
  "cacheWrite1h",
]);
const OTHER_PRICES = TOKEN_PRICE_NAMES.filter((name) => !USUAL_PRICES.has(name));

function responseOf(
  model: Model,
  endpoints: readonly Endpoint[],
  { rates, dimensions = NO_DIMENSIONS, media }: PriceRow,
  factorPpm: bigint,
): AccountModel {
  const usd = (nanos: bigint): string => formatDecimal(nanos * factorPpm, PRICE_PLACES);
  const maybe = (nanos: bigint | undefined): string | null => (nanos === undefined ? null : usd(nanos));
  const named = (prices: Readonly<Record<string, bigint>> = {}) =>
    Object.entries(prices).map(([of, nanos]) => ({ of, usd: usd(nanos) }));
  const tokens = (prices: TokenPrices) => ({
    input: maybe(prices.input),
    output: maybe(prices.output),
    reasoning: maybe(prices.reasoning),
    cache_read: maybe(prices.cacheRead),
    cache_write: maybe(prices.cacheWrite),
    cache_write_1h: maybe(prices.cacheWrite1h),
    other_tokens: OTHER_PRICES.flatMap((name) => {
      const nanos = prices[name];
      return nanos === undefined ? [] : [{ of: keysOfTokenPrice(name).join("."), usd: usd(nanos) }];
    }),
  });
  const rows = rowsOf(rates, dimensions);
  return {
    id: model.id,
    alias_of: model.aliasOf ?? null,
    modality: modalityOf(endpoints),
    family: model.family,
    owned_by: model.ownedBy,
    created: model.created,
    endpoints: [...endpoints],
    context_tokens: model.contextTokens,
    max_output_tokens: model.maxOutputTokens,
    price: {
      ...tokens(rates),
      steps: rows.steps.slice(1).map(({ above, prices }) => ({ above, ...tokens(prices) })),
      tiers: Array.from(rows.tiers, ([tier, { prices }]) => ({ tier, ...tokens(prices) })),
      factors: factorsOf(dimensions),
      per_image: named(media.perImage),
      per_second: named(media.perSecond),
      calls: Object.entries(dimensions.calls).flatMap(([tool, terms]) =>
        "nanos" in terms
          ? [{ of: tool, per: terms.per, usd: usd(terms.nanos) }]
          : named(bySize(terms.sizes)).map(({ of, usd: price }) => ({
              of: `${tool} ${of}`,
              per: terms.per,
              usd: price,
            })),
      ),
      units: named(dimensions.units),
      request: dimensions.request === 0n ? null : usd(dimensions.request),
    },
  };
}

function factorsOf(dimensions: PriceDimensions): AccountModel["price"]["factors"] {
  const { tiers, speeds, regions, hours } = dimensions;
  const factors = Object.entries(tiers).flatMap(([name, terms]) =>
    "factor" in terms ? [[name, terms.factor] as const] : [],
  );
  const named = (dimension: "tier" | "speed" | "region", entries: readonly (readonly [string, bigint])[]) =>
    entries.map(([name, factor]) => ({ dimension, name, factor: formatDecimal(factor, FACTOR_PLACES) }));
  return [
    ...named("tier", factors),
    ...named("speed", Object.entries(speeds)),
    ...named("region", Object.entries(regions)),
    ...hours.map(({ name, ranges, days, factor }) => ({
      dimension: "hours" as const,
      name,
      factor: formatDecimal(factor, FACTOR_PLACES),
      utc: ranges.map(formatRange),
      days: days ? [...days] : undefined,
    })),
  ];
}

function modalityOf(endpoints: readonly Endpoint[]): AccountModel["modality"] {
  if (endpoints.includes("images")) return "image";
  if (endpoints.includes("videos")) return "video";
  return madeAt(endpoints);
}
