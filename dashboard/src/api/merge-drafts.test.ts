import { describe, expect, it } from "vitest";
import { mergeDrafts, takeTheirs } from "./merge-drafts.ts";

const base = {
  name: "a",
  weight: "1",
  models: [["x", "x"]],
  rates: { input: "1", output: "2" },
  flag: false,
};

describe("what was typed over what others wrote meanwhile", () => {
  it("keeps every field typed here, and takes the rest from there", () => {
    const mine = { ...base, name: "b", rates: { input: "1", output: "3" } };
    const theirs = { ...base, weight: "5", models: [], rates: { input: "9", output: "2" }, flag: true };
    expect(mergeDrafts({ base, mine, theirs })).toEqual({
      draft: { name: "b", weight: "5", models: [], rates: { input: "9", output: "3" }, flag: true },
      clashes: [],
    });
  });

  it("names the fields that both changed to different values, until the other's is taken", () => {
    const mine = { ...base, weight: "2", name: "same", rates: { input: "4", output: "2" } };
    const theirs = { ...base, weight: "5", name: "same", rates: { input: "9", output: "2" } };
    const { draft, clashes } = mergeDrafts({ base, mine, theirs });
    expect(draft).toEqual(mine);
    expect(clashes).toEqual([
      { path: ["weight"], there: "5" },
      { path: ["rates", "input"], there: "9" },
    ]);
    expect(clashes.reduce(takeTheirs, draft)).toEqual(theirs);
  });
});
