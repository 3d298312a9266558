import { expect, it } from "vitest";
import { simulate } from "../support/money/simulation.ts";

// X1 for money, in parts so that each has a time limit of its own. The gate has time for 2,000 seeds of
// 1,000 steps; `FAREGATE_SIMULATION_SEEDS=10000 npm run test:long -- money-simulation` runs the promise's
// 10,000. The seeds lie beyond those of the unit lane; a failure names the seed that replays it.
const PARTS = 4;
const SEEDS_PER_PART = Number(process.env["FAREGATE_SIMULATION_SEEDS"] ?? 2_000) / PARTS;
const STEPS = 1_000;
const FIRST_SEED = 1_000_001;

const parts = Array.from({ length: PARTS }, (_, part) => FIRST_SEED + part * SEEDS_PER_PART);

it.each(parts)(`money stays right over ${SEEDS_PER_PART} seeds of faults from %i on`, async (first) => {
  const failures: { seed: number; breaches: readonly string[] }[] = [];
  for (let seed = first; seed < first + SEEDS_PER_PART; seed += 1) {
    const { breaches } = await simulate({ seed, steps: STEPS });
    if (breaches.length > 0) failures.push({ seed, breaches: breaches.slice(0, 3) });
  }
  expect(failures).toEqual([]);
});
