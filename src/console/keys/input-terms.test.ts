import { describe, expect, it } from "vitest";
import type { Catalog } from "../../catalog/catalog.ts";
import { inputTerms } from "./input-terms.ts";
import type { ShownKey } from "./key-rows-store.ts";

const catalog = {
  models: new Map([
    ["open", { groups: null }],
    ["ours", { groups: new Set(["default"]) }],
    ["theirs", { groups: new Set(["partners"]) }],
    ["unreleased", { groups: new Set() }],
  ]),
} as unknown as Catalog;

function refusalOf(models: string[], group: string | undefined, before?: readonly string[]): string {
  const key = before && ({ models: before } as ShownKey);
  try {
    inputTerms({ models }, { catalog, group, nowMs: 0 }, key);
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

describe("the models that a key is given", () => {
  it("are those its account's group sees: one that it does not see is as unknown as one that is none", () => {
    expect(refusalOf(["open", "ours"], "default")).toBe("");
    for (const id of ["theirs", "unreleased", "none"])
      expect(refusalOf([id], "default")).toBe(`models: there is no model "${id}".`);
  });

  it("may be any there is where an operator gives them, and stay where the key had them", () => {
    expect(refusalOf(["theirs", "unreleased"], undefined)).toBe("");
    expect(refusalOf(["none"], undefined)).toContain("there is no model");
    expect(refusalOf(["theirs", "open"], "default", ["theirs"])).toBe("");
  });
});
