import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { priceTables } from "../../../test/support/price-tables.ts";
import { PPM } from "../../base/money.ts";
import { type Price, priceValues, readPrice } from "../../catalog/price-columns.ts";
import { NO_DIMENSIONS } from "../../catalog/price-table.ts";
import { encodePrice, writeYaml } from "./encode-file.ts";
import { ManifestError } from "./problems.ts";
import { parseManifest } from "./read.ts";

const fileOf = (price: string): string => `version: 1
models:
  - id: m
    context_tokens: 1000000
    max_output_tokens: 100
    price: ${price}
`;

const read = (price: string): Price | null | undefined => parseManifest(fileOf(price), {}).models[0]?.price;

function problems(price: string): string[] {
  try {
    parseManifest(fileOf(price), {}, "f.yaml");
  } catch (error) {
    if (error instanceof ManifestError) return error.message.split("\n");
    throw error;
  }
  return [];
}

describe("a price in every dimension", () => {
  it("is read to the nano", () => {
    const price = read(`
      input: 2.5
      output: 15
      cache_write: 3.125
      cache_write_1h: 5
      audio: { input: 32, cache_read: 0.4, output: 64 }
      steps:
        - { above: 272000, cache_write: 4, cache_write_1h: 10.000000001 }
      tiers:
        priority: { factor: 2 }
        own: { input: 3, output: 16, cache_write: 4, cache_write_1h: 6, audio: { input: 40, cache_read: 1, output: 70 } }
      speeds: { fast: { factor: 6 } }
      regions: { us: { factor: "1.1" } }
      hours: [{ name: off_peak, utc: ["16:30-00:30", "12:00-24:00"], days: [5, 1], factor: 0.5 }]
      calls:
        web_search: { low: 0.005, high: 0.012 }
        google_search: { price: 0.035, per: request }
        code_container: 0.03
      units: { search: 0.002 }
      request: 0.000000001`);
    expect(price?.rates).toEqual({
      input: 2_500_000_000n,
      output: 15_000_000_000n,
      cacheWrite: 3_125_000_000n,
      cacheWrite1h: 5_000_000_000n,
      audioInput: 32_000_000_000n,
      audioCacheRead: 400_000_000n,
      audioOutput: 64_000_000_000n,
    });
    expect(price?.dimensions).toMatchObject({
      steps: [{ above: 272_000, prices: { cacheWrite: 4_000_000_000n, cacheWrite1h: 10_000_000_001n } }],
      tiers: { priority: { factor: 2n * PPM }, own: { prices: { audioOutput: 70_000_000_000n } } },
      speeds: { fast: 6n * PPM },
      regions: { us: 1_100_000n },
      hours: [
        {
          name: "off_peak",
          ranges: [
            { from: 990, until: 30 },
            { from: 720, until: 1440 },
          ],
          days: [1, 5],
          factor: 500_000n,
        },
      ],
      calls: {
        web_search: { per: "use", sizes: { low: 5_000_000n, high: 12_000_000n } },
        google_search: { per: "request", nanos: 35_000_000n },
        code_container: { per: "use", nanos: 30_000_000n },
      },
      units: { search: 2_000_000n },
      request: 1n,
    });
  });

  it("that says nothing beside its tokens has no dimensions", () => {
    expect(read("{ input: 1, output: 2, request: 0, tiers: {}, steps: [] }")).toEqual({
      rates: { input: 1_000_000_000n, output: 2_000_000_000n },
      media: {},
    });
  });

  it("comes back from what is exported, and from the database's columns", () => {
    fc.assert(
      fc.property(priceTables, ({ base, ...dimensions }) => {
        const price: Price = { rates: base, dimensions, media: {} };
        const [rates, stored] = priceValues(price).map((json) => JSON.parse(json ?? "null"));
        expect(readPrice({ rates, dimensions: stored, media: {} })).toEqual(price);
        const exported = writeYaml({ version: 1, models: [{ ...MODEL, price: encodePrice(price) }] }, []);
        const { dimensions: again, ...rest } = parseManifest(exported, {}).models[0]?.price ?? {};
        expect(rest).toEqual({ rates: base, media: {} });
        expect(again ?? NO_DIMENSIONS).toEqual(dimensions);
      }),
    );
  });
});

const MODEL = { id: "m", context_tokens: 1000, max_output_tokens: 100 };

describe("what is refused", () => {
  it.each([
    ["{ input: 1, output: 2, tiers: { priority: {} } }", "tiers.priority: needs a factor or prices"],
    [
      "{ input: 1, output: 2, tiers: { priority: { factor: 2, input: 3 } } }",
      "tiers.priority: has both a factor and prices; keep one",
    ],
    [
      "{ input: 1, output: 2, cache_read: 0.1, steps: [{ above: 9, input: 2, output: 4 }] }",
      "steps[0]: names input or output, so it must name every price of the previous step, or of the base price: cache_read is missing",
    ],
    [
      "{ input: 1, output: 2, steps: [{ above: 9, input: 0.5, output: 2 }] }",
      "steps[0].input: is below the 1 of the row beneath: a longer request would cost less",
    ],
    [
      '{ input: 1, output: 2, hours: [{ name: h, utc: ["1-2"], factor: 1 }] }',
      'must be a range such as "16:30-00:30"',
    ],
    [
      '{ input: 1, output: 2, hours: [{ name: h, utc: ["01:00-01:00"], factor: 1 }] }',
      'is empty; for the whole day, use "00:00-24:00"',
    ],
    ["{ input: 1, output: 2, calls: { web_search: {} } }", "calls.web_search: needs a price"],
    ["{ input: 1, output: 2, calls: { web_search: { price: 1, per: hour } } }", "calls.web_search.per: "],
    [
      "{ input: 1, output: 2, calls: { web_search: { price: 1, low: 2 } } }",
      "has prices by size, which can't be combined with price or per",
    ],
    ...["page", "audio_second", "video_second", "character"].map((unit): [string, string] => [
      `{ input: 1, output: 2, units: { ${unit}: 1 } }`,
      `units.${unit}: unknown key "${unit}"; allowed: search, image`,
    ]),
    ["{ input: 1, output: 2, cache_write: 1, cache_write_5m: 2 }", "cache_write_5m"],
  ])("%s", (price, message) => {
    const found = problems(price);
    expect(found.join("\n")).toContain(message);
    expect(found.filter((line) => line.includes("models[0]"))).toHaveLength(1);
  });
});

describe("old spellings", () => {
  it("are read, with a sentence that names the new one", () => {
    const { models, warnings } = parseManifest(fileOf("{ input: 1, output: 2, cache_write_5m: 3 }"), {});
    expect(models[0]?.price?.rates.cacheWrite).toBe(3_000_000_000n);
    expect(warnings).toEqual(["model m uses the price cache_write_5m, which is now called cache_write"]);
  });

  it("are read in the rows of steps and tiers too", () => {
    const row = (more: string) => `{ ${more}input: 2, output: 4, cache_write_5m: 6 }`;
    const price = `{ input: 1, output: 2, cache_write: 3, steps: [${row("above: 5, ")}], tiers: { flex: ${row("")} } }`;
    const { models, warnings } = parseManifest(fileOf(price), {});
    const { steps, tiers } = models[0]?.price?.dimensions ?? {};
    expect(steps?.[0]?.prices.cacheWrite).toBe(6_000_000_000n);
    expect(tiers?.["flex"]).toMatchObject({ prices: { cacheWrite: 6_000_000_000n } });
    const warning = "model m uses the price cache_write_5m, which is now called cache_write";
    expect(warnings).toEqual([warning, warning]);
  });
});
