import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pricedRequests, tokenUsages } from "../../../test/support/price-tables.ts";
import { NO_DIMENSIONS } from "../../catalog/price-table.ts";
import type { ServiceTerms } from "../../usage/service-terms.ts";
import { TOKEN_BUCKETS, totalInput, totalOutput } from "../../usage/usage.ts";
import type { FrozenPrice } from "../billing.ts";
import { price } from "./price.ts";
import {
  charge,
  extrasCost,
  itemise,
  maxInputRate,
  maxOutputRate,
  rateOf,
  roundedCost,
  TERM_SCALE,
} from "./rate.ts";
import { dearestOf, takenPrice } from "./taken-row.ts";

describe("the row that a usage takes", () => {
  it("charges what the whole table charges, at every step, tier, speed, region, hour and factor", () => {
    fc.assert(
      fc.property(pricedRequests, tokenUsages, ({ frozen, served, hours, isKnown }, usage) => {
        fc.pre(isKnown);
        const { rates, factorPpm, dimensions = NO_DIMENSIONS } = frozen;
        const terms = { ...served, hours, factorPpm };
        const whole = price({ base: rates, ...dimensions }, { passes: [usage] }, terms);
        const taken = takenPrice(frozen, { usage, served });
        expect(charge(usage, taken)).toBe(whole.chargeNanos);
        expect(taken.unpriced ?? []).toEqual(whole.unpriced);
      }),
      { numRuns: 1_000 },
    );
  });

  it("has lines that add up to the charge", () => {
    fc.assert(
      fc.property(pricedRequests, tokenUsages, ({ frozen, served }, usage) => {
        const taken = takenPrice(frozen, { usage, served });
        const sum = itemise(usage, taken).reduce(
          (total, { exact }) => total + exact,
          extrasCost(taken) * TERM_SCALE,
        );
        expect(roundedCost(sum, taken.factorPpm, TERM_SCALE)).toBe(charge(usage, taken));
      }),
    );
  });

  it("is, of a tier that the table lacks, the dearest that it has, and named", () => {
    fc.assert(
      fc.property(pricedRequests, tokenUsages, ({ frozen }, usage) => {
        const taken = takenPrice(frozen, { usage, served: { tier: "turbo" } });
        expect(taken.unpriced).toEqual(["tier turbo"]);
        const cost = charge(usage, taken);
        for (const tier of [undefined, ...Object.keys(frozen.dimensions?.tiers ?? {})]) {
          const served = tier === undefined ? {} : { tier };
          expect(charge(usage, takenPrice(frozen, { usage, served }))).toBeLessThanOrEqual(cost);
        }
      }),
    );
  });

  it("is told by the response before the request, and plain where that says so", () => {
    const frozen: FrozenPrice = {
      priceId: 1n,
      rates: { input: 1_000_000n },
      factorPpm: 1_000_000n,
      dimensions: {
        ...NO_DIMENSIONS,
        tiers: { priority: { factor: 2_000_000n }, flex: { factor: 500_000n } },
      },
      asked: { tier: "priority" },
    };
    const usage = { inputUncached: 1_000_000 };
    const told = (served?: ServiceTerms) => {
      const taken = takenPrice(frozen, { usage, ...(served && { served }) });
      return [charge(usage, taken), taken.terms?.[0]?.name, taken.terms?.[0]?.from];
    };
    expect(told()).toEqual([2_000_000n, "priority", "asked"]);
    expect(told({ tier: "standard" })).toEqual([1_000_000n, undefined, undefined]);
    expect(told({ tier: "flex" })).toEqual([500_000n, "flex", "answer"]);
    expect(told({ tier: "fast" })).toEqual([2_000_000n, "priority", "answer"]);
  });

  it("is that of one request where several had the same input", () => {
    fc.assert(
      fc.property(pricedRequests, tokenUsages, fc.integer({ min: 1, max: 5 }), ({ frozen }, usage, times) => {
        const sum = Object.fromEntries(
          Object.entries(usage).map(([bucket, tokens]) => [bucket, (tokens ?? 0) * times]),
        );
        const joined = takenPrice(frozen, { usage: sum, requests: times });
        expect(joined.row).toBe(takenPrice(frozen, { usage }).row);
      }),
    );
  });

  it("never costs more than the dearest that as much input can take, served as asked or more plainly", () => {
    fc.assert(
      fc.property(pricedRequests, tokenUsages, fc.nat(), ({ frozen, served, isKnown }, usage, more) => {
        const { tiers, speeds, regions } = frozen.dimensions ?? NO_DIMENSIONS;
        const known = Object.entries({ tier: tiers, speed: speeds, region: regions }).flatMap(
          ([dimension, terms]) => {
            const word = served[dimension as keyof ServiceTerms];
            return word !== undefined && Object.hasOwn(terms, word) ? [[dimension, word]] : [];
          },
        );
        fc.pre(isKnown);
        const asked: ServiceTerms = Object.fromEntries(known);
        const price = { ...frozen, asked };
        const tokens = totalInput(usage) + more;
        const input = dearestOf(price, tokens, (rates) => maxInputRate(rates, true));
        const output = dearestOf(price, tokens, maxOutputRate);
        const tokenCost = BigInt(totalInput(usage)) * input + BigInt(totalOutput(usage)) * output;
        const most = tokenCost + extrasCost(price);
        for (const told of [undefined, {}, { tier: "standard" }, { tier: "standard", speed: "standard" }]) {
          const taken = takenPrice(price, { usage, ...(told && { served: told }) });
          expect(charge(usage, taken)).toBeLessThanOrEqual(roundedCost(most, price.factorPpm));
        }
      }),
      { numRuns: 500 },
    );
  });

  it("is never dearer in any bucket than the dearest row", () => {
    fc.assert(
      fc.property(pricedRequests, tokenUsages, ({ frozen }, usage) => {
        const { terms: _hours, ...price } = frozen;
        const { rates } = takenPrice(price, { usage });
        for (const bucket of TOKEN_BUCKETS) {
          const dearest = dearestOf(price, totalInput(usage), (row) => rateOf(row, bucket));
          expect(rateOf(rates, bucket)).toBeLessThanOrEqual(dearest);
        }
      }),
    );
  });

  it("is the price itself where it is the base row, so that nothing more is written", () => {
    const plain: FrozenPrice = { priceId: 1n, rates: { input: 1n }, factorPpm: 1n };
    expect(takenPrice(plain, { usage: { inputUncached: 5 } })).toBe(plain);
    const tiers = { ...plain, dimensions: { ...NO_DIMENSIONS, tiers: { batch: { factor: 1n } } } };
    expect(takenPrice(tiers, { usage: { inputUncached: 5 }, served: { tier: "standard" } })).toBe(tiers);
  });
});
