import fc from "fast-check";
import type { FrozenPrice } from "../../src/billing/billing.ts";
import type { PricedUsage } from "../../src/billing/pricing/price.ts";
import type { UpstreamCost } from "../../src/catalog/catalog.ts";
import type { Price } from "../../src/catalog/price-columns.ts";
import type { CallPrice, PriceHours, PriceTable, PriceTier } from "../../src/catalog/price-table.ts";
import { TOKEN_PRICE_NAMES, type TokenPrices, tokenPrice } from "../../src/catalog/token-prices.ts";
import type { ServiceTerms } from "../../src/usage/service-terms.ts";
import {
  BILLED_UNITS,
  type CallCount,
  MAX_TOKENS_REPORTED,
  TOKEN_BUCKETS,
  type TokenUsage,
} from "../../src/usage/usage.ts";

const rate = fc.bigInt({ min: 0n, max: 1_000_000_000_000n });
const factor = fc.bigInt({ min: 1n, max: 10_000_000n });
const TIERS = ["priority", "flex", "batch", "scale"];
export const TOOLS = ["web_search", "google_search", "code_container"];
const SIZES = ["low", "medium", "high"];

/** Rows that name input and output and some of the other prices. */
const baseRows: fc.Arbitrary<TokenPrices> = fc
  .record(Object.fromEntries(TOKEN_PRICE_NAMES.map((name) => [name, rate])), {
    requiredKeys: ["input", "output"],
  })
  .map((row) => row as TokenPrices);

/** A row with the same names, each dearer by some amount, and never below what stands in for it. */
function dearerRows(beneath: TokenPrices): fc.Arbitrary<TokenPrices> {
  const named = TOKEN_PRICE_NAMES.filter((name) => beneath[name] !== undefined);
  return fc
    .array(rate, { minLength: named.length, maxLength: named.length })
    .map((more) =>
      Object.fromEntries(
        named.map((name, index) => [name, (tokenPrice(beneath, name) ?? 0n) + (more[index] ?? 0n)]),
      ),
    );
}

const stepsOver = (base: TokenPrices): fc.Arbitrary<PriceTable["steps"]> =>
  fc
    .uniqueArray(fc.integer({ min: 1, max: 1_000_000 }), { maxLength: 3 })
    .chain((boundaries) =>
      boundaries
        .sort((a, b) => a - b)
        .reduce<fc.Arbitrary<PriceTable["steps"]>>(
          (earlier, above) =>
            earlier.chain((steps) =>
              dearerRows(steps.at(-1)?.prices ?? base).map((prices) => [...steps, { above, prices }]),
            ),
          fc.constant([]),
        ),
    );

const tiersOver = (base: TokenPrices): fc.Arbitrary<PriceTable["tiers"]> =>
  fc.dictionary(
    fc.constantFrom(...TIERS),
    fc.oneof(
      factor.map((ppm): PriceTier => ({ factor: ppm })),
      dearerRows(base).map((prices): PriceTier => ({ prices })),
    ),
  );

/** Times that do not overlap: ranges of one day, the last over midnight, on some days of the week. */
const hourLists: fc.Arbitrary<readonly PriceHours[]> = fc
  .tuple(
    fc.uniqueArray(fc.nat({ max: 1439 }), { minLength: 4, maxLength: 4 }),
    fc.option(fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }), { nil: undefined }),
    fc.array(factor, { maxLength: 2 }),
  )
  .map(([cuts, days, factors]) => {
    const [a = 0, b = 0, c = 0, d = 0] = cuts.sort((one, other) => one - other);
    const ranges = [
      { from: b, until: c },
      { from: d, until: a },
    ];
    return factors.flatMap((ppm, index): PriceHours[] => {
      const range = ranges[index];
      return range
        ? [{ name: `h${index}`, ranges: [range], ...(days && { days: [...days].sort() }), factor: ppm }]
        : [];
    });
  });

export const callPrices: fc.Arbitrary<CallPrice> = fc.oneof(
  rate.map((nanos): CallPrice => ({ per: "use", nanos })),
  rate.map((nanos): CallPrice => ({ per: "request", nanos })),
  fc
    .dictionary(fc.constantFrom(...SIZES), rate, { minKeys: 1 })
    .map((sizes): CallPrice => ({ per: "use", sizes })),
);

