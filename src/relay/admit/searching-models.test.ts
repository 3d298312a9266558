import { describe, expect, it } from "vitest";
import { chargeOf } from "../../billing/pricing/charge.ts";
import type { Catalog, Model } from "../../catalog/catalog.ts";
import { withListedTools } from "../../catalog/listed-tool-prices.ts";
import { NO_DIMENSIONS } from "../../catalog/price-table.ts";
import { listedToolsOf } from "../../upstreams/kinds.ts";
import { searchesByDefault, unrequestedCalls } from "./searching-models.ts";

/** A model by its name at OpenAI, with the list prices of tools there. */
function priced(name: string, quirks: Readonly<Record<string, unknown>> = {}) {
  const upstream = { kind: "openai", baseUrl: "https://api.openai.com/v1", models: new Map([["m", name]]) };
  const price = { id: 1n, rates: { input: 2_500_000_000n, output: 10_000_000_000n }, media: {} };
  const bare = { id: "m", quirks, price: { ...price, dimensions: NO_DIMENSIONS } } as unknown as Model;
  const model = withListedTools(bare, [upstream], (kind) => listedToolsOf(kind));
  const catalog = { serving: () => [upstream] } as unknown as Catalog;
  return { model, catalog };
}

function frozen(name: string, quirks?: Readonly<Record<string, unknown>>) {
  const { model, catalog } = priced(name, quirks);
  const { rates, dimensions } = model.price ?? { rates: {}, dimensions: NO_DIMENSIONS };
  const calls = unrequestedCalls(catalog, model, { group: "g" });
  return { priceId: 1n, factorPpm: 1_000_000n, rates, dimensions, unrequestedCalls: calls };
}

const usage = { inputUncached: 10, outputVisible: 2 };
// 10 x 2,500 nanos + 2 x 10,000 nanos.
const TOKENS = 45_000n;

describe("models that search for each response", () => {
  it.each([
    // $25 per 1,000.
    ["gpt-4o-search-preview", 25_000_000n],
    ["gpt-4o-search-preview-2025-03-11", 25_000_000n],
    ["gpt-4o-mini-search-preview", 25_000_000n],
    ["gpt-4o-mini-search-preview-2025-03-11", 25_000_000n],
    // $10 per 1,000.
    ["gpt-5-search-api", 10_000_000n],
    ["gpt-5-search-api-2025-10-14", 10_000_000n],
    ["gpt-4o", 0n],
    ["gpt-5", 0n],
  ])("pay one search a response, forwarded or translated, and no estimate: %s", (name, search) => {
    for (const withoutOptions of [undefined, true] as const) {
      const charge = chargeOf(frozen(name), { usage, withoutOptions });
      expect(charge.chargeNanos).toBe(TOKENS + search);
      expect(charge.isCallEstimated).toBeUndefined();
    }
    const { model, catalog } = priced(name);
    expect(searchesByDefault(catalog, model, { group: "g" })).toBe(search > 0n);
  });

  it("pay as many as requests were sent, and once where the request asks for a search too", () => {
    const price = frozen("gpt-5-search-api");
    expect(chargeOf(price, { usage, requests: 3, withoutOptions: true }).chargeNanos).toBe(
      TOKENS + 3n * 10_000_000n,
    );
    const asked = { ...price, tools: ["web_search"], fees: ["web_search"] };
    expect(chargeOf(asked, { usage })).toMatchObject({ chargeNanos: TOKENS + 10_000_000n });
  });

  it("pay what the response counts, and nothing where the operator says that the model never searches", () => {
    const told = [{ tool: "web_search", count: 2 }];
    expect(chargeOf(frozen("gpt-5-search-api"), { usage, calls: told }).chargeNanos).toBe(
      TOKENS + 20_000_000n,
    );
    const none = [{ tool: "web_search", count: 0 }];
    expect(chargeOf(frozen("gpt-5-search-api"), { usage, calls: none }).chargeNanos).toBe(TOKENS);
    expect(chargeOf(frozen("gpt-5-search-api", { searches: false }), { usage }).chargeNanos).toBe(TOKENS);
  });
});
