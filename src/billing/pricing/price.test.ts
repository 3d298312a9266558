import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pricedUsages, priceTables, priceTerms } from "../../../test/support/price-tables.ts";
import { PPM } from "../../base/money.ts";
import { type PriceTable, rowsOf } from "../../catalog/price-table.ts";
import { tokenPrice } from "../../catalog/token-prices.ts";
import { MAX_TOKENS_REPORTED, TOKEN_BUCKETS, type TokenUsage } from "../../usage/usage.ts";
import { EXACT_PER_NANO, type PricedUsage, type PriceTerms, price } from "./price.ts";

/** Dollars as a file writes them -> nanos. */
const usd = (dollars: number): bigint => BigInt(Math.round(dollars * 1e9));

const plain: PriceTerms = { factorPpm: PPM };

function tableOf(parts: Partial<PriceTable>): PriceTable {
  const empty = { tiers: {}, speeds: {}, regions: {}, hours: [], calls: {}, units: {}, request: 0n };
  return { base: { input: usd(2.5), output: usd(15) }, steps: [], ...empty, ...parts };
}

const flagship = tableOf({
  base: { input: usd(2.5), cacheRead: usd(0.25), output: usd(15) },
  steps: [{ above: 272_000, prices: { input: usd(5), cacheRead: usd(0.5), output: usd(22.5) } }],
  tiers: {
    priority: { factor: 2n * PPM },
    batch: { factor: PPM / 2n },
    scale: { prices: { input: usd(3), cacheRead: usd(0.3), output: usd(16) } },
  },
});

const chargeOf = (table: PriceTable, pass: TokenUsage, terms: Partial<PriceTerms> = {}): bigint =>
  price(table, { passes: [pass] }, { ...plain, ...terms }).chargeNanos;

describe("steps", () => {
  it("change at the first token above, for all tokens of the pass, cached or not", () => {
    // 271,000 x $0.25 and 1,000 x $2.50 a million, 10 x $15.
    expect(chargeOf(flagship, { inputUncached: 1_000, cacheRead: 271_000, outputVisible: 10 })).toBe(
      67_750_000n + 2_500_000n + 150_000n,
    );
    // One token more: 271,000 x $0.50 and 1,001 x $5, 10 x $22.50.
    expect(chargeOf(flagship, { inputUncached: 1_001, cacheRead: 271_000, outputVisible: 10 })).toBe(
      135_500_000n + 5_005_000n + 225_000n,
    );
  });

  it("look at each pass by itself", () => {
    const half: TokenUsage = { inputUncached: 200_000 };
    expect(price(flagship, { passes: [half, half] }, plain).chargeNanos).toBe(1_000_000_000n);
    expect(chargeOf(flagship, { inputUncached: 400_000 })).toBe(2_000_000_000n);
  });

  it("take what they do not name from the row beneath", () => {
    const table = tableOf({ steps: [{ above: 10, prices: { cacheRead: usd(5) } }] });
    expect(chargeOf(table, { inputUncached: 1_000_000, cacheRead: 1_000_000 })).toBe(usd(7.5));
  });
});

describe("tiers", () => {
  const long: TokenUsage = { inputUncached: 300_000, outputVisible: 1_000 };

  it("are a factor on the step, or a row without steps", () => {
    const stepped = 1_500_000_000n + 22_500_000n;
    expect(chargeOf(flagship, long)).toBe(stepped);
    expect(chargeOf(flagship, long, { tier: "priority" })).toBe(2n * stepped);
    expect(chargeOf(flagship, long, { tier: "batch" })).toBe(stepped / 2n);
    expect(chargeOf(flagship, long, { tier: "scale" })).toBe(900_000_000n + 16_000_000n);
  });

  it("without a price are charged at the highest row and named", () => {
    const charged = price(flagship, { passes: [{ inputUncached: 1_000_000 }] }, { ...plain, tier: "turbo" });
    expect(charged.unpriced).toEqual(["tier turbo"]);
    expect(charged.chargeNanos).toBe(usd(10));
    expect(charged.lines).toMatchObject([{ row: "above 272000", factor: 2n * PPM ** 4n }]);
  });
});

