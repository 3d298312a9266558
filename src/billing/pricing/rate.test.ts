import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_TOKENS_REPORTED, TOKEN_BUCKETS, type TokenUsage } from "../../usage/usage.ts";
import type { FrozenPrice } from "../billing.ts";
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

const rate = fc.option(fc.bigInt({ min: 0n, max: 1_000_000_000_000n }), { nil: undefined });
const prices: fc.Arbitrary<FrozenPrice> = fc
  .tuple(fc.array(rate, { minLength: 6, maxLength: 6 }), fc.bigInt({ min: 0n, max: 10_000_000n }))
  .map(([[input, output, reasoning, cacheRead, cacheWrite, cacheWrite1h], factorPpm]) => ({
    priceId: 1n,
    factorPpm,
    rates: {
      ...(input === undefined ? {} : { input }),
      ...(output === undefined ? {} : { output }),
      ...(reasoning === undefined ? {} : { reasoning }),
      ...(cacheRead === undefined ? {} : { cacheRead }),
      ...(cacheWrite === undefined ? {} : { cacheWrite }),
      ...(cacheWrite1h === undefined ? {} : { cacheWrite1h }),
    },
  }));
const usages: fc.Arbitrary<TokenUsage> = fc
  .array(fc.option(fc.nat({ max: MAX_TOKENS_REPORTED }), { nil: undefined }), { minLength: 6, maxLength: 6 })
  .map((counts) =>
    Object.fromEntries(
      TOKEN_BUCKETS.flatMap((bucket, index) =>
        counts[index] === undefined ? [] : [[bucket, counts[index]]],
      ),
    ),
  );

const dollars3and15: FrozenPrice = {
  priceId: 1n,
  factorPpm: 1_000_000n,
  rates: {
    input: 3_000_000_000n,
    output: 15_000_000_000n,
    cacheRead: 300_000_000n,
    cacheWrite: 3_750_000_000n,
  },
};

describe("charge", () => {
  it("is the sum of buckets times rates: 3 and 15 dollars a million", () => {
    expect(charge({ inputUncached: 1000, outputVisible: 100 }, dollars3and15)).toBe(3_000_000n + 1_500_000n);
    expect(charge({ cacheRead: 10, cacheWrite5m: 2 }, dollars3and15)).toBe(3_000n + 7_500n);
    expect(charge({}, dollars3and15)).toBe(0n);
  });

  it("falls back from cache to input and from reasoning to output", () => {
    const plain = { ...dollars3and15, rates: { input: 3_000_000n, output: 15_000_000n } };
    expect(charge({ cacheRead: 1, cacheWrite5m: 1, cacheWrite1h: 1 }, plain)).toBe(9n);
    expect(charge({ outputReasoning: 2 }, plain)).toBe(30n);
  });

  it("rounds half up, once: halves of a nano in two buckets make one nano, not two", () => {
    const price = (factorPpm: bigint): FrozenPrice => ({
      priceId: 1n,
      factorPpm,
      rates: { input: 500_000n, output: 500_000n },
    });
    expect(charge({ inputUncached: 1 }, price(1_000_000n))).toBe(1n);
    expect(charge({ inputUncached: 1, outputVisible: 1 }, price(1_000_000n))).toBe(1n);
    expect(charge({ inputUncached: 1 }, price(999_999n))).toBe(0n);
  });

  it("takes a group's factor exactly", () => {
    expect(charge({ inputUncached: 1_000_000 }, { ...dollars3and15, factorPpm: 850_001n })).toBe(
      2_550_003_000n,
    );
  });

  it("never exceeds the exact amount by more than half a nano, and never falls short by more", () => {
    fc.assert(
      fc.property(usages, prices, (usage, price) => {
        let exact = 0n; // in 1e-12 nanos
        for (const bucket of TOKEN_BUCKETS)
          exact += BigInt(usage[bucket] ?? 0) * rateOf(price.rates, bucket) * price.factorPpm;
        const error = charge(usage, price) * 1_000_000_000_000n - exact;
        expect(error <= 500_000_000_000n && error > -500_000_000_000n).toBe(true);
      }),
    );
  });

  it("is what the lines of the receipt add up to", () => {
    fc.assert(
      fc.property(usages, prices, (usage, price) => {
        const sum = itemise(usage, price).reduce((total, line) => total + line.exact, 0n);
        expect(roundedCost(sum, price.factorPpm, TERM_SCALE)).toBe(charge(usage, price));
      }),
    );
  });

  it("never falls when any bucket grows, and no token is dearer than the dearest rate", () => {
    fc.assert(
      fc.property(
        usages,
        prices,
        fc.constantFrom(...TOKEN_BUCKETS),
        fc.nat({ max: 1000 }),
        (usage, price, bucket, more) => {
          const grown = { ...usage, [bucket]: Math.min((usage[bucket] ?? 0) + more, MAX_TOKENS_REPORTED) };
          expect(charge(grown, price) >= charge(usage, price)).toBe(true);
          const most = bucket.startsWith("output")
            ? maxOutputRate(price.rates)
            : maxInputRate(price.rates, true);
          expect(rateOf(price.rates, bucket) <= most).toBe(true);
        },
      ),
    );
  });

  it("refuses numbers that are no token counts, so that none can become money", () => {
    for (const tokens of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, MAX_TOKENS_REPORTED + 1]) {
      expect(() => charge({ inputUncached: tokens }, dollars3and15)).toThrow("no token count");
      expect(() => itemise({ outputVisible: tokens }, dollars3and15)).toThrow("no token count");
    }
  });
});

describe("dearest input", () => {
  it("counts the 1h write price only where the request can ask for it", () => {
    const rates = { input: 3n, cacheRead: 1n, cacheWrite: 4n, cacheWrite1h: 6n };
    expect(maxInputRate(rates, false)).toBe(4n);
    expect(maxInputRate(rates, true)).toBe(6n);
    expect(maxInputRate({ input: 3n }, true)).toBe(3n);
  });
});

describe("extras of a request", () => {
  const price: FrozenPrice = { ...dollars3and15, factorPpm: 500_000n, extras: { web_search: 10_000_000n } };

  it("are charged once a request, times the factor, beside the tokens", () => {
    expect(charge({ inputUncached: 1_000_000 }, price)).toBe((3_000_000_000n + 10_000_000n) / 2n);
  });

  it("are part of the sum that a receipt shows", () => {
    const lines = itemise({ inputUncached: 10 }, price).reduce(
      (sum, { exact }) => sum + exact,
      extrasCost(price) * TERM_SCALE,
    );
    expect(roundedCost(lines, price.factorPpm, TERM_SCALE)).toBe(charge({ inputUncached: 10 }, price));
  });
});
