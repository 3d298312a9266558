import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pricedRequests, pricedUsages, tokenUsages } from "../../../test/support/price-tables.ts";
import { NO_DIMENSIONS } from "../../catalog/price-table.ts";
import type { ServiceTerms } from "../../usage/service-terms.ts";
import { isOutput, TOKEN_BUCKETS, type TokenUsage } from "../../usage/usage.ts";
import type { FrozenPrice } from "../billing.ts";
import { chargeOf } from "./charge.ts";
import { decodeCharge, encodeCharge } from "./charge-text.ts";
import { maxRate } from "./max-rate.ts";
import { FACTOR_SCALE, price, roundedExact } from "./price.ts";

const INPUT = TOKEN_BUCKETS.filter((bucket) => !isOutput(bucket));
const OUTPUT = TOKEN_BUCKETS.filter(isOutput);

/** In which size vendors run a tool for a request that names none. */
const USUAL: Readonly<Record<string, { readonly size: string }>> = {
  web_search: { size: "medium" },
  code_container: { size: "1g" },
};

/** True if each reported bucket has a price of its own or one that stands in for it. */
const isPriced = (frozen: FrozenPrice, usage: TokenUsage): boolean =>
  chargeOf(frozen, { usage }).unpriced.length === 0;

describe("the charge of a response", () => {
  it("is that of the whole table, at every step, tier, speed, region, hour and factor", () => {
    fc.assert(
      fc.property(pricedRequests, pricedUsages, ({ frozen, served, hours }, { passes, calls, units }) => {
        const { rates, factorPpm, dimensions = NO_DIMENSIONS } = frozen;
        const usage = passes[0] ?? {};
        const isSized = (tool: string): boolean => "sizes" in (dimensions.calls[tool] ?? {});
        const made = calls
          ?.filter(({ count }) => count > 0)
          .map((call) => (isSized(call.tool) ? { ...USUAL[call.tool], ...call } : call));
        const whole = price(
          { base: rates, ...dimensions },
          { passes: [usage], calls: made, units },
          { ...served, hours, factorPpm },
        );
        const { lines, chargeNanos, unpriced } = chargeOf(frozen, { usage, calls, units, served });
        expect({ lines, chargeNanos, unpriced }).toEqual({
          lines: whole.lines,
          chargeNanos: whole.chargeNanos,
          unpriced: whole.unpriced,
        });
      }),
    );
  });

  it("is the same in the end record and on the receipt, whose lines add up to it", () => {
    fc.assert(
      fc.property(pricedRequests, pricedUsages, ({ frozen, served }, { passes, calls, units }) => {
        const charge = chargeOf(frozen, { usage: passes[0] ?? {}, calls, units, served });
        const { row, isStepEstimated, terms, unpriced, lines, sum } = charge;
        const shown = decodeCharge(JSON.parse(JSON.stringify(encodeCharge(charge))));
        expect(shown).toEqual({ row, isStepEstimated, terms, unpriced, lines, sum });
        expect(roundedExact(shown.sum, frozen.factorPpm)).toBe(charge.chargeNanos);
      }),
    );
  });

  it("is, of a tier that the table lacks, the highest price that it has, and named", () => {
    fc.assert(
      fc.property(pricedRequests, tokenUsages, ({ frozen }, usage) => {
        fc.pre(isPriced(frozen, usage));
        const charge = chargeOf(frozen, { usage, served: { tier: "turbo" } });
        expect(charge.unpriced).toEqual(["tier turbo"]);
        for (const tier of [undefined, ...Object.keys(frozen.dimensions?.tiers ?? {})]) {
          const served = tier === undefined ? {} : { tier };
          expect(chargeOf(frozen, { usage, served }).chargeNanos).toBeLessThanOrEqual(charge.chargeNanos);
        }
      }),
    );
  });

  it("follows the response's word before the request's, and is plain where that says so", () => {
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
      const { chargeNanos, terms } = chargeOf(frozen, { usage, ...(served && { served }) });
      return [chargeNanos, terms[0]?.name, terms[0]?.from];
    };
    expect(told()).toEqual([2_000_000n, "priority", "asked"]);
    expect(told({ tier: "standard" })).toEqual([1_000_000n, undefined, undefined]);
    expect(told({ tier: "flex" })).toEqual([500_000n, "flex", "response"]);
    expect(told({ tier: "fast" })).toEqual([2_000_000n, "priority", "response"]);
    const unasked = chargeOf(frozen, { usage, withoutOptions: true });
    expect(unasked).toMatchObject({ chargeNanos: 1_000_000n, terms: [] });
  });

  it("counts the price of a request for each that was sent, and marks a search that nothing tells of", () => {
    const calls = { web_search: { per: "use" as const, nanos: 5_000n } };
    const frozen: FrozenPrice = {
      priceId: 1n,
      rates: { input: 1_000_000n },
      factorPpm: 1_000_000n,
      dimensions: { ...NO_DIMENSIONS, request: 700n, calls },
      tools: ["web_search"],
      fees: ["web_search"],
    };
    const usage = { inputUncached: 10 };
    const three = chargeOf(frozen, { usage, requests: 3, withoutOptions: true });
    // 10 tokens of 1 nano, and 3 requests of 700.
    expect(three).toMatchObject({ chargeNanos: 2_110n, isPlain: false, isCallEstimated: undefined });
    const silent = chargeOf(frozen, { usage });
    expect(silent).toMatchObject({ chargeNanos: 5_710n, isCallEstimated: true });
    const unanswered = chargeOf(frozen, { usage: {}, requests: 0 });
    expect(unanswered).toMatchObject({ lines: [], chargeNanos: 0n, isCallEstimated: undefined });
    const told = chargeOf(frozen, { usage, calls: [{ tool: "web_search", count: 2 }] });
    expect(told).toMatchObject({ chargeNanos: 10_710n, isCallEstimated: undefined });
  });

  it("says that a step is estimated where the vendor ran tools, and states the input of all passes together", () => {
    const steps = [{ above: 1_000, prices: { input: 2_000_000n } }];
    const calls = { web_search: { per: "use" as const, nanos: 1n } };
    const frozen: FrozenPrice = {
      priceId: 1n,
      rates: { input: 1_000_000n },
      factorPpm: 1_000_000n,
      dimensions: { ...NO_DIMENSIONS, steps, calls },
    };
    const estimated = (tokens: number, count: number) =>
      chargeOf(frozen, { usage: { inputUncached: tokens }, calls: [{ tool: "web_search", count }] });
    expect(estimated(1_001, 1)).toMatchObject({ row: "above 1000", isStepEstimated: true });
    expect(decodeCharge(encodeCharge(estimated(1_001, 1))).isStepEstimated).toBe(true);
    for (const charge of [
      estimated(1_000, 1),
      estimated(1_001, 0),
      chargeOf(frozen, { usage: { inputUncached: 1_001 } }),
    ])
      expect(charge.isStepEstimated).toBeUndefined();
  });

  it("takes the row of one request where several had the same input", () => {
    fc.assert(
      fc.property(pricedRequests, tokenUsages, fc.integer({ min: 1, max: 5 }), ({ frozen }, usage, times) => {
        const sum = Object.fromEntries(
          Object.entries(usage).map(([bucket, tokens]) => [bucket, (tokens ?? 0) * times]),
        );
        const joined = chargeOf(frozen, { usage: sum, requests: times });
        expect(joined.row).toBe(chargeOf(frozen, { usage }).row);
      }),
    );
  });

  it("never costs more than the highest price that as much input can take, served as asked or more plainly", () => {
    fc.assert(
      fc.property(pricedRequests, tokenUsages, fc.nat(), ({ frozen, served, isKnown }, usage, more) => {
        const { tiers, speeds, regions, request } = frozen.dimensions ?? NO_DIMENSIONS;
        const known = Object.entries({ tier: tiers, speed: speeds, region: regions }).flatMap(
          ([dimension, terms]) => {
            const word = served[dimension as keyof ServiceTerms];
            return word !== undefined && Object.hasOwn(terms, word) ? [[dimension, word]] : [];
          },
        );
        fc.pre(isKnown && isPriced(frozen, usage));
        const asked: ServiceTerms = Object.fromEntries(known);
        const price = { ...frozen, asked };
        const sumOf = (buckets: typeof INPUT) =>
          buckets.reduce((sum, bucket) => sum + BigInt(usage[bucket] ?? 0), 0n);
        const tokens = Number(sumOf(INPUT)) + more;
        const most =
          sumOf(INPUT) * maxRate(price, tokens, INPUT) + sumOf(OUTPUT) * maxRate(price, tokens, OUTPUT);
        const held = roundedExact((most + request * 1_000_000n) * FACTOR_SCALE, price.factorPpm);
        for (const told of [undefined, {}, { tier: "standard" }, { tier: "standard", speed: "standard" }]) {
          const charge = chargeOf(price, { usage, ...(told && { served: told }) });
          expect(charge.chargeNanos).toBeLessThanOrEqual(held);
        }
      }),
    );
  });

  it("is plain where the usual buckets cost the base row, so that nothing more is written", () => {
    const frozen: FrozenPrice = { priceId: 1n, rates: { input: 1n }, factorPpm: 1n };
    const usage = { inputUncached: 5, outputVisible: 0 };
    expect(chargeOf(frozen, { usage })).toMatchObject({ isPlain: true, unpriced: [] });
    const tiers = { ...frozen, dimensions: { ...NO_DIMENSIONS, tiers: { batch: { factor: 1n } } } };
    expect(chargeOf(tiers, { usage, served: { tier: "standard" } }).isPlain).toBe(true);
    expect(chargeOf(tiers, { usage, served: { tier: "batch" } }).isPlain).toBe(false);
    expect(chargeOf(frozen, { usage: { imageInput: 5 } }).isPlain).toBe(false);
    expect(chargeOf(frozen, { usage, calls: [{ tool: "search", count: 1 }] }).isPlain).toBe(false);
  });
});

