import { describe, expect, it } from "vitest";
import { ACCOUNT_PAGES, OPERATOR_PAGES } from "./navigation.ts";

describe("the letters that follow g", () => {
  it("lead to one page each, as an operator has all of them", () => {
    const letters = [...ACCOUNT_PAGES, ...OPERATOR_PAGES].map(({ letter }) => letter);
    expect(letters.filter((letter, at) => letters.indexOf(letter) !== at)).toEqual([]);
    // `g` again begins anew.
    expect(letters).not.toContain("g");
  });
});
