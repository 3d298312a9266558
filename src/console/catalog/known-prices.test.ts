import { calcPrice, findProvider } from "@pydantic/genai-prices";
import { describe, expect, it } from "vitest";
import { PPM } from "../../base/money.ts";
import { price } from "../../billing/pricing/price.ts";
import { NO_DIMENSIONS } from "../../catalog/price-table.ts";
import { readModel } from "../../manifest/file/read-item.ts";
import type { KnownPrices } from "./contract.ts";
import { knownPriceOperations } from "./known-prices.ts";

const NOBODY = { groups: new Set<string>(), models: new Set<string>() };

async function known(search: string): Promise<KnownPrices["data"]> {
  const [operation] = knownPriceOperations();
  const answer = await operation?.run({ query: { search } } as never, undefined as never);
  return (answer as unknown as KnownPrices).data;
}

const VENDORS: Readonly<Record<string, string>> = {
  Anthropic: "anthropic",
  Google: "google",
  OpenAI: "openai",
};

describe("public prices of models with steps", () => {
  it("cost what the public list itself computes, on both sides of each step", async () => {
    let compared = 0;
    for (const [vendor, providerId] of Object.entries(VENDORS)) {
      expect(findProvider({ providerId })?.name).toBe(vendor);
      for (const { vendor: of, model, price: listed } of await known(vendor)) {
        if (of !== vendor || listed.steps === undefined) continue;
        const terms = { id: "m", context_tokens: 10, max_output_tokens: 10, price: listed };
        const { rates, dimensions = NO_DIMENSIONS } = readModel(terms, NOBODY).price ?? { rates: {} };
        for (const { above } of listed.steps) {
          for (const input of [above, above + 1]) {
            const usage = { inputUncached: input - 1_000, cacheRead: 1_000, outputVisible: 500 };
            const ours = price({ base: rates, ...dimensions }, { passes: [usage] }, { factorPpm: PPM });
            const theirs = calcPrice(
              { input_tokens: input, cache_read_tokens: 1_000, output_tokens: 500 },
              model,
              { providerId },
            );
            expect(Number(ours.chargeNanos) / 1e9, `${model} ${input}`).toBeCloseTo(
              theirs?.total_price ?? -1,
              8,
            );
            compared += 1;
          }
        }
      }
    }
    expect(compared).toBeGreaterThan(10);
  });
});