describe("factors", () => {
  const table = tableOf({
    base: { input: 1_000_000n, output: 1_000_000n },
    speeds: { fast: 6n * PPM },
    regions: { us: 1_100_000n },
    hours: [{ name: "night", ranges: [{ from: 0, until: 60 }], factor: 500_000n }],
    calls: { web_search: { per: "use", nanos: 10n } },
    units: { search: 7n },
    request: 3n,
  });
  const usage: PricedUsage = {
    passes: [{ inputUncached: 1 }],
    calls: [{ tool: "web_search", count: 2 }],
    units: { search: 1 },
  };

  it("touch tokens alone, but the group's everything", () => {
    const served = { speed: "fast", region: "us", hours: "night" };
    // One token at 1 nano x 6 x 1.1 x 0.5 = 3.3, beside 20 + 7 + 3.
    expect(price(table, usage, { ...plain, ...served }).chargeNanos).toBe(33n);
    expect(price(table, usage, { ...served, factorPpm: 500_000n }).chargeNanos).toBe(17n);
  });

  it("are rounded once: halves of two lines make one", () => {
    const halves = tableOf({ base: { input: 500_000n, output: 500_000n } });
    expect(chargeOf(halves, { inputUncached: 1 })).toBe(1n);
    expect(chargeOf(halves, { inputUncached: 1, outputVisible: 1 })).toBe(1n);
  });

  it("of a word that the table lacks are the largest it has, and named", () => {
    const charged = price(table, { passes: [{ inputUncached: 1 }] }, { ...plain, speed: "warp" });
    expect([charged.chargeNanos, charged.unpriced]).toEqual([9n, ["speed warp"]]);
  });
});

describe("media among tokens", () => {
  const table = tableOf({
    base: {
      input: usd(4),
      cacheRead: usd(0.4),
      output: usd(16),
      audioInput: usd(32),
      audioOutput: usd(64),
      imageInput: usd(5),
    },
  });
  const million = (bucket: keyof TokenUsage) => price(table, { passes: [{ [bucket]: 1_000_000 }] }, plain);

  it("have the price of their kind, cached ones that of their kind's input", () => {
    expect(million("audioInput").chargeNanos).toBe(usd(32));
    expect(million("audioCacheRead").chargeNanos).toBe(usd(32));
    expect(million("imageCacheRead").chargeNanos).toBe(usd(5));
  });

  it("cost as text where a model reads images or videos and no price is named", () => {
    expect(million("videoInput")).toMatchObject({ chargeNanos: usd(4), unpriced: [] });
    expect(million("videoCacheRead")).toMatchObject({ chargeNanos: usd(0.4), unpriced: [] });
  });

  it("without a price are charged at the highest price of their side, and named", () => {
    expect(million("imageOutput")).toMatchObject({ chargeNanos: usd(64), unpriced: ["image_output"] });
    const soundless = tableOf({});
    expect(price(soundless, { passes: [{ audioInput: 1_000_000 }] }, plain)).toMatchObject({
      chargeNanos: usd(2.5),
      unpriced: ["audio_input"],
    });
  });
});

describe("calls", () => {
  const table = tableOf({
    calls: {
      web_search: { per: "use", sizes: { low: 5n, high: 12n } },
      google_search: { per: "request", nanos: 35n },
    },
  });
  const called = (tool: string, count: number, size?: string) =>
    price(table, { passes: [{}], calls: [{ tool, count, ...(size && { size }) }] }, plain);

  it("are counted by use, by size, or once a request", () => {
    expect(called("web_search", 3, "low").chargeNanos).toBe(15n);
    expect([called("google_search", 3).chargeNanos, called("google_search", 0).chargeNanos]).toEqual([
      35n,
      0n,
    ]);
  });

  it("of no known size or price are charged at the highest price, and named", () => {
    expect(called("web_search", 2)).toMatchObject({ chargeNanos: 24n, unpriced: ["call web_search"] });
    expect(called("shell", 1)).toMatchObject({ chargeNanos: 35n, unpriced: ["call shell"] });
  });
});

