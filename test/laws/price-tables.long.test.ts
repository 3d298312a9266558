import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { price } from "../../src/billing/pricing/price.ts";
import {
  charge,
  extrasCost,
  itemise,
  maxInputRate,
  maxOutputRate,
  roundedCost,
  TERM_SCALE,
} from "../../src/billing/pricing/rate.ts";
import { dearestOf, takenPrice } from "../../src/billing/pricing/taken-row.ts";
import { NO_DIMENSIONS } from "../../src/catalog/price-table.ts";
import { TOKEN_BUCKETS, totalInput, totalOutput } from "../../src/usage/usage.ts";
import { pricedRequests, tokenUsages } from "../support/price-tables.ts";

const more = fc.record({ bucket: fc.constantFrom(...TOKEN_BUCKETS), tokens: fc.nat({ max: 1_000_000 }) });

describe("charges by generated price tables", () => {
  it("are those of the whole table, add up line by line, grow with usage, and are within the hold's rates", () => {
    fc.assert(
      fc.property(pricedRequests, tokenUsages, more, (request, usage, { bucket, tokens }) => {
        const { frozen, served, hours, isKnown } = request;
        const taken = takenPrice(frozen, { usage, served });
        const cost = charge(usage, taken);
        const lines = itemise(usage, taken).reduce((sum, { exact }) => sum + exact, 0n);
        const isSum =
          roundedCost(lines + extrasCost(taken) * TERM_SCALE, taken.factorPpm, TERM_SCALE) === cost;

        const { rates, factorPpm, dimensions = NO_DIMENSIONS } = frozen;
        const whole = price(
          { base: rates, ...dimensions },
          { passes: [usage] },
          { ...served, hours, factorPpm },
        );
        const isWhole = !isKnown || whole.chargeNanos === cost;

        const grown = { ...usage, [bucket]: (usage[bucket] ?? 0) + tokens };
        const isRising = charge(grown, takenPrice(frozen, { usage: grown, served })) >= cost;

        const plain = charge(usage, takenPrice(frozen, { usage }));
        const held =
          BigInt(totalInput(usage)) * dearestOf(frozen, totalInput(usage), (row) => maxInputRate(row, true)) +
          BigInt(totalOutput(usage)) * dearestOf(frozen, totalInput(usage), maxOutputRate);
        const isHeld = plain <= roundedCost(held + extrasCost(frozen), factorPpm);
        // One comparison: an assertion for each costs more than all of the arithmetic.
        const found = { isSum, isWhole, isRising, isHeld };
        if (!(isSum && isWhole && isRising && isHeld))
          expect(found).toEqual({ isSum: true, isWhole: true, isRising: true, isHeld: true });
      }),
      { numRuns: 200_000 },
    );
  });
});
