import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { priceTables } from "../../../test/support/price-tables.ts";
import { NO_DIMENSIONS } from "../../catalog/price-table.ts";
import { TOKEN_BUCKETS, totalInput } from "../../usage/usage.ts";
import type { FrozenPrice } from "../billing.ts";
import { price } from "./price.ts";
import { charge, rateOf } from "./rate.ts";
import { dearestOf, takenPrice } from "./taken-row.ts";

const usages = fc.record(
  Object.fromEntries(TOKEN_BUCKETS.map((bucket) => [bucket, fc.nat({ max: 700_000 })])),
  { requiredKeys: [] },
);

/** A price with the table's steps alone. */
const prices = fc.tuple(priceTables, fc.bigInt({ min: 0n, max: 10_000_000n })).map(
  ([{ base, steps }, factorPpm]): FrozenPrice => ({
    priceId: 1n,
    rates: base,
    factorPpm,
    dimensions: { ...NO_DIMENSIONS, steps },
  }),
);

describe("the row that a usage takes", () => {
  it("charges what the whole table charges", () => {
    fc.assert(
      fc.property(prices, usages, (frozen, usage) => {
        const { rates, factorPpm, dimensions = NO_DIMENSIONS } = frozen;
        const whole = price({ base: rates, ...dimensions }, { passes: [usage] }, { factorPpm });
        expect(charge(usage, takenPrice(frozen, usage))).toBe(whole.chargeNanos);
      }),
    );
  });

  it("is that of one request where several had the same input", () => {
    fc.assert(
      fc.property(prices, usages, fc.integer({ min: 1, max: 5 }), (frozen, usage, requests) => {
        const sum = Object.fromEntries(
          Object.entries(usage).map(([bucket, tokens]) => [bucket, (tokens ?? 0) * requests]),
        );
        expect(takenPrice(frozen, sum, requests).row).toBe(takenPrice(frozen, usage).row);
      }),
    );
  });

  it("is never dearer than the dearest that as much input can take, for any bucket", () => {
    fc.assert(
      fc.property(prices, usages, fc.nat(), (frozen, usage, more) => {
        const { rates } = takenPrice(frozen, usage);
        for (const bucket of TOKEN_BUCKETS) {
          const dearest = dearestOf(frozen, totalInput(usage) + more, (row) => rateOf(row, bucket));
          expect(rateOf(rates, bucket) <= dearest).toBe(true);
        }
      }),
    );
  });

  it("is the price itself without steps, so that nothing more is written", () => {
    const plain: FrozenPrice = { priceId: 1n, rates: { input: 1n }, factorPpm: 1n };
    expect(takenPrice(plain, { inputUncached: 5 })).toBe(plain);
    const tiers = { ...plain, dimensions: { ...NO_DIMENSIONS, tiers: { batch: { factor: 1n } } } };
    expect(takenPrice(tiers, { inputUncached: 5 })).toBe(tiers);
  });
});
