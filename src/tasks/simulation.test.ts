import { describe, expect, it } from "vitest";
import { casesOf } from "../../test/support/cases.ts";
import { STORE_MUTANTS } from "../../test/support/task-simulation/model-board.ts";
import { simulateTasks } from "../../test/support/task-simulation/simulation.ts";

/** A board that breaks a rule is found out within these. */
const MUTANT_SEEDS = 40;

const SEEDS = casesOf(MUTANT_SEEDS);

describe("tasks under faults", () => {
  // The long lane runs more of them. To replay one: simulateTasks({ seed, steps: 60 }).
  it(`are over, made at most once, paid or refunded exactly once, over ${SEEDS} seeds`, async () => {
    const total = { succeeded: 0, failed: 0, refused: 0, unavailable: 0, kills: 0, late: 0 };
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const { breaches, counts } = await simulateTasks({ seed, steps: 60 });
      expect(breaches, `seed ${seed}`).toEqual([]);
      for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += counts[key];
    }
    // A simulation in which nothing happens would prove nothing.
    for (const [what, count] of Object.entries(total)) expect(count, what).toBeGreaterThan(SEEDS / 4);
  });

  it.each(STORE_MUTANTS)("would show a board that %s", async (mutant) => {
    const found: string[] = [];
    for (let seed = 1; seed <= MUTANT_SEEDS && found.length === 0; seed += 1) {
      found.push(...(await simulateTasks({ seed, steps: 60, mutant })).breaches);
    }
    expect(found).not.toEqual([]);
  });
});
