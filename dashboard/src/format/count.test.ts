import { describe, expect, it } from "vitest";
import { formatCount, formatShare, formatShortCount } from "./count.ts";

describe("counts", () => {
  it("have separators, and as text may outgrow a number", () => {
    expect(formatCount(1_234_567)).toBe("1,234,567");
    expect(formatCount("9007199254740993")).toBe("9,007,199,254,740,993");
  });

  it("are short where room is", () => {
    expect(formatShortCount(1_234_567)).toBe("1.2M");
  });
});

describe("formatShare", () => {
  it("never calls something nothing", () => {
    expect([0, 0.0001, 0.0123, 0.5, 1].map(formatShare)).toEqual(["0%", "<0.1%", "1.2%", "50%", "100%"]);
  });
});
