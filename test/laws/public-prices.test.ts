import { readFileSync } from "node:fs";
import { calcPrice, findProvider, type ModelPrice } from "@pydantic/genai-prices";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PPM } from "../../src/base/money.ts";
import { type PricedUsage, price } from "../../src/billing/pricing/price.ts";
import { hoursAt, NO_DIMENSIONS, type PriceTable } from "../../src/catalog/price-table.ts";
import { BOUNDARIES, boundaryOf } from "../../src/price-lists/boundaries.ts";
import { toolOf } from "../../src/price-lists/genai-price.ts";
import { PUBLIC_LIST } from "../../src/price-lists/public-list.ts";
import { boundariesIn, LISTED_AT, onlyModel, publicModels } from "../support/public-prices.ts";

/** Of the list's models with this price the catalog refuses or cannot say it; each was looked at. */
const UNEXPRESSED: Readonly<Record<string, string>> = {
  // By day its input costs 4.07 times as much, its output 3.98 times.
  "deepseek deepseek-reasoner": "its prices at other hours have no one factor",
  // Cache writes at a twelfth of a dollar, which no decimal is.
  ...Object.fromEntries(
    [
      "google/gemini-2.5-flash-image",
      "google/gemini-2.5-flash-lite",
      "google/gemini-3-flash-preview",
      "google/gemini-3.1-flash-lite",
      "google/gemini-3.5-flash",
      "~google/gemini-flash-latest",
    ].map((id) => [
      `openrouter ${id}`,
      "cache_write_mtok is 0.08333333333333334, which has too many decimal places to be kept exactly",
    ]),
  ),
  // Tokens of the passages that it cites, a kind of token that nobody else bills.
  "perplexity sonar-deep-research": "it is priced by output_citation_mtok",
};

const SPEECH =
  "it transcribes or speaks, by the hour, at endpoints of its vendor that the gateway doesn't have";
const PAGES =
  "it reads pages, which only POST /v1/ocr counts (usage_info.pages_processed), and the gateway has no such endpoint";

/** Models that the list sells by what no response of the gateway's endpoints states; each was looked at. */
const APART: Readonly<Record<string, string>> = {
  "openai gpt-transcribe": SPEECH,
  "openai whisper-1": SPEECH,
  "mistral mistral-ocr-2503": PAGES,
  "mistral mistral-ocr-2505": PAGES,
  "mistral mistral-ocr-2512": PAGES,
  "mistral mistral-ocr-4-0": PAGES,
  "mistral mistral-ocr-4-1": PAGES,
  "mistral mistral-ocr-latest": PAGES,
  "mistral voxtral-mini-2602": SPEECH,
  "x-ai grok-voice-latest": SPEECH,
  "x-ai grok-voice-think-fast-1.0": SPEECH,
  "x-ai grok-voice-think-fast-2.0": SPEECH,
  "groq whisper-large-v3": SPEECH,
  "groq whisper-large-v3-turbo": SPEECH,
};

const MODELS = await publicModels();

/** How much of an input or an output goes to each bucket, in hundredths. */
const shares = fc.record({
  input: fc.integer({ min: 100, max: 400_000 }),
  output: fc.nat({ max: 60_000 }),
  parts: fc.array(fc.nat({ max: 9 }), { minLength: 12, maxLength: 12 }),
  searches: fc.nat({ max: 20 }),
});

interface Asked {
  readonly ours: PricedUsage;
  readonly theirs: Record<string, number>;
}

