import { describe, expect, it } from "vitest";
import { readAmount, readNanos, typedAmount } from "./amount.ts";

describe("an amount that was typed", () => {
  it.each([
    ["25", "25", "25000000000"],
    ["0.50", "0.50", "500000000"],
    [" $12 ", "12", "12000000000"],
    ["$ 1.5", "1.5", "1500000000"],
    ["0.000000001", "0.000000001", "1"],
    ["007", "007", "7000000000"],
    ["999999999", "999999999", "999999999000000000"],
  ])("%j is %s dollars", (typed, text, nanos) => {
    expect([readAmount(typed), readNanos(typed)]).toEqual([text, nanos]);
  });

  it.each([
    ..."1,50|1,000|1,000.50|1.000,50|1'000|1 000|1 50|1e3|1E-2|0x10|.5|5.|1.|-1|+1|1.0000000001".split("|"),
    ...["1000000000", "", " ", "$", "$$1", "€5", "5 USD", "NaN", "Infinity", "１", "1.5.0", "1\u00a0000"],
  ])("%j is refused", (typed) => {
    expect([readAmount(typed), readNanos(typed)]).toEqual([undefined, undefined]);
  });

  it("is typed again as it was kept", () => {
    for (const nanos of ["0", "1", "1500000000", "25000000000"])
      expect(readNanos(typedAmount(nanos))).toBe(nanos);
  });
});
