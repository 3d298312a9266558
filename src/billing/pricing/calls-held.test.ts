import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { callPrices, TOOLS } from "../../../test/support/price-tables.ts";
import { NO_DIMENSIONS } from "../../catalog/price-table.ts";
import { callsHeld, feesOf, maxSearches, unitsHeld } from "./calls-held.ts";
import { chargeOf } from "./charge.ts";

const tables = fc.dictionary(fc.constantFrom(...TOOLS), callPrices, { minKeys: 1 });
const counts = fc.dictionary(fc.constantFrom(...TOOLS), fc.nat({ max: 20 }));

describe("what is held for calls", () => {
  it("covers as many calls of the offered tools, whichever of them are called", () => {
    fc.assert(
      fc.property(tables, counts, fc.nat({ max: 5 }), (calls, called, more) => {
        const tools = Object.keys(calls);
        const price = { priceId: 1n, rates: {}, factorPpm: 1_000_000n, tools };
        const frozen = { ...price, dimensions: { ...NO_DIMENSIONS, calls } };
        const made = Object.entries(called)
          .filter(([tool]) => Object.hasOwn(calls, tool))
          .map(([tool, count]) => ({ tool, count }));
        const total = made.reduce((sum, { count }) => sum + count, 0);
        const { chargeNanos } = chargeOf(frozen, { usage: {}, calls: made });
        expect(chargeNanos).toBeLessThanOrEqual(callsHeld(frozen, total + more));
      }),
    );
  });

  it("is what every request pays, and what this one pays for a field", () => {
    const calls = { "service_tier:turbo": { per: "request" as const, nanos: 7n } };
    const price = { priceId: 1n, rates: {}, factorPpm: 1_000_000n };
    const frozen = { ...price, dimensions: { ...NO_DIMENSIONS, calls, request: 5n } };
    expect(feesOf(frozen)).toBe(5n);
    expect(feesOf({ ...frozen, fees: ["service_tier:turbo"] })).toBe(12n);
  });

  it("is a search for a hundred documents, long ones in parts", () => {
    expect([maxSearches(5, 90), maxSearches(250, 500), maxSearches(50, 150_000)]).toEqual([1, 3, 4]);
  });

  it("is as many units as there can be", () => {
    const dimensions = { ...NO_DIMENSIONS, units: { search: 2n, image: 7n } };
    const frozen = { priceId: 1n, rates: {}, factorPpm: 1_000_000n, dimensions };
    expect(unitsHeld(frozen, { search: 3, image: 1 })).toBe(13n);
  });
});
