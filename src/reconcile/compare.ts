import type { ExportRow, VendorExport } from "./export-row.ts";
import type { OwnCosts, Slot, Sums } from "./own-costs.ts";
import { type ZoneDays, zoneDays } from "./zone-days.ts";

/** One day, model and bucket on both sides; what the export does not part is undefined. */
export interface Cell {
  readonly day: string;
  readonly model: string | undefined;
  readonly bucket: string | undefined;
  readonly ours: Sums;
  /** A member is undefined where the export does not state it. */
  readonly theirs: { readonly quantity: number | undefined; readonly amount: bigint | undefined };
  /** How many rows the export has of it. */
  readonly rows: number;
}

export interface Comparison {
  readonly zone: ZoneDays;
  readonly firstDay: string;
  readonly lastDay: string;
  readonly cells: readonly Cell[];
  readonly differences: readonly Cell[];
}

const CURRENCY = "USD";

/** Both sides by day, model and bucket, as far as every row of the export parts them; what differs by more than the tolerance. */
export function compareCosts(
  { rows }: Pick<VendorExport, "rows">,
  own: Pick<OwnCosts, "slots">,
  zone: string,
  tolerance: bigint,
): Comparison {
  const days = zoneDays(zone);
  const sorted = rows.map(({ day }) => day).sort();
  const [firstDay = "", lastDay = ""] = [sorted[0], sorted.at(-1)];
  const parts = {
    model: rows.every(({ model }) => model !== undefined),
    bucket: rows.every(({ bucket }) => bucket !== undefined),
  };
  const cells = new Map<string, MutableCell>();
  const cellOf = (day: string, model: string | undefined, bucket: string | undefined): MutableCell => {
    const place = { day, model: parts.model ? model : undefined, bucket: parts.bucket ? bucket : undefined };
    const key = JSON.stringify([place.day, place.model, place.bucket]);
    const cell = cells.get(key) ?? {
      ...place,
      ours: { quantity: 0, amount: 0n },
      theirs: { ...NOTHING },
      rows: 0,
    };
    cells.set(key, cell);
    return cell;
  };
  for (const row of rows) addTheirs(cellOf(row.day, row.model, row.bucket), row);
  for (const slot of own.slots) {
    const day = days.dayAt(slot.startMs);
    if (day >= firstDay && day <= lastDay) addOurs(slot, (bucket) => cellOf(day, slot.model, bucket));
  }
  const hasAmounts = rows.some(({ amount }) => amount !== undefined);
  const all = [...cells.values()].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  // What the export has no row of, it bills nothing for.
  for (const { rows: count, theirs } of all)
    if (count === 0) Object.assign(theirs, { quantity: 0, amount: hasAmounts ? 0n : undefined });
  return {
    zone: days,
    firstDay,
    lastDay,
    cells: all,
    differences: all.filter((cell) => differs(cell, tolerance)),
  };
}

interface MutableCell extends Cell {
  theirs: { quantity: number | undefined; amount: bigint | undefined };
  rows: number;
}

const NOTHING = { quantity: undefined, amount: undefined };

function keyOf({ day, model = "", bucket = "" }: Cell): string {
  return `${day} ${model} ${bucket}`;
}

function addTheirs(cell: MutableCell, { quantity, amount, currency }: ExportRow): void {
  cell.rows += 1;
  if (quantity !== undefined) cell.theirs.quantity = (cell.theirs.quantity ?? 0) + quantity;
  if (amount !== undefined && currency === CURRENCY) cell.theirs.amount = (cell.theirs.amount ?? 0n) + amount;
}

function addOurs({ buckets }: Slot, cellOf: (bucket: string) => Cell): void {
  for (const [bucket, { quantity, amount }] of buckets) {
    const { ours } = cellOf(bucket);
    ours.quantity += quantity;
    ours.amount += amount;
  }
}

/** By amount where the export states it, as vendors count units in their own ways; else by quantity. */
function differs({ ours, theirs, rows }: Cell, tolerance: bigint): boolean {
  if (theirs.amount !== undefined) return absolute(theirs.amount - ours.amount) > tolerance;
  if (theirs.quantity !== undefined) return theirs.quantity !== ours.quantity;
  return rows > 0;
}

export function absolute(amount: bigint): bigint {
  return amount < 0n ? -amount : amount;
}
