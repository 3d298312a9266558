import { describe, expect, it } from "vitest";
import { inputMoment } from "./contract-parts.ts";

describe("a moment that is given to the console", () => {
  it("has a year of four digits in UTC too, as answers and catalog files write no other", () => {
    const faultOf = (text: string) => inputMoment.safeParse(text).error?.issues[0]?.message ?? "";
    expect(faultOf("9999-12-31T23:59:59Z")).toBe("");
    expect(faultOf("9999-12-31T23:59:59-08:00")).toContain("four digits in UTC");
    expect(faultOf("soon")).toContain("must be a time with its zone");
  });
});
