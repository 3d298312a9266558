import { expect, it } from "vitest";
import { simulateTasks } from "../support/task-simulation/simulation.ts";

// X1 for tasks, in parts so that each has a time limit of its own. The gate has time for 400 seeds of 400 steps;
// `FAREGATE_SIMULATION_SEEDS=10000 npm run test:long -- task-simulation` runs the promise's 10,000. The seeds lie
// beyond those of the unit lane; a failure names the seed that replays it.
const PARTS = 4;
const SEEDS_PER_PART = Number(process.env["FAREGATE_SIMULATION_SEEDS"] ?? 400) / PARTS;
const STEPS = 400;
const FIRST_SEED = 1_000_001;

const parts = Array.from({ length: PARTS }, (_, part) => FIRST_SEED + part * SEEDS_PER_PART);

it.each(parts)(
  `tasks end and are paid once over ${SEEDS_PER_PART} seeds of faults from %i on`,
  async (first) => {
    const failures: { seed: number; breaches: readonly string[] }[] = [];
    for (let seed = first; seed < first + SEEDS_PER_PART; seed += 1) {
      const { breaches } = await simulateTasks({ seed, steps: STEPS });
      if (breaches.length > 0) failures.push({ seed, breaches: breaches.slice(0, 3) });
    }
    expect(failures).toEqual([]);
  },
);