/** The same usage in both forms, of what the list has a price for. */
function usageOf(
  { vendor, listed }: { readonly vendor: string; readonly listed: ModelPrice },
  input: number,
  drawn: Drawn,
): Asked {
  let drawnParts = 0;
  const part = (key: string, whole: number): number => {
    const hundredths = drawn.parts[drawnParts++] ?? 0;
    return listed[key] === undefined ? 0 : Math.floor((whole * hundredths) / 100);
  };
  const output = listed["output_mtok"] === undefined ? 0 : drawn.output;
  const cacheRead = part("cache_read_mtok", input);
  const cacheWrite5m = part("cache_write_mtok", input);
  const cacheWrite1h = part("cache_write_1h_mtok", input);
  const audioInput = part("input_audio_mtok", input);
  const audioCacheRead = part("cache_audio_read_mtok", input);
  const imageInput = part("input_image_mtok", input);
  const imageCacheRead = part("cache_image_read_mtok", input);
  const videoInput = part("input_video_mtok", input);
  const outputReasoning = part("output_reasoning_mtok", output);
  const audioOutput = part("output_audio_mtok", output);
  const imageOutput = part("output_image_mtok", output);
  const videoOutput = part("output_video_mtok", output);
  const special =
    cacheRead +
    cacheWrite5m +
    cacheWrite1h +
    audioInput +
    audioCacheRead +
    imageInput +
    imageCacheRead +
    videoInput;
  const pass = {
    inputUncached: input - special,
    cacheRead,
    cacheWrite5m,
    cacheWrite1h,
    audioInput,
    audioCacheRead,
    imageInput,
    imageCacheRead,
    videoInput,
    outputVisible: output - outputReasoning - audioOutput - imageOutput - videoOutput,
    outputReasoning,
    audioOutput,
    imageOutput,
    videoOutput,
  };
  const tools = Object.keys(listed).flatMap((key) => {
    const tool = toolOf(vendor, key);
    return tool === undefined ? [] : [[key, tool] as const];
  });
  // The list wants to be told where counts overlap, be it not at all.
  const counted = {
    input_tokens: input,
    output_tokens: output,
    cache_read_tokens: cacheRead + audioCacheRead + imageCacheRead,
    cache_write_tokens: cacheWrite5m + cacheWrite1h,
    cache_write_1h_tokens: cacheWrite1h,
    input_audio_tokens: audioInput + audioCacheRead,
    cache_audio_read_tokens: audioCacheRead,
    input_image_tokens: imageInput + imageCacheRead,
    cache_image_read_tokens: imageCacheRead,
    input_video_tokens: videoInput,
    output_reasoning_tokens: outputReasoning,
    output_audio_tokens: audioOutput,
    output_image_tokens: imageOutput,
    output_video_tokens: videoOutput,
    ...Object.fromEntries(tools.map(([key]) => [key.replace("_kcount", ""), drawn.searches])),
  };
  return {
    ours: {
      passes: [Object.fromEntries(Object.entries(pass).filter(([, tokens]) => tokens > 0))],
      calls: tools.map(([, tool]) => ({ tool, count: drawn.searches })),
    },
    theirs: counted,
  };
}

type Drawn = typeof shares extends fc.Arbitrary<infer T> ? T : never;

/** Lengths of input on both sides of each boundary, those left out for which a reviewed boundary differs from the listed one. */
function lengthsOf(vendor: string, listed: ModelPrice): number[] {
  const boundaries = boundariesIn(listed);
  const isMoved = (length: number): boolean =>
    boundaries.some((start) => {
      const above = boundaryOf(vendor, start);
      return length > Math.min(start, above) && length <= Math.max(start, above);
    });
  return boundaries.flatMap((above) => [above, above + 1, 2 * above]).filter((length) => !isMoved(length));
}

/** What the list and we say that this costs, where they differ; undefined = they agree. */
function differenceOf(
  table: PriceTable,
  { ours, theirs }: Asked,
  { id, timestamp, options }: { readonly id: string; readonly timestamp: Date; readonly options: object },
): string | undefined {
  const hours = hoursAt(table.hours, timestamp.getTime())?.name;
  const cost = price(table, ours, { factorPpm: PPM, hours });
  const listedCost = calcPrice(theirs, id, { ...options, timestamp })?.total_price ?? -1;
  const difference = Math.abs(Number(cost.chargeNanos) / 1e9 - listedCost);
  if (cost.unpriced.length === 0 && difference <= 1e-9 + listedCost * 1e-10) return undefined;
  return `${id} at ${timestamp.toISOString()}: ${cost.chargeNanos}, listed ${listedCost}, ${cost.unpriced}`;
}

