import { describe, expect, it } from "vitest";
import { revisionOf } from "./input.ts";

describe("a record's revision", () => {
  it("is the same for the same fields in any order, and without those that are undefined", () => {
    const one = { a: 1, b: { c: [1, 2], d: null }, e: 5n, f: new Date(0) };
    const same = { f: "1970-01-01T00:00:00.000Z", b: { d: null, c: [1, 2] }, a: 1, e: 5n, g: undefined };
    expect(revisionOf(same)).toBe(revisionOf(one));
    expect(revisionOf(one)).toMatch(/^[0-9a-f]{32}$/);
  });

  it("is another for another value, order of a list, or missing field", () => {
    const states = [{ a: [1, 2] }, { a: [2, 1] }, { a: [1] }, { a: null }, {}, null, { a: { b: 1 } }];
    expect(new Set(states.map(revisionOf)).size).toBe(states.length);
  });
});
