import { describe, expect, it } from "vitest";
import { createBodyScan } from "../../base/json/json-scan.ts";
import { compileWatch } from "../../base/json/json-watch.ts";
import type { Model } from "../../catalog/catalog.ts";
import { NO_DIMENSIONS } from "../../catalog/price-table.ts";
import { holdPaths } from "../../protocols/body-features.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import { freezePrice } from "./frozen-price.ts";
import { estimateMaxCost, type RequestBound } from "./max-cost.ts";

/** One dollar a million for input makes a token a thousand nanos. */
const model = {
  id: "m",
  contextTokens: 200_000,
  maxOutputTokens: null,
  price: { id: 1n, rates: { input: 1_000_000_000n }, media: {} },
  quirks: {},
} as Partial<Model> as Model;

/** What vendors may put around a prompt. */
const FRAME_TOKENS = 128;

function boundOf(endpoint: "embeddings" | "rerank", body: object, of = model): RequestBound {
  const bytes = Buffer.from(JSON.stringify(body));
  const { hold } = PROTOCOLS[endpoint].forward;
  const scanner = createBodyScan(compileWatch([...holdPaths(hold)]));
  scanner.write(bytes);
  return estimateMaxCost({
    forward: { hold, outputLimits: [], responseCounts: [] },
    model: of,
    price: freezePrice(of, 1_000_000n, {}, 0),
    body: [bytes],
    scan: scanner.end(),
    settings: { maxPasses: 100, holdCalls: 1 },
  });
}

const holdOf = (endpoint: "embeddings" | "rerank", body: object, of = model): bigint =>
  boundOf(endpoint, body, of).amountNanos;

describe("the hold of texts", () => {
  it("counts a reranker's query once for every document", () => {
    const body = { query: "q".repeat(98), documents: ["a", "b", "c"] };
    const framed = JSON.stringify(body).length + FRAME_TOKENS + 3 * (100 + 4);
    expect(holdOf("rerank", body)).toBe(BigInt(framed) * 1000n);
  });

  describe("of an object among texts", () => {
    const media = { ...model, contextTokens: 30_000 };
    const held = (input: unknown[]) => holdOf("embeddings", { input }, media) / 1000n;

    it.each([
      { image: "https://example.com/a.png" },
      { image: "iVBORw0KGgo=" },
      { image_url: { url: "data:image/png;base64,AAAA" } },
      { content: [{ type: "text", text: "a" }] },
      { link: "gs://bucket/a.mp4" },
    ])("is the context of the model, as it may be an image, sound or a film: %j", (item) => {
      expect(held([item, "a"])).toBeGreaterThan(30_000n);
      expect(held([item, item])).toBeGreaterThan(60_000n);
      expect(holdOf("rerank", { query: item, documents: ["a", "b"] }, media) / 1000n).toBeGreaterThan(
        60_000n,
      );
    });

    it("is its words where it has nothing else", () => {
      expect(held([{ text: "a link like https://example.com" }, { title: "a", text: "b" }])).toBeLessThan(
        500n,
      );
    });

    it("is what the tokens of any medium cost at most, and images by their number", () => {
      const rates = { ...model.price?.rates, audioInput: 5_000_000_000n };
      const dimensions = { ...NO_DIMENSIONS, units: { image: 700n } };
      const priced = { ...media, price: { id: 1n, rates, dimensions, media: {} } };
      const input = [{ image: "https://example.com/a.png" }];
      const tokens = held(input);
      expect(holdOf("embeddings", { input }, priced)).toBe(tokens * 5_000n + 700n);
      expect(boundOf("embeddings", { input }, priced).usage.maxUnits).toEqual({ image: 1 });
      expect(holdOf("embeddings", { input: ["a"] }, priced)).toBe(held(["a"]) * 1_000n);
    });
  });
});
