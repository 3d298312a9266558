import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatAxisMoney, formatForecast, formatMoney, formatUsd } from "./money.ts";

describe("formatMoney", () => {
  it.each([
    ["0", "$0.00"],
    ["1", "$0.000000001"],
    ["412000", "$0.000412"],
    ["1500000000", "$1.50"],
    ["-1500000000", "−$1.50"],
    ["1234567891234567890", "$1,234,567,891.23456789"],
  ])("writes %s nanos as %s", (nanos, text) => {
    expect(formatMoney(nanos)).toBe(text);
  });

  it("loses no nano of any amount", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), (nanos) => {
        const text = formatMoney(String(nanos)).replace("−", "-").replace(/[$,]/g, "");
        const [whole = "", places = ""] = text.replace("-", "").split(".");
        const read = BigInt(whole + places.padEnd(9, "0"));
        expect(text.startsWith("-") ? -read : read).toBe(nanos);
      }),
    );
  });
});

describe("formatForecast", () => {
  it("is cents, and never below the amount: what costs something is not foreseen as nothing", () => {
    expect(["0", "1", "650000000", "652110290"].map(formatForecast)).toEqual([
      "$0.00",
      "$0.01",
      "$0.65",
      "$0.66",
    ]);
  });
});

describe("formatAxisMoney", () => {
  it("keeps the digits that tell ticks apart", () => {
    expect([0, 0.0002, 0.25, 3, 1200].map(formatAxisMoney)).toEqual([
      "$0",
      "$0.0002",
      "$0.25",
      "$3",
      "$1,200",
    ]);
  });
});

describe("formatUsd", () => {
  it("keeps every digit of a price, and at least two places", () => {
    expect(["3", "0.3", "0.28333333305", "12345.5"].map(formatUsd)).toEqual([
      "$3.00",
      "$0.30",
      "$0.28333333305",
      "$12,345.50",
    ]);
  });
});
