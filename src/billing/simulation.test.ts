import { describe, expect, it } from "vitest";
import { MUTANTS } from "../../test/support/money/model-store.ts";
import { simulate } from "../../test/support/money/simulation.ts";

describe("money under faults", () => {
  // The long lane runs 10,000 seeds of 1,000 steps. To replay one: simulate({ seed, steps: 100 }).
  it("is conserved, never negative and charged exactly once over 300 seeds", async () => {
    const total = { served: 0, insufficient: 0, busy: 0, unavailable: 0, kills: 0, grown: 0, writtenOff: 0 };
    for (let seed = 1; seed <= 300; seed += 1) {
      const { breaches, counts } = await simulate({ seed, steps: 100 });
      expect(breaches, `seed ${seed}`).toEqual([]);
      for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += counts[key];
    }
    // A simulation in which nothing happens would prove nothing.
    for (const [what, count] of Object.entries(total)) expect(count, what).toBeGreaterThan(100);
  });

  it.each(MUTANTS)("would show a database that breaks a rule: %s", async (mutant) => {
    const found: string[] = [];
    for (let seed = 1; seed <= 300 && found.length === 0; seed += 1) {
      found.push(...(await simulate({ seed, steps: 100, mutant })).breaches);
    }
    expect(found).not.toEqual([]);
  });
});