describe("every table and usage", () => {
  it("has lines that add up to the charge, off by half a nano at most", () => {
    fc.assert(
      fc.property(priceTables, pricedUsages, priceTerms, (table, usage, terms) => {
        const { lines, sum, chargeNanos } = price(table, usage, terms);
        expect(lines.reduce((total, { exact }) => total + exact, 0n)).toBe(sum);
        const scale = EXACT_PER_NANO * PPM;
        const twiceError = 2n * (chargeNanos * scale - sum * terms.factorPpm);
        expect(twiceError <= scale && twiceError > -scale).toBe(true);
        const reported = usage.passes.flatMap((pass) => Object.keys(pass)).length;
        expect(lines.filter(({ kind }) => kind === "tokens")).toHaveLength(reported);
      }),
    );
  });

  it("never costs less for more of anything", () => {
    const grown = fc.tuple(fc.constantFrom(...TOKEN_BUCKETS), fc.nat(), fc.nat({ max: 300_000 }));
    fc.assert(
      fc.property(priceTables, pricedUsages, priceTerms, grown, (table, usage, terms, [bucket, at, more]) => {
        const index = at % usage.passes.length;
        const passes = usage.passes.map((pass, each) =>
          each === index
            ? { ...pass, [bucket]: Math.min((pass[bucket] ?? 0) + more, MAX_TOKENS_REPORTED) }
            : pass,
        );
        const before = price(table, usage, terms).chargeNanos;
        expect(price(table, { ...usage, passes }, terms).chargeNanos >= before).toBe(true);
        const calls = usage.calls?.map((call) => ({ ...call, count: call.count + 1 })) ?? [];
        expect(price(table, { ...usage, calls }, terms).chargeNanos >= before).toBe(true);
      }),
    );
  });

  it("takes the row beneath at each step's boundary, and the step's from one token more, with the tier's factor", () => {
    fc.assert(
      fc.property(priceTables, (table) => {
        const { steps } = rowsOf(table.base, table);
        steps.slice(1).forEach(({ above, prices }, index) => {
          for (const [tier, terms] of Object.entries({ ...table.tiers, none: { factor: PPM } })) {
            if (!("factor" in terms)) continue;
            const served = { ...plain, ...(tier !== "none" && { tier }) };
            const beneath = (tokenPrice(steps[index]?.prices ?? {}, "input") ?? 0n) * terms.factor;
            const own = (tokenPrice(prices, "input") ?? 0n) * terms.factor;
            const exact = (tokens: number) =>
              price({ ...table, request: 0n }, { passes: [{ inputUncached: tokens }] }, served).sum;
            expect(exact(above)).toBe(BigInt(above) * beneath * PPM ** 3n);
            expect(exact(above + 1)).toBe(BigInt(above + 1) * own * PPM ** 3n);
          }
        });
      }),
    );
  });

  it("charges tokens by the dimension's own row and factors, whatever stands beside", () => {
    fc.assert(
      fc.property(priceTables, pricedUsages, priceTerms, (table, usage, terms) => {
        for (const line of price(table, usage, terms).lines) {
          if (line.kind !== "tokens") continue;
          expect(line.exact).toBe(BigInt(line.tokens) * line.nanosPerMillion * line.factor);
        }
      }),
    );
  });

  it("refuses numbers that are no counts, so that none can become money", () => {
    for (const tokens of [-1, 0.5, Number.NaN, MAX_TOKENS_REPORTED + 1])
      expect(() => chargeOf(flagship, { inputUncached: tokens })).toThrow("no count");
  });
});
