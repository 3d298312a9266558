import { describe, expect, it } from "vitest";
import { asObject } from "../json.ts";
import { keptUsage, latestCounts } from "./latest-counts.ts";

const wide = (name: string) =>
  Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`${name}${at}`, 1]));

describe("the counts of a stream", () => {
  it("keep no more values than some vendor's usage has, however many are stated, and in how many events", () => {
    const first = latestCounts(undefined, { output_tokens: 5, ...wide("a"), details: wide("b") });
    let joined = latestCounts(first, { output_tokens: 7, ...wide("e"), details: wide("d") });
    for (let at = 0; at < 20; at += 1)
      joined = latestCounts(joined, { ...wide(`f${at}`), list: [wide("g")] });
    const all = { ...joined, ...asObject(joined["details"]) };
    expect(Object.keys(all).length).toBeLessThan(3_000);
    expect(joined["output_tokens"]).toBe(7);
    expect(joined["omitted_fields"]).toBeGreaterThan(9_000);
  });

  it("are joined in place once they are ours, and change nothing of a vendor's", () => {
    const [first, second] = [{ a: 1, details: { b: 2, list: [1] } }, { details: { c: 3 } }];
    const stated = JSON.stringify([first, second]);
    const joined = latestCounts(latestCounts(undefined, first), second);
    expect(joined).toEqual({ a: 1, details: { b: 2, list: [1], c: 3 } });
    expect(latestCounts(joined, { details: { b: 4 }, d: { e: 5 } })).toBe(joined);
    expect(latestCounts(joined, { a: { f: 6 }, details: 7 })).toEqual({
      a: { f: 6 },
      details: 7,
      d: { e: 5 },
    });
    expect(JSON.stringify([first, second])).toBe(stated);
  });

  it("have room again for what is replaced", () => {
    const list = (at: number) => ({ iterations: Array.from({ length: 250 }, () => ({ input_tokens: at })) });
    let joined = latestCounts(undefined, list(0));
    for (let at = 1; at <= 50; at += 1) joined = latestCounts(joined, list(at));
    expect(joined).toEqual(list(50));
  });

  it("are kept as they are where a vendor could have stated them", () => {
    const honest = { output_tokens: 5, iterations: [{ type: "message", input_tokens: 3 }], cost: null };
    expect(keptUsage(honest)).toBe(honest);
  });

  it("say in one number how many values are not kept, wherever they stand", () => {
    const texts = { output_tokens: 5, note: "x".repeat(10_000), ["k".repeat(10_000)]: 1 };
    expect(keptUsage(texts)).toEqual({ output_tokens: 5, omitted_fields: 2 });
    const list = keptUsage({ output_tokens: 5, iterations: Array.from({ length: 10_000 }, () => 1) });
    expect(list["omitted_fields"]).toBe(10_000 - 256);
    const nested = keptUsage({ output_tokens: 5, details: Array.from({ length: 50 }, () => wide("a")) });
    expect(JSON.stringify(nested).length).toBeLessThan(50_000);
    expect(nested["omitted_fields"]).toBeGreaterThan(400_000);
  });

  it("are kept beside a nest", () => {
    let deep: object = {};
    for (let level = 0; level < 100_000; level += 1) deep = { deep };
    const kept = keptUsage({ output_tokens: 5, deep });
    expect(kept).toMatchObject({ output_tokens: 5, omitted_fields: 1 });
    expect(JSON.stringify(kept).length).toBeLessThan(1_000);
  });
});
