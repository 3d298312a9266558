import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasMoreValues } from "./json-values.ts";

/** Counts by parsing: a comma between any two members or items, and one for each object and list. */
function counted(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const inner = Object.values(value);
  return 1 + Math.max(0, inner.length - 1) + inner.reduce<number>((sum, each) => sum + counted(each), 0);
}

const has = (text: string, most: number): boolean =>
  hasMoreValues(Buffer.from(text), 0, Buffer.byteLength(text), most);

describe("the values of JSON text", () => {
  it("are as many as parsing finds, whatever its strings hold", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const values = counted(value);
        expect(has(text, values)).toBe(false);
        if (values > 0) expect(has(text, values - 1)).toBe(true);
      }),
    );
  });

  it("stand in no string, however it escapes its quotes", () => {
    expect(has(String.raw`{"a\\":"[[[,,,\"{{{\\\"","b":"\\"}`, 2)).toBe(false);
  });

  it("are those between the two places only", () => {
    const text = Buffer.from("[1,2,3],[4,5,6]");
    expect(hasMoreValues(text, 0, 7, 3)).toBe(false);
    expect(hasMoreValues(text, 0, text.length, 3)).toBe(true);
  });
});
