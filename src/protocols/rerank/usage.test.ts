import { describe, expect, it } from "vitest";
import { rerankUsage } from "./usage.ts";

const read = (stated: object) =>
  rerankUsage.readPlain({ results: [{ index: 0, relevance_score: 1 }], ...stated }).usage;

describe("usage of rerank answers", () => {
  it.each([
    { usage: { total_tokens: 7 } },
    { meta: { billed_units: { input_tokens: 7 } } },
    // Bills by tokens, and has the other vendor's units beside them.
    { meta: { billed_units: { input_tokens: 0, search_units: 0 }, tokens: { input_tokens: 7 } } },
  ])("is read off %j", (stated) => {
    const usage = read(stated);
    expect(usage?.tokens).toEqual({ inputUncached: 7, outputVisible: 0 });
    expect(usage?.units).toBeUndefined();
  });

  // https://docs.cohere.com/v2/reference/rerank
  it.each([
    { meta: { billed_units: { search_units: 2 } } },
    { meta: { billed_units: { search_units: 2 }, tokens: { input_tokens: 7 } } },
    { usage: { search_units: 2, total_tokens: 150 } },
  ])("are searches and no tokens where the vendor bills those: %j", (stated) => {
    const usage = read(stated);
    expect(usage?.units).toEqual({ search: 2 });
    expect(usage?.tokens).toEqual({ outputVisible: 0 });
  });
});
