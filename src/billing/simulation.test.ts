import { describe, expect, it } from "vitest";
import { casesOf } from "../../test/support/cases.ts";
import { MUTANTS } from "../../test/support/money/model-store.ts";
import { simulate } from "../../test/support/money/simulation.ts";

const SEEDS = casesOf(300);

describe("money under faults", () => {
  // The long lane also runs thousands of 1,000 steps. To replay one: simulate({ seed, steps: 100 }).
  it(`is conserved, never negative and charged exactly once over ${SEEDS} seeds`, async () => {
    const total = { served: 0, insufficient: 0, busy: 0, unavailable: 0, kills: 0, grown: 0, writtenOff: 0 };
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const { breaches, counts } = await simulate({ seed, steps: 100 });
      expect(breaches, `seed ${seed}`).toEqual([]);
      for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += counts[key];
    }
    // A simulation in which nothing happens would prove nothing.
    for (const [what, count] of Object.entries(total)) expect(count, what).toBeGreaterThan(SEEDS / 3);
  });

  it.each(MUTANTS)("would show a database that breaks a rule: %s", async (mutant) => {
    const found: string[] = [];
    for (let seed = 1; seed <= 300 && found.length === 0; seed += 1) {
      found.push(...(await simulate({ seed, steps: 100, mutant })).breaches);
    }
    expect(found).not.toEqual([]);
  });
});