describe("the bundled public list", () => {
  it("is expressed by the catalog for at least 99 % of its text models; the others are named", () => {
    const named = MODELS.flatMap(({ vendor, id, read }) =>
      read.table === undefined ? [[`${vendor} ${id}`, read.reason] as const] : [],
    );
    const share = 1 - named.length / MODELS.length;
    process.stdout.write(
      `${PUBLIC_LIST.name}: ${MODELS.length} text models, ${(share * 100).toFixed(2)} % expressed\n`,
    );
    expect(MODELS.length).toBeGreaterThan(1_000);
    expect(Object.fromEntries(named)).toEqual(UNEXPRESSED);
    expect(share).toBeGreaterThanOrEqual(0.99);
  });

  it("has no model with a price beside those of text but the reviewed ones of speech and pages", () => {
    const read = new Set(MODELS.map(({ vendor, id }) => `${vendor} ${id}`));
    const vendors = [...new Set(MODELS.map(({ vendor }) => vendor))];
    const apart = vendors.flatMap((vendor) =>
      (findProvider({ providerId: vendor })?.models ?? []).flatMap(({ id }) => {
        const timestamp = LISTED_AT;
        const listed = calcPrice({}, id, { providerId: vendor, timestamp })?.model_price;
        return listed === undefined || read.has(`${vendor} ${id}`) ? [] : [`${vendor} ${id}`];
      }),
    );
    expect(apart.toSorted()).toEqual(Object.keys(APART).toSorted());
  });

  it("is named by the release that is installed", () => {
    const file = new URL("../../node_modules/@pydantic/genai-prices/package.json", import.meta.url);
    const { version } = JSON.parse(readFileSync(file, "utf8")) as { version: string };
    expect(PUBLIC_LIST.name).toBe(`genai-prices ${version}`);
  });

  it("computes the same amounts, at every boundary and hour, of each model that both can price", () => {
    let compared = 0;
    for (const { vendor, id, listed, read, moments } of MODELS) {
      if (read.table === undefined) continue;
      for (const drawn of fc.sample(shares, { numRuns: 3, seed: 20_261_127 })) {
        for (const timestamp of moments) {
          for (const input of [drawn.input, ...lengthsOf(vendor, listed)]) {
            const asked = usageOf({ vendor, listed }, input, drawn);
            const options = { providerId: vendor };
            const difference = differenceOf(read.table, asked, { id, timestamp, options });
            if (difference !== undefined) expect(difference, vendor).toBeUndefined();
            compared += 1;
          }
        }
      }
    }
    process.stdout.write(`${compared} amounts compared with the list's own arithmetic\n`);
    expect(compared).toBeGreaterThan(3_000);
  });

  it("has only round boundaries and reviewed ones, each of which is the vendor's on both sides", () => {
    const odd = MODELS.flatMap(({ vendor, id, listed, read }) =>
      boundariesIn(listed).flatMap((start) => {
        const isReviewed = BOUNDARIES.some((row) => row.vendor === vendor && row.listed.includes(start));
        if (!isReviewed) return start % 1_000 === 0 ? [] : [`${vendor} ${id} ${start}`];
        const steps = read.table?.steps.map(({ above }) => above) ?? [];
        return steps.includes(boundaryOf(vendor, start)) ? [] : [`${vendor} ${id} has ${steps}`];
      }),
    );
    expect(odd).toEqual([]);
    const gpt = MODELS.find(({ vendor, id }) => vendor === "openai" && id === "gpt-5.4")?.read.table;
    const grok = MODELS.find(({ vendor, id }) => vendor === "x-ai" && id === "grok-4.3")?.read.table;
    const costs = (table: PriceTable | undefined, input: number): bigint =>
      price(table ?? EMPTY, { passes: [{ inputUncached: input }] }, { factorPpm: PPM }).chargeNanos;
    // "prompts with >272K input tokens", and "requests whose prompt reaches 200k tokens".
    expect([costs(gpt, 272_000), costs(gpt, 272_001)]).toEqual([680_000_000n, 1_360_005_000n]);
    expect([costs(grok, 199_999), costs(grok, 200_000)]).toEqual([249_998_750n, 500_000_000n]);
  });
});

const EMPTY: PriceTable = { base: {}, ...NO_DIMENSIONS };

