import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BudgetRow } from "../../../../src/console/budgets/contract.ts";
import { draftOf, EMPTY_DRAFT, readPercents, termsOf } from "./terms.ts";

describe("the form of a budget", () => {
  it("sends what it was given back if nothing is touched", () => {
    const row = {
      name: "team",
      amount_nanos: "1500000000",
      period: "week",
      hard: true,
      alerts: {
        percents: [80, 100],
        targets: [
          { kind: "teams", url: "https://example.com/t" },
          { kind: "email", address: "ops@example.com" },
        ],
      },
    } as unknown as BudgetRow;
    expect(termsOf(draftOf(row))).toEqual(row);
  });

  it("sends no target without a URL", () => {
    const draft = { ...EMPTY_DRAFT, name: " team ", amount: "25" };
    const none = {
      name: "team",
      amount_nanos: "25000000000",
      alerts: { percents: [50, 80, 100], targets: [] },
    };
    expect(termsOf(draft)).toMatchObject(none);
    const targets = [...EMPTY_DRAFT.targets, { kind: "webhook", place: " https://example.com " } as const];
    expect(termsOf({ ...draft, targets })?.alerts.targets).toEqual([
      { kind: "webhook", url: "https://example.com" },
    ]);
  });

  it("sends nothing for an amount or percentages that could be read in two ways", () => {
    for (const amount of ["", "1,50", "1.5.0", "-3"])
      expect(termsOf({ ...EMPTY_DRAFT, name: "team", amount })).toBeUndefined();
    for (const percents of ["0", "1001", "80.5", "50, fifty", "80, 80", "-5", "1 2 3 4 5 6 7 8 9 10 11"])
      expect(termsOf({ ...EMPTY_DRAFT, name: "team", amount: "1", percents })).toBeUndefined();
  });

  it("reads any ten different percentages, however they are separated", () => {
    const percents = fc.uniqueArray(fc.integer({ min: 1, max: 1000 }), { maxLength: 10 });
    fc.assert(
      fc.property(percents, fc.constantFrom(",", ", ", " ", "，", "%, "), (given, separator) => {
        expect(readPercents(given.join(separator))).toEqual(given);
      }),
    );
  });
});
