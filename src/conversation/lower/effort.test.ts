import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EFFORTS } from "../request.ts";
import { budgetOf } from "./effort.ts";

const limits = fc.integer({ min: 1, max: 200_000 });
const efforts = fc.option(fc.constantFrom(...EFFORTS), { nil: undefined });

describe("budgets of thinking", () => {
  it("keep to 1024 <= budget < limit, or there are none (rule 38)", () => {
    fc.assert(
      fc.property(
        limits,
        efforts,
        fc.option(fc.nat(300_000), { nil: undefined }),
        (limit, effort, budgetTokens) => {
          const wish = {
            enabled: true,
            ...(effort === undefined ? {} : { effort }),
            ...(budgetTokens === undefined ? {} : { budgetTokens }),
          };
          const budget = budgetOf(wish, limit);
          if (limit <= 1024) {
            expect(budget).toBeUndefined();
          } else {
            expect(budget).toBeGreaterThanOrEqual(1024);
            expect(budget).toBeLessThan(limit);
          }
        },
      ),
    );
  });

  it("leave a quarter of the limit to the answer, where the caller did not count otherwise", () => {
    expect(budgetOf({ enabled: true, effort: "high" }, 4096)).toBe(3072);
    expect(budgetOf({ enabled: true, budgetTokens: 5000 }, 4096)).toBe(3072);
    expect(budgetOf({ enabled: true, budgetTokens: 4000 }, 4096)).toBe(4000);
    expect(budgetOf({ enabled: true, effort: "high" }, 40_000)).toBe(24_576);
    expect(budgetOf({ enabled: true, effort: "high" }, 1100)).toBe(1024);
  });

  it("are no larger than the model takes, whatever the limit", () => {
    expect(budgetOf({ enabled: true, budgetTokens: 31_999 }, 64_000, 24_576)).toBe(24_576);
    expect(budgetOf({ enabled: true, effort: "max" }, 200_000, 32_768)).toBe(32_768);
  });
});
