import { expect, it } from "vitest";
import { KIND_NAMES, listedToolsOf } from "../upstreams/kinds.ts";
import { misspeltTool } from "./tool-names.ts";

it("holds none of the listed tools for another one that is misspelt", () => {
  const listed = KIND_NAMES.flatMap((kind) => listedToolsOf(kind)).map(({ tool }) => tool);
  expect(listed.length).toBeGreaterThan(10);
  expect(listed.filter((tool) => misspeltTool(tool) !== undefined)).toEqual([]);
});

it.each([
  ["web_serch", "web_search"],
  ["webSerch", "web_search"],
  ["web_serch_20250305", "web_search"],
  ["code_interpeter", "code_interpreter"],
  ["lookup", undefined],
])("tells which tool a misspelt name means: %s", (name, meant) => {
  expect(misspeltTool(name)).toBe(meant);
});
