import { describe, expect, it } from "vitest";
import { formatDuration } from "./duration.ts";

describe("formatDuration", () => {
  it.each([
    [0.42, "0.4 ms"],
    [840, "840 ms"],
    [1_300, "1.3 s"],
    [42_000, "42 s"],
    [240_000, "4 min"],
    [3_600_000, "1 h"],
    [7_500_000, "2 h 5 min"],
    [3 * 86_400_000, "3 d"],
  ])("says %d ms as a person does: %s", (ms, text) => {
    expect(formatDuration(ms, "en")).toBe(text);
  });

  it("says it in Chinese too", () => {
    expect(formatDuration(1_300, "zh")).toBe("1.3 秒");
  });
});
