import { describe, expect, it } from "vitest";
import { definedFields } from "./defined-fields.ts";

describe("definedFields", () => {
  it("leaves out what is undefined, and keeps the order and every other value", () => {
    const fields = definedFields({ b: 1, none: undefined, a: null, empty: "", no: false, zero: 0n });
    expect(Object.entries(fields)).toEqual([
      ["b", 1],
      ["a", null],
      ["empty", ""],
      ["no", false],
      ["zero", 0n],
    ]);
  });
});
