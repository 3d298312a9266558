import { readFileSync } from "node:fs";
import { calcPrice } from "@pydantic/genai-prices";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PPM } from "../../src/base/money.ts";
import { price } from "../../src/billing/pricing/price.ts";
import { hoursAt, NO_DIMENSIONS, type PriceTable } from "../../src/catalog/price-table.ts";
import { readModel } from "../../src/manifest/file/read-item.ts";
import type { PricedUsage } from "../../src/usage/priced-usage.ts";
import { CALL_KEYS, type PublicModel, publicModels } from "../support/public-prices.ts";

const VENDORS =
  "anthropic openai google deepseek mistral x-ai moonshotai zai minimax cohere perplexity groq cerebras together fireworks novita azure aws ovhcloud avian openrouter";

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
    ].map((id) => [`openrouter ${id}`, "0.08333333333333334 has more than 9 places"]),
  ),
  // Tokens of the passages that it cites, a kind of token that nobody else bills.
  "perplexity sonar-deep-research": "it is priced by output_citation_mtok",
};

const NOBODY = { groups: new Set<string>(), models: new Set<string>() };

/** The price table that the catalog makes of it. Throws where it refuses it. */
function tableOf({ price: spelt, listed, reason }: PublicModel): PriceTable {
  if (spelt === undefined) throw new Error(reason);
  const isGenerating = listed["output_mtok"] !== undefined || Object.keys(listed).length === 0;
  const terms = isGenerating
    ? { context_tokens: 10, max_output_tokens: 10 }
    : { endpoints: ["embeddings"], context_tokens: 10 };
  const { rates, dimensions = NO_DIMENSIONS } = readModel({ id: "m", ...terms, price: spelt }, NOBODY)
    .price ?? {
    rates: {},
  };
  return { base: rates, ...dimensions };
}

const MODELS = publicModels(VENDORS.split(" ")).map((model) => {
  try {
    return { model, table: tableOf(model), reason: "" };
  } catch (error) {
    return { model, table: undefined, reason: error instanceof Error ? error.message : String(error) };
  }
});

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
  listed: PublicModel["listed"],
  input: number,
  drawn: typeof shares extends fc.Arbitrary<infer T> ? T : never,
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
  const tools = Object.entries(CALL_KEYS).filter(([key]) => listed[key] !== undefined);
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

describe("the bundled public list", () => {
  it("is expressed by the catalog for at least 99 % of its text models; the others are named", () => {
    const named = MODELS.flatMap(({ model, table, reason }) =>
      table === undefined ? [[`${model.vendor} ${model.id}`, reason] as const] : [],
    );
    const share = 1 - named.length / MODELS.length;
    const { version } = JSON.parse(
      readFileSync(
        new URL("../../node_modules/@pydantic/genai-prices/package.json", import.meta.url),
        "utf8",
      ),
    ) as { version: string };
    process.stdout.write(
      `genai-prices ${version}: ${MODELS.length} text models, ${(share * 100).toFixed(2)} % expressed\n`,
    );
    expect(MODELS.length).toBeGreaterThan(1_000);
    expect(Object.fromEntries(named)).toEqual(UNEXPRESSED);
    expect(share).toBeGreaterThanOrEqual(0.99);
  });

  it("computes the same amounts, at every boundary and hour, of each model that both can price", () => {
    let compared = 0;
    for (const { model, table } of MODELS) {
      if (table === undefined) continue;
      const { vendor, id, listed, boundaries, moments } = model;
      const inputs = boundaries.flatMap((above) => [above, above + 1, 2 * above]);
      for (const drawn of fc.sample(shares, { numRuns: 3, seed: 20_261_127 })) {
        for (const timestamp of moments) {
          for (const input of [drawn.input, ...inputs]) {
            const { ours, theirs } = usageOf(listed, input, drawn);
            const hours = hoursAt(table.hours, timestamp.getTime())?.name;
            const cost = price(table, ours, { factorPpm: PPM, hours });
            const listedCost = calcPrice(theirs, id, { providerId: vendor, timestamp })?.total_price ?? -1;
            const difference = Math.abs(Number(cost.chargeNanos) / 1e9 - listedCost);
            expect(cost.unpriced, id).toEqual([]);
            if (difference > 1e-9 + listedCost * 1e-10)
              expect(`${vendor} ${id} at ${input}: ${cost.chargeNanos}`).toBe(`${listedCost}`);
            compared += 1;
          }
        }
      }
    }
    process.stdout.write(`${compared} amounts compared with the list's own arithmetic\n`);
    expect(compared).toBeGreaterThan(3_000);
  });
});
