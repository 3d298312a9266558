import { describe, expect, it } from "vitest";
import { asObject } from "../json.ts";
import { latestCounts } from "./latest-counts.ts";

const wide = (name: string) =>
  Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`${name}${at}`, 1]));

describe("the counts of a stream", () => {
  it("keep as many fields as a vendor's usage has, however many are stated, and in how many events", () => {
    const first = latestCounts(undefined, { output_tokens: 5, ...wide("a"), details: wide("b") });
    const nested = latestCounts({ output_tokens: 5, details: wide("c") }, { details: wide("d") });
    const joined = latestCounts(first, { output_tokens: 7, ...wide("e") });
    for (const counts of [first, joined, asObject(nested["details"]) ?? {}])
      expect(Object.keys(counts).length).toBeLessThan(1_000);
    expect(joined["output_tokens"]).toBe(7);
  });
});