describe("calls by name", () => {
  const frozen: FrozenPrice = {
    priceId: 1n,
    rates: {},
    factorPpm: 1_000_000n,
    dimensions: {
      ...NO_DIMENSIONS,
      calls: {
        web_search: { per: "use", nanos: 10n },
        web_search_preview: { per: "use", nanos: 25n },
        code_container: { per: "use", nanos: 30n },
        "service_tier:turbo": { per: "request", nanos: 7n },
      },
    },
  };
  const called = (tool: string, tools: string[] = []) =>
    chargeOf({ ...frozen, tools }, { usage: {}, calls: [{ tool, count: 2 }] }).chargeNanos;

  it("are those of the price table, of several of a family that which the request offers", () => {
    expect(called("web_search")).toBe(20n);
    expect(called("web_search", ["web_search_preview"])).toBe(50n);
    expect(called("web_search_20250305")).toBe(20n);
    expect(called("code_interpreter")).toBe(60n);
  });

  it("are beside what the request pays for a field of it, where the upstream was asked for that", () => {
    const asked = { ...frozen, fees: ["service_tier:turbo"] };
    expect(chargeOf(asked, { usage: {} }).chargeNanos).toBe(7n);
    expect(chargeOf(asked, { usage: {}, withoutOptions: true }).chargeNanos).toBe(0n);
  });
});
