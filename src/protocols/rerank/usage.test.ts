import { describe, expect, it } from "vitest";
import { rerankUsage } from "./usage.ts";

describe("usage of rerank answers", () => {
  it.each([
    { usage: { total_tokens: 7 } },
    { meta: { billed_units: { input_tokens: 7 } } },
    // Bills by tokens, and has the other vendor's units beside them.
    { meta: { billed_units: { input_tokens: 0, search_units: 0 }, tokens: { input_tokens: 7 } } },
  ])("is read off %j", (stated) => {
    const facts = rerankUsage.readPlain({ results: [{ index: 0, relevance_score: 1 }], ...stated });
    expect(facts.usage?.tokens).toEqual({ inputUncached: 7, outputVisible: 0 });
  });
});