/** Tables of which `tableProblems` has nothing to say. */
export const priceTables: fc.Arbitrary<PriceTable> = baseRows.chain((base) =>
  fc.record({
    base: fc.constant(base),
    steps: stepsOver(base),
    tiers: tiersOver(base),
    speeds: fc.dictionary(fc.constantFrom("fast", "ultrafast"), factor),
    regions: fc.dictionary(fc.constantFrom("us", "eu"), factor),
    hours: hourLists,
    calls: fc.dictionary(fc.constantFrom(...TOOLS), callPrices),
    units: fc.dictionary(fc.constantFrom(...BILLED_UNITS), rate),
    request: rate,
  }),
);

const passes: fc.Arbitrary<TokenUsage> = fc.record(
  Object.fromEntries(
    TOKEN_BUCKETS.map((bucket) => [
      bucket,
      fc.oneof(fc.nat({ max: 400_000 }), fc.nat({ max: MAX_TOKENS_REPORTED })),
    ]),
  ),
  { requiredKeys: [] },
);

export const pricedUsages: fc.Arbitrary<PricedUsage> = fc.record({
  passes: fc.array(passes, { minLength: 1, maxLength: 3 }),
  calls: fc.uniqueArray(
    fc.record(
      { tool: fc.constantFrom(...TOOLS), size: fc.constantFrom(...SIZES), count: fc.nat({ max: 1000 }) },
      { requiredKeys: ["tool", "count"] },
    ) as fc.Arbitrary<CallCount>,
    { maxLength: 4, selector: ({ tool, size }) => `${tool} ${size}` },
  ),
  units: fc.dictionary(fc.constantFrom(...BILLED_UNITS), fc.nat({ max: 100_000 })),
});

/** The terms that a request was served with, in words that the table has or lacks. */
export const priceTerms = fc
  .record(
    {
      tier: fc.constantFrom(...TIERS, "turbo"),
      speed: fc.constantFrom("fast", "ultrafast", "slow"),
      region: fc.constantFrom("us", "eu", "moon"),
      hours: fc.constantFrom("h0", "h1"),
      factorPpm: fc.bigInt({ min: 0n, max: 10_000_000n }),
    },
    { requiredKeys: ["factorPpm"] },
  )
  .map((terms) => ({ ...terms }));

/** Usage of one pass in the buckets that responses are metered in. */
export const tokenUsages = fc.record(
  Object.fromEntries(TOKEN_BUCKETS.map((bucket) => [bucket, fc.nat({ max: 700_000 })])),
  { requiredKeys: [] },
);

/** A table with a request: what it was frozen at, how it was served, and by which of the table's names. */
export const pricedRequests = fc
  .tuple(priceTables, priceTerms)
  .map(([{ base, ...dimensions }, { hours, factorPpm, ...served }]) => {
    const inForce = dimensions.hours.find(({ name }) => name === hours);
    const frozen: FrozenPrice = {
      priceId: 1n,
      rates: base,
      factorPpm,
      dimensions,
      ...(inForce && { hours: inForce }),
    };
    const isKnown = served.tier === undefined || Object.hasOwn(dimensions.tiers, served.tier);
    return { frozen, served: served as ServiceTerms, hours: inForce?.name, isKnown };
  });

/** The price of a text model as a catalog declares it. */
export const declaredPrices = priceTables.map(
  ({ base, ...dimensions }): Price => ({ rates: base, dimensions, media: {} }),
);

/** Up to three that begin in later years. */
export const comingPrices = fc
  .uniqueArray(fc.integer({ min: 2100, max: 2105 }), { maxLength: 3 })
  .chain((years) =>
    fc.tuple(
      ...years.sort().map((year) => declaredPrices.map((row) => ({ ...row, fromMs: Date.UTC(year) + 1 }))),
    ),
  );

/** The costs of an upstream with these models; null = the list prices. */
export function upstreamCosts(models: ReadonlyMap<string, string>): fc.Arbitrary<UpstreamCost | null> {
  const prices = fc
    .uniqueArray(fc.tuple(fc.constantFrom("", ...models.keys()), priceTables), {
      selector: ([model]) => model,
    })
    .map((tables) => tables.filter(([model]) => models.has(model)))
    .map((tables) =>
      tables.map(
        ([model, { base, ...dimensions }]) => [model, { rates: base, dimensions, media: {} }] as const,
      ),
    );
  return fc.option(
    fc.record({
      factorPpm: fc.bigInt({ min: 1n, max: 999_999n }),
      prices: prices.map((each) => new Map(each)),
    }),
  );
}
