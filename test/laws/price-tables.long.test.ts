import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chargeOf } from "../../src/billing/pricing/charge.ts";
import { roundedExact } from "../../src/billing/pricing/price.ts";
import { TOKEN_BUCKETS } from "../../src/usage/usage.ts";
import { pricedRequests, pricedUsages } from "../support/price-tables.ts";

const more = fc.record({ bucket: fc.constantFrom(...TOKEN_BUCKETS), tokens: fc.nat({ max: 1_000_000 }) });

describe("charges by generated price tables", () => {
  it("add up line by line, and grow with usage", () => {
    fc.assert(
      fc.property(pricedRequests, pricedUsages, more, ({ frozen, served }, used, { bucket, tokens }) => {
        const { calls, units, passes } = used;
        const usage = passes[0] ?? {};
        const { lines, chargeNanos } = chargeOf(frozen, { usage, calls, units, served });
        const sum = lines.reduce((total, { exact }) => total + exact, 0n);
        const isSum = roundedExact(sum, frozen.factorPpm) === chargeNanos;
        const grown = { ...usage, [bucket]: Math.min((usage[bucket] ?? 0) + tokens, 1_000_000_000) };
        const isRising = chargeOf(frozen, { usage: grown, calls, units, served }).chargeNanos >= chargeNanos;
        // One comparison: an assertion for each costs more than all of the arithmetic.
        if (!(isSum && isRising)) expect({ isSum, isRising }).toEqual({ isSum: true, isRising: true });
      }),
      { numRuns: 200_000 },
    );
  });
});