/** Prices of tokens that the list's arithmetic takes together: each with those that it is a part of. */
const KEY_SETS = [
  ["input_mtok", "output_mtok"],
  ["input_mtok", "output_mtok", "cache_read_mtok"],
  ["input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok", "cache_write_1h_mtok"],
  ["input_mtok", "output_mtok", "output_reasoning_mtok", "web_searches_kcount", "requests_kcount"],
  [
    "input_mtok",
    "output_mtok",
    "cache_read_mtok",
    "input_audio_mtok",
    "cache_audio_read_mtok",
    "output_audio_mtok",
  ],
  [
    "input_mtok",
    "output_mtok",
    "cache_read_mtok",
    "input_image_mtok",
    "cache_image_read_mtok",
    "output_image_mtok",
  ],
  ["input_mtok", "output_mtok", "input_video_mtok", "output_video_mtok"],
  ["input_mtok", "output_mtok", "output_citation_mtok"],
  ["input_mtok"],
];

const rate = fc.oneof(
  { weight: 20, arbitrary: fc.integer({ min: 0, max: 400_000 }).map((units) => units / 1_000) },
  { weight: 1, arbitrary: fc.constantFrom(1 / 12, 1e-10, 0.000_000_001) },
);

/** A price as the list has it: some rates with steps that rise or fall, some without. */
const listedPrices: fc.Arbitrary<ModelPrice> = fc
  .record({
    keys: fc.constantFrom(...KEY_SETS),
    rates: fc.array(rate, { minLength: 8, maxLength: 8 }),
    starts: fc.uniqueArray(fc.integer({ min: 1, max: 300_000 }), { maxLength: 2 }),
    factors: fc.array(fc.constantFrom(1, 1.5, 2, 4, 0.5), { minLength: 2, maxLength: 2 }),
    isFlat: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
  })
  .map(({ keys, rates, starts, factors, isFlat }) => {
    const rising = starts.sort((one, other) => one - other);
    return Object.fromEntries(
      keys.map((key, index) => {
        const base = rates[index] ?? 0;
        if (rising.length === 0 || isFlat[index] || key.endsWith("kcount")) return [key, base];
        const tiers = rising.map((start, step) => ({ start, price: base * (factors[step] ?? 1) }));
        return [key, { base, tiers }];
      }),
    );
  });

/** The same with other prices by day, by one factor or by several. */
const listedModels = fc.record({
  plain: listedPrices,
  hour: fc.integer({ min: 0, max: 23 }),
  length: fc.integer({ min: 1, max: 23 }),
  factor: fc.constantFrom(undefined, 0.5, 2, 1 / 3),
});

describe("generated prices of such a list", () => {
  it("cost what the list's own arithmetic says, or the model is named with the reason", () => {
    let expressed = 0;
    fc.assert(
      fc.property(listedModels, fc.array(shares, { minLength: 1, maxLength: 3 }), (model, usages) => {
        const { plain, hour, length, factor } = model;
        const clock = (at: number): string => `${String(at % 24).padStart(2, "0")}:00:00Z`;
        const constraint = {
          type: "time_of_date" as const,
          start_time: clock(hour),
          end_time: clock(hour + length),
        };
        const prices =
          factor === undefined
            ? plain
            : [{ prices: plain }, { constraint, prices: timesFactor(plain, factor) }];
        const { provider, read } = onlyModel(prices);
        if (read.table === undefined) {
          expect(read.reason).not.toBe("");
          return;
        }
        expressed += 1;
        for (const drawn of usages) {
          for (const input of [drawn.input, ...lengthsOf("v", plain)]) {
            for (const minute of [0, hour * 60, (hour + length) * 60 - 1, (hour + length) * 60]) {
              const timestamp = new Date(LISTED_AT.getTime() + minute * 60_000);
              const asked = usageOf({ vendor: "v", listed: plain }, input, drawn);
              expect(
                differenceOf(read.table, asked, { id: "m", timestamp, options: { provider } }),
              ).toBeUndefined();
            }
          }
        }
      }),
      { numRuns: 300 },
    );
    expect(expressed).toBeGreaterThan(60);
  });
});

function timesFactor(plain: ModelPrice, factor: number): ModelPrice {
  const entries = Object.entries(plain).map(([key, rate]): [string, ModelPrice[string]] => {
    if (rate === undefined || key.endsWith("kcount")) return [key, rate];
    if (typeof rate === "number") return [key, rate * factor];
    const tiers = rate.tiers.map(({ start, price: usd }) => ({ start, price: usd * factor }));
    return [key, { base: rate.base * factor, tiers }];
  });
  return Object.fromEntries(entries);
}
