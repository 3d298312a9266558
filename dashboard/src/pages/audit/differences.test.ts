import { describe, expect, it } from "vitest";
import { differencesOf } from "./differences.ts";

describe("what an entry of the audit log changed", () => {
  it("is every leaf that differs, by its path", () => {
    const before = { name: "a", price: { input: "3", output: "15" }, groups: ["x"], same: 1 };
    const after = { name: "a", price: { input: "4", output: "15" }, groups: ["x", "y"], same: 1 };
    expect(differencesOf(before, after)).toEqual([
      { path: "price.input", before: "3", after: "4" },
      { path: "groups", before: "x", after: "x, y" },
    ]);
  });

  it("is told of a catalog by model, upstream and account, with a line for each field", () => {
    const changes = [
      "~ model a",
      "    price.input 1 -> 2",
      "    price.output 3 -> 4",
      "~ upstream b: weight 1 -> 2",
      "- model c",
      "! upstream d stays disabled: enable it",
    ];
    expect(differencesOf(null, { changes, prune: false })).toEqual([
      { path: "~ model a", before: undefined, after: "price.input 1 -> 2\nprice.output 3 -> 4" },
      { path: "~ upstream b", before: undefined, after: "weight 1 -> 2" },
      { path: "- model c", before: undefined, after: "" },
      { path: "! upstream d stays disabled: enable it", before: undefined, after: "" },
      { path: "prune", before: undefined, after: "false" },
    ]);
  });

  it("is everything where one side is not there, and texts stand for themselves", () => {
    expect(differencesOf(null, { enabled: true })).toEqual([
      { path: "enabled", before: undefined, after: "true" },
    ]);
    expect(differencesOf({ a: { b: null } }, undefined)).toEqual([
      { path: "a.b", before: "null", after: undefined },
    ]);
    expect(differencesOf("one", "two")).toEqual([{ path: "", before: "one", after: "two" }]);
    expect(differencesOf({}, {})).toEqual([]);
  });
});
