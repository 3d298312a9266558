import { describe, expect, it } from "vitest";
import { NO_DIMENSIONS } from "../catalog/price-table.ts";
import type { ListedPrice } from "./list-entry.ts";
import { ListFormatError, readLitellmList } from "./litellm-list.ts";

const FILE = { name: "prices.json", date: "2026-12-01" };

/** A file of one model with these fields beside its input and output, as JSON text. */
function read(fields: string, provider = "openai"): ListedPrice {
  const text = `{"m": {"litellm_provider": "${provider}", "mode": "chat", "input_cost_per_token": 2.5e-06,
    "output_cost_per_token": 1.5e-05${fields === "" ? "" : `, ${fields}`}}}`;
  const [entry] = readLitellmList(text, FILE).entries;
  if (entry === undefined) throw new Error("no entry");
  return entry.read();
}

const BASE = { input: 2_500_000_000n, output: 15_000_000_000n };
const LONG = `"input_cost_per_token_above_272k_tokens": 5e-06, "output_cost_per_token_above_272k_tokens": 2.25e-05`;

describe("a file in LiteLLM's format", () => {
  it.each([
    ["nothing else", "", { base: BASE }],
    [
      "every price of tokens",
      `"output_cost_per_reasoning_token": 1.6e-05, "cache_read_input_token_cost": 2.5e-07,
       "cache_creation_input_token_cost": 3.125e-06, "cache_creation_input_token_cost_above_1hr": 5e-06,
       "input_cost_per_audio_token": 3.2e-05, "cache_read_input_audio_token_cost": 4e-07,
       "output_cost_per_audio_token": 6.4e-05, "input_cost_per_image_token": 5e-06, "output_cost_per_image_token": 3e-05,
       "input_cost_per_video_token": 6e-06, "output_cost_per_video_token": 1.75e-05`,
      {
        base: {
          ...BASE,
          reasoning: 16_000_000_000n,
          cacheRead: 250_000_000n,
          cacheWrite: 3_125_000_000n,
          cacheWrite1h: 5_000_000_000n,
          audioInput: 32_000_000_000n,
          audioCacheRead: 400_000_000n,
          audioOutput: 64_000_000_000n,
          imageInput: 5_000_000_000n,
          imageOutput: 30_000_000_000n,
          videoInput: 6_000_000_000n,
          videoOutput: 17_500_000_000n,
        },
      },
    ],
    [
      "steps",
      LONG,
      { base: BASE, steps: [{ above: 272_000, prices: { input: 5_000_000_000n, output: 22_500_000_000n } }] },
    ],
    [
      "tiers with one factor and with none",
      `"input_cost_per_token_priority": 5e-06, "output_cost_per_token_priority": 3e-05,
       "input_cost_per_token_batches": 1e-06, "output_cost_per_token_batches": 1e-05`,
      {
        base: BASE,
        tiers: {
          priority: { factor: 2_000_000n },
          batch: { prices: { input: 1_000_000_000n, output: 10_000_000_000n } },
        },
      },
    ],
    [
      "a tier for every length",
      `${LONG}, "input_cost_per_token_priority": 5e-06, "output_cost_per_token_priority": 3e-05,
       "input_cost_per_token_above_272k_tokens_priority": 1e-05, "output_cost_per_token_above_272k_tokens_priority": 4.5e-05`,
      {
        base: BASE,
        steps: [{ above: 272_000, prices: { input: 5_000_000_000n, output: 22_500_000_000n } }],
        tiers: { priority: { factor: 2_000_000n } },
      },
    ],
    [
      "searches of three prices",
      `"search_context_cost_per_query": {"search_context_size_low": 0.03, "search_context_size_medium": 0.035,
       "search_context_size_high": 0.05}`,
      {
        base: BASE,
        calls: {
          web_search: { per: "use", sizes: { low: 30_000_000n, medium: 35_000_000n, high: 50_000_000n } },
        },
      },
    ],
    [
      "searches of one price, regions, speeds and a price per request",
      `"search_context_cost_per_query": {"search_context_size_low": 0.01, "search_context_size_medium": 0.01,
       "search_context_size_high": 0.01}, "regional_processing_uplift_multiplier_eu": 1.1,
       "provider_specific_entry": {"us": 1.1, "fast": 6.0, "bedrock_invocation_schema": "x"},
       "input_cost_per_request": 0.005, "file_search_cost_per_1k_calls": 2.5`,
      {
        base: BASE,
        calls: {
          web_search: { per: "use", nanos: 10_000_000n },
          file_search: { per: "use", nanos: 2_500_000n },
        },
        regions: { eu: 1_100_000n, us: 1_100_000n },
        speeds: { fast: 6_000_000n },
        request: 5_000_000n,
      },
    ],
    [
      "other hours",
      `"off_peak_pricing": {"hours_utc": ["16:30-00:30"], "input_cost_per_token": 1.25e-06, "output_cost_per_token": 7.5e-06}`,
      { base: BASE, hours: [{ name: "hours 1", ranges: [{ from: 990, until: 30 }], factor: 500_000n }] },
    ],
    ["a price of 0 of something unknown", `"input_cost_per_wish": 0.0`, { base: BASE }],
  ])("says %s", (_, fields, table) => {
    expect(read(fields)).toEqual({ table: { ...NO_DIMENSIONS, ...table }, leftOut: [] });
  });

  it.each([
    ["cache_read_input_token_cost", "1.2500000000000001e-06", 1_250_000_000n, undefined],
    ["cache_read_input_token_cost", "3.0E-7", 300_000_000n, 300_000_000n],
    ["cache_read_input_token_cost", "0.000000300000000", 300_000_000n, 300_000_000n],
    ["cache_read_input_token_cost", "1e-15", 1n, 1n],
    ["cache_read_input_token_cost", "1e-16", 0n, undefined],
  ])("keeps %s of %s exactly or not at all", (field, written, _rounded, kept) => {
    const price = read(`"${field}": ${written}`);
    expect(price.table?.base.cacheRead).toBe(kept);
    if (price.table === undefined) expect(price.reason).toContain("too many decimal places");
  });

  it.each([
    ["a price that is unknown here", `"input_cost_per_wish": 0.1`, "it is priced by input_cost_per_wish"],
    [
      "a step that leaves out a name",
      `${LONG}, "cache_read_input_token_cost": 2.5e-07`,
      "the list has no cache_read above 272000 tokens of input",
    ],
    [
      "a price that is text",
      `"cache_read_input_token_cost": "3e-7"`,
      "cache_read_input_token_cost is no number",
    ],
    [
      "a price below 0",
      `"cache_read_input_token_cost": -3e-7`,
      "cache_read_input_token_cost is -3e-7, which is no price",
    ],
    [
      "hours without one factor",
      `"off_peak_pricing": {"hours_utc": ["16:30-00:30"], "input_cost_per_token": 1.25e-06}`,
      "its prices at other hours have no one factor",
    ],
    [
      "hours that take the place of its tiers",
      `"input_cost_per_token_priority": 5e-06, "output_cost_per_token_priority": 3e-05, "off_peak_pricing":
       {"hours_utc": "16:30-00:30", "input_cost_per_token": 1.25e-06, "output_cost_per_token": 7.5e-06}`,
      "its prices at other hours have no one factor",
    ],
  ])("names the model with %s", (_, fields, reason) => {
    expect(read(fields)).toEqual({ table: undefined, reason });
  });

  it.each([
    [
      "a name that it leaves out",
      `"cache_read_input_token_cost": 2.5e-07, "input_cost_per_token_batches": 1.25e-06, "output_cost_per_token_batches": 7.5e-06`,
      "tiers.batch: the list has no cache_read for it",
    ],
    [
      "a length that it leaves out",
      `${LONG}, "input_cost_per_token_priority": 5e-06, "output_cost_per_token_priority": 3e-05`,
      "tiers.priority: the list has no input, output for it above 272000 tokens of input",
    ],
    [
      "a factor of regions that have no names",
      `"regional_endpoint_uplift_multiplier": 1.1`,
      "regions: the list has one factor for all that are not global, and names none",
    ],
    [
      "a tool that responses name otherwise",
      `"code_interpreter_cost_per_session": 0.03`,
      "calls: sessions of the code interpreter",
    ],
  ])("leaves something out for %s, and says so", (_, fields, sentence) => {
    const price = read(fields);
    expect(price).toMatchObject({ table: { tiers: {}, regions: {}, calls: {} }, leftOut: [sentence] });
  });

  it("reads prices by ranges of input as steps, and xAI's boundaries as xAI means them", () => {
    const ranges = `"tiered_pricing": [{"range": [0, 32000], "input_cost_per_token": 1e-06, "output_cost_per_token": 2e-06},
      {"range": [32000, 128000], "input_cost_per_token": 2e-06, "output_cost_per_token": 4e-06}]`;
    expect(read(ranges).table).toMatchObject({
      base: { input: 1_000_000_000n },
      steps: [{ above: 32_000, prices: { input: 2_000_000_000n, output: 4_000_000_000n } }],
    });
    const grok = `"input_cost_per_token_above_200k_tokens": 5e-06, "output_cost_per_token_above_200k_tokens": 3e-05`;
    expect(read(grok, "xai").table?.steps.map(({ above }) => above)).toEqual([199_999]);
    expect(read(grok, "anthropic").table?.steps.map(({ above }) => above)).toEqual([200_000]);
  });

  it("finds models by the vendor's name for them, with and without a prefix, and by an alias", () => {
    const model = (provider: string, input: number, aliases = "[]") =>
      `{"litellm_provider": "${provider}", "mode": "chat", "input_cost_per_token": ${input}, "aliases": ${aliases}}`;
    const list = readLitellmList(
      `{"sample_spec": {"mode": "one of"}, "gpt-5.4": ${model("openai", 1, '["gpt-5.4-2026-03-05"]')},
        "gemini-3-pro": ${model("vertex_ai-language-models", 2)}, "gemini/gemini-3-pro": ${model("gemini", 3)},
        "dall-e-3": {"litellm_provider": "openai", "mode": "image_generation"}, "x": ${model("nobody", 4)}}`,
      FILE,
    );
    const found = (vendor: string, name: string) => list.find(vendor, name)?.model;
    expect([found("openai", "gpt-5.4"), found("openai", "gpt-5.4-2026-03-05")]).toEqual([
      "gpt-5.4",
      "gpt-5.4",
    ]);
    expect(found("google", "gemini-3-pro")).toBe("gemini/gemini-3-pro");
    expect([found("openai", "dall-e-3"), found("openai", "x"), found("x-ai", "gpt-5.4")]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it.each([
    ["{", "is not valid JSON"],
    ["[1]", "is not an object of models by name"],
    ["{}", "has no text model of a vendor that is known here"],
  ])("refuses %s", (text, sentence) => {
    expect(() => readLitellmList(text, FILE)).toThrow(new ListFormatError(sentence));
  });
});
