import { describe, expect, it } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { NO_DIMENSIONS } from "../../catalog/price-table.ts";
import { readModel } from "../../manifest/file/read-item.ts";
import { publicList } from "../../price-lists/public-list.ts";
import type { KnownPrices } from "./contract.ts";
import { knownPriceOperations } from "./known-prices.ts";

const NOBODY = { groups: new Set<string>(), models: new Set<string>() };

async function known(search: string): Promise<KnownPrices["data"]> {
  const [operation] = knownPriceOperations();
  const answer = await operation?.run({ query: { search } } as never, undefined as never);
  return (answer as unknown as KnownPrices).data;
}

describe("public prices in the console", () => {
  it("are, as the catalog file reads them, the tables that the list is read into: steps, calls and modalities too", async () => {
    const list = await publicList(systemClock.nowMs());
    let compared = 0;
    for (const [vendor, name] of [
      ["openai", "OpenAI"],
      ["anthropic", "Anthropic"],
      ["google", "Google"],
    ] as const) {
      for (const { vendor: of, model, price } of await known(name)) {
        if (of !== name) continue;
        const endpoints = price.output === undefined ? ["embeddings"] : undefined;
        const terms = { id: "m", context_tokens: 10, max_output_tokens: 10, endpoints, price };
        const read = readModel(terms, NOBODY).price;
        const entry = list.entries.find((each) => each.vendor === vendor && each.model === model);
        expect({ base: read?.rates, ...(read?.dimensions ?? NO_DIMENSIONS) }, model).toEqual(
          entry?.read().table,
        );
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(100);
  });

  it("hold every word of a search, and at most a hundred", async () => {
    const [sonnet] = await known("claude sonnet 4.5 anthropic");
    expect(sonnet?.price).toMatchObject({ input: "3", steps: [{ above: 200_000, input: "6" }] });
    expect(await known("nobody sells this")).toEqual([]);
    expect(await known("")).toHaveLength(100);
  });
});
