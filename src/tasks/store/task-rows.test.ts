import { describe, expect, it } from "vitest";
import { storableJson, storableResult } from "./task-rows.ts";

/** As a vendor might nest it: JSON.parse takes any depth, JSON.stringify and jsonb do not. */
function nested(levels: number): unknown {
  return JSON.parse("[".repeat(levels) + "]".repeat(levels));
}

describe("a vendor's usage object", () => {
  it("is stored as it is", () => {
    const usage = { total_tokens: 9, details: [{ seconds: 5.04 }] };
    expect(storableJson(usage)).toEqual(usage);
  });

  it.each([
    ["nested beyond reason", nested(4_900)],
    ["nested without end", nested(200_000)],
    ["a flood", { words: "x".repeat(20_000) }],
    ["with what jsonb refuses", { words: "\u0000" }],
  ])("is left out where it is %s, and its result is not", (_how, usage) => {
    expect(storableJson(usage)).toBeNull();
    const outputs = [{ url: "https://v.example/1.mp4" }];
    expect(storableResult({ outputs, durationSeconds: 5, usage })).toBe(
      JSON.stringify({ outputs, durationSeconds: 5 }),
    );
  });
});
