import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { generateRedemptionCode, readRedemptionCode, redemptionCodeHint } from "./redemption-code.ts";

const code = fc.constant(null).map(() => generateRedemptionCode());

describe("a redemption code", () => {
  it("has a form that reads well, and no two are alike", () => {
    const codes = Array.from({ length: 1_000 }, generateRedemptionCode);
    for (const each of codes) expect(each).toMatch(/^FG(-[0-9A-HJKMNP-TV-Z]{4}){4}$/);
    expect(new Set(codes).size).toBe(codes.length);
  });

  it("is read however it is typed", () => {
    fc.assert(
      fc.property(code, fc.constantFrom(" ", "", " - ", "–"), fc.boolean(), (each, between, bare) => {
        const typed = each
          .slice(bare ? 3 : 0)
          .replaceAll("-", between)
          .toLowerCase();
        expect(readRedemptionCode(` ${typed.replaceAll("0", "o").replaceAll("1", "l")} `)).toBe(each);
      }),
    );
  });

  it("with one letter mistaken is no code, but for one slip in a hundred", () => {
    const slips = Array.from({ length: 2_000 }, (_, index) => {
      const each = generateRedemptionCode();
      const place = 3 + (index % 16) + Math.floor((index % 16) / 4);
      const letter = each[place] === "7" ? "8" : "7";
      return readRedemptionCode(each.slice(0, place) + letter + each.slice(place + 1));
    });
    expect(slips.filter((read) => read !== undefined).length).toBeLessThan(20);
  });

  it.each(["", "FG", "FG-AAAA-BBBB-CCCC", "sk-123", "UUUU-UUUU-UUUU-UUUU"])("is not %j", (typed) => {
    expect(readRedemptionCode(typed)).toBeUndefined();
  });

  it("gives little of itself away in a list", () => {
    const each = generateRedemptionCode();
    expect(redemptionCodeHint(each)).toBe(`${each.slice(0, 7)}…`);
  });
});
