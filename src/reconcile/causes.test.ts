import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { casesOf } from "../../test/support/cases.ts";
import { findCauses } from "./causes.ts";
import { compareCosts } from "./compare.ts";
import { daysOf, type ExportRow } from "./export-row.ts";
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
  const rows = numbers.flatMap(rowsOf);
  const file = {
    format: "CSV",
    zone: "UTC",
    hasMoments: false,
    leftOut: [],
    days: daysOf(rows),
    rows: counting(rows),
  };
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
    const rows = many.map((at) => row(0, `b${at}`));
    const file = {
      format: "CSV",
      zone: "UTC",
      hasMoments: false,
      leftOut: [],
      days: daysOf(rows),
      rows,
    };
    const comparison = compareCosts(file, own, "UTC", TOLERANCE);
    const [cause] = await findCauses({ file, own, tolerance: TOLERANCE, comparison });
    expect(cause?.text).toMatch(/and 490 more\)\.$/);
  });
});

/** What is recorded of one model in the hour that begins so long after the first day. */
interface Hour {
  readonly hour: number;
  readonly model: number;
  readonly amount: bigint;
}

const slotAt = ({ hour, model, amount }: Hour): Slot => ({
  startMs: FIRST + hour * 3_600_000,
  model: `m${model}`,
  buckets: new Map([["input", { quantity: Number(amount), amount }]]),
  tiers: new Map(),
});

/** What a vendor bills of these hours whose days begin so many hours after UTC's. */
function billed(
  hours: readonly Hour[],
  offset = 0,
  factor: (model: number) => bigint = () => 2n,
): ExportRow[] {
  const sums = new Map<string, ExportRow>();
  for (const { hour, model, amount } of hours) {
    const day = new Date(FIRST + (hour + offset) * 3_600_000).toISOString().slice(0, 10);
    const key = `${day} ${model}`;
    const sum = (sums.get(key)?.amount ?? 0n) + (amount * factor(model)) / 2n;
    sums.set(key, row(model, "input", { day, amount: sum, quantity: Number(sum) }));
  }
  return [...sums.values()];
}

async function causesIn(
  rows: readonly ExportRow[],
  hours: readonly Hour[],
  tolerance: bigint,
  hasMoments = false,
) {
  const file = { format: "CSV", zone: "UTC", hasMoments, leftOut: [], days: daysOf(rows), rows };
  const own = { slots: hours.map(slotAt), suspects: [] };
  const comparison = compareCosts(file, own, "UTC", tolerance);
  const causes = await findCauses({ file, own, tolerance, comparison });
  return { differences: comparison.differences.length, names: causes.map(({ name }) => name), causes };
}

describe("a time zone", () => {
  const CENT = 10n ** 13n;

  it("is not named where it only moves what differs out of the exported days", async () => {
    const hours = [{ hour: 2, model: 1, amount: 8n * CENT }];
    const rows = [row(1, "input", { amount: CENT / 5n, quantity: 1_200 })];
    const { names } = await causesIn(rows, hours, CENT);
    expect(names).toEqual(["not_billed"]);
  });

  it("is not named where it moves one model out that the vendor does not bill", async () => {
    const hours = [
      { hour: 12, model: 1, amount: 8n * CENT },
      { hour: 23, model: 2, amount: 8n * CENT },
    ];
    const { names } = await causesIn(billed(hours.slice(0, 1)), hours, CENT);
    expect(names).toEqual(["not_billed"]);
  });

  it.each([
    ["halved", 1n],
    ["one and a half times", 3n],
    ["doubled", 4n],
  ])("is never named for amounts of the exported zone that are %s", async (_, half) => {
    const drawn = fc.record({
      at: fc.uniqueArray(fc.integer({ min: 0, max: 71 }), { minLength: 1, maxLength: 12 }),
      days: fc.integer({ min: 1, max: 3 }),
      models: fc.integer({ min: 1, max: 2 }),
      tolerance: fc.bigInt({ min: 0n, max: 1_000n * 4n ** 12n }),
    });
    await fc.assert(
      fc.asyncProperty(drawn, async ({ at, days, models, tolerance }) => {
        // Of powers of four no other sum is half or twice as much.
        const hours = at.map((hour, index) => ({
          hour: hour % (24 * days),
          model: index % models,
          amount: 1_000n * 4n ** BigInt(index),
        }));
        const rows = billed(hours, 0, (model) => (model === 0 ? half : 2n));
        const { names } = await causesIn(rows, hours, tolerance);
        expect(names).not.toContain("time_zone");
      }),
      { numRuns: casesOf(500) },
    );
  });

  it.each([
    ["America/Los_Angeles", -8],
    ["America/New_York", -5],
    ["Asia/Shanghai", 8],
    ["Asia/Tokyo", 9],
  ])("is named where its days agree: %s", async (zone, offset) => {
    const hours = Array.from({ length: 96 }, (_, at) => ({
      hour: at,
      model: at % 2,
      amount: 1_000_000n + BigInt(at * at),
    }));
    const whole = billed(hours, offset).filter(({ day }) => day === "2026-03-03" || day === "2026-03-04");
    const { names, causes } = await causesIn(whole, hours, 1_000n);
    expect([names, causes[0]?.values[0]]).toEqual([["time_zone"], zone]);
    expect((await causesIn(whole, hours, 1_000n, true)).names).not.toContain("time_zone");
  });
});

describe("an export of days of which nothing is recorded", () => {
  it("is told to be that, though nothing differs by more than the tolerance", async () => {
    const rows = [row(1, "input")];
    expect(await causesIn(rows, [], 10n ** 13n)).toMatchObject({
      differences: 0,
      names: ["nothing_recorded"],
    });
    expect(await causesIn([row(1, "input", { amount: 0n, quantity: 0 })], [], 0n)).toMatchObject({
      differences: 0,
      names: [],
    });
  });
});
