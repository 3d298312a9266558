import { describe, expect, it } from "vitest";
import { findCauses } from "./causes.ts";
import { compareCosts } from "./compare.ts";
import type { ExportRow } from "./export-row.ts";
import type { Slot } from "./own-costs.ts";

const FIRST = Date.parse("2026-03-02");
const TOLERANCE = 1_000n;

/** Lists that count how often something is read from them. */
function createCounter() {
  let reads = 0;
  return {
    reads: () => reads,
    counting: <T>(list: readonly T[]): readonly T[] =>
      new Proxy(list, {
        get(target, key) {
          if (typeof key === "string" && /^\d+$/.test(key)) reads += 1;
          return Reflect.get(target, key);
        },
      }),
  };
}

const row = (model: number, bucket: string, changes: Partial<ExportRow> = {}): ExportRow => ({
  day: "2026-03-02",
  model: `m${model}`,
  bucket,
  project: undefined,
  tier: undefined,
  quantity: 1_000,
  amount: 2_000_000n + BigInt(model),
  currency: "USD",
  ...changes,
});

const slot = (model: number): Slot => ({
  startMs: FIRST,
  model: `m${model}`,
  buckets: new Map(["input", "output"].map((bucket) => [bucket, { quantity: 1_000, amount: 1_000_000n }])),
  tiers: new Map([["", 2_000]]),
});

/** How a file of so many models differs from what is recorded. */
const FILES: Readonly<Record<string, (model: number) => ExportRow[]>> = {
  "differ in price": (model) => [row(model, "input"), row(model, "output", { amount: 3_000_000n })],
  "are there twice": (model) => [
    row(model, "input", { amount: 1_000_000n }),
    row(model, "input", { amount: 1_000_000n }),
  ],
  "are of another tier": (model) => [row(model, "input", { tier: "priority" })],
  "are each of another project": (model) => [row(model, "input", { project: `p${model}` })],
  "name no model": (model) => [row(model, `b${model}`, { model: undefined })],
  "have a day of their own": (model) => [
    row(model, "input", { day: new Date(FIRST + (model % 3_000) * 86_400_000).toISOString().slice(0, 10) }),
  ],
};

async function readsOf(models: number, rowsOf: (model: number) => ExportRow[]): Promise<number> {
  const numbers = Array.from({ length: models }, (_, model) => model);
  const { counting, reads } = createCounter();
  const file = { format: "CSV", zone: "UTC", leftOut: [], rows: counting(numbers.flatMap(rowsOf)) };
  const own = { slots: counting(numbers.map(slot)), suspects: [] };
  const { cells, differences, ...zoned } = compareCosts(file, own, "UTC", TOLERANCE);
  const comparison = { ...zoned, cells: counting(cells), differences: counting(differences) };
  expect(differences.length).toBeGreaterThanOrEqual(models);
  await findCauses({ file, own, tolerance: TOLERANCE, comparison });
  return reads();
}

describe("the work of finding causes", () => {
  it.each(Object.entries(FILES))("grows with the rows, no faster, where they %s", async (_, rowsOf) => {
    const once = await readsOf(100, rowsOf);
    const fourTimes = await readsOf(400, rowsOf);
    expect(fourTimes).toBeLessThan(5 * once);
  });
});

describe("a sentence about a cause", () => {
  it("names the first of many buckets and prices, and how many there are besides", async () => {
    const many = Array.from({ length: 500 }, (_, at) => at);
    const own = { slots: [], suspects: [] };
    const file = { format: "CSV", zone: "UTC", leftOut: [], rows: many.map((at) => row(0, `b${at}`)) };
    const comparison = compareCosts(file, own, "UTC", TOLERANCE);
    const [cause] = await findCauses({ file, own, tolerance: TOLERANCE, comparison });
    expect(cause?.text).toMatch(/and 490 more\)\.$/);
  });
});
