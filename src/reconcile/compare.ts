import type { ExportRow, VendorExport } from "./export-row.ts";
import type { OwnCosts, Slot, Sums } from "./own-costs.ts";
import { type ZoneDays, zoneDays } from "./zone-days.ts";

/** Day, model and bucket; a member that the export does not distinguish is undefined. */
export interface Place {
  readonly day: string;
  readonly model: string | undefined;
  readonly bucket: string | undefined;
}

/** One day, model and bucket on both sides. */
export interface Cell extends Place {
  readonly ours: Sums;
  /** A member that the export does not state is undefined. */
  readonly theirs: { readonly quantity: number | undefined; readonly amount: bigint | undefined };
  /** Number of the export's rows for it. */
  readonly rows: number;
}

export interface Comparison {
  readonly zone: ZoneDays;
  readonly firstDay: string;
  readonly lastDay: string;
  readonly cells: readonly Cell[];
  /** Sorted by size, largest first. */
  readonly differences: readonly Cell[];
  /** Returns the cell in which a row or a record is counted. */
  placeOf(row: Place): Place;
}

const CURRENCY = "USD";

type Compare<T> = (
  file: Pick<VendorExport, "rows" | "days">,
  own: Pick<OwnCosts, "slots">,
  zone: string,
  tolerance: bigint,
) => T;

/**
 * Compares both sides by day, model and bucket, as far as every row of the export distinguishes them, and lists
 * differences above the tolerance.
 */
export const compareCosts: Compare<Comparison> = (file, own, zone, tolerance) => {
  const compared = cellsOf(file, own, zone);
  const differences = compared.cells.filter((cell) => differs(cell, tolerance)).sort(byDifference);
  return { ...compared, differences };
};

/**
 * Returns the cells of the export in this zone if no difference is left and the bill matches the records; otherwise
 * undefined. No cell may differ by more than the tolerance, and all together by no more than a hundredth. A zone or
 * project without any record has nothing that could differ, and so explains nothing.
 */
export const cellsThatAgree: Compare<readonly Cell[] | undefined> = (file, own, zone, tolerance) => {
  const { cells } = cellsOf(file, own, zone);
  if (cells.some((cell) => differs(cell, tolerance))) return undefined;
  let [apart, least] = [0n, 0n];
  for (const cell of cells) {
    const { billed, recorded } = comparedOf(cell);
    apart += absolute(billed - recorded);
    least += billed < recorded ? billed : recorded;
  }
  return isClose(apart, least) ? cells : undefined;
};

/** True if the billed and the recorded amount of a cell are above 0 and differ by a hundredth at most. */
export function isMatched(cell: Cell): boolean {
  const { billed, recorded } = comparedOf(cell);
  return isClose(absolute(billed - recorded), billed < recorded ? billed : recorded);
}

function isClose(apart: bigint, of: bigint): boolean {
  return of > 0n && apart * 100n <= of;
}

/** Compares amounts if the export states them, otherwise quantities. */
function comparedOf({ ours, theirs }: Cell): { billed: bigint; recorded: bigint } {
  if (theirs.amount !== undefined) return { billed: theirs.amount, recorded: ours.amount };
  return { billed: BigInt(Math.round(theirs.quantity ?? 0)), recorded: BigInt(Math.round(ours.quantity)) };
}

function cellsOf(
  { rows, days: covered }: Pick<VendorExport, "rows" | "days">,
  own: Pick<OwnCosts, "slots">,
  zone: string,
): Omit<Comparison, "differences"> {
  const days = zoneDays(zone);
  const [firstDay = "", lastDay = ""] = [covered[0], covered.at(-1)];
  const parts = {
    model: rows.every(({ model }) => model !== undefined),
    bucket: rows.every(({ bucket }) => bucket !== undefined),
  };
  const cells = new Map<string, MutableCell>();
  const placeOf = ({ day, model, bucket }: Place): Place => ({
    day,
    model: parts.model ? model : undefined,
    bucket: parts.bucket ? bucket : undefined,
  });
  const cellOf = (row: Place): MutableCell => {
    const place = placeOf(row);
    const key = keyOf(place);
    const cell = cells.get(key) ?? {
      ...place,
      ours: { quantity: 0, amount: 0n },
      theirs: { ...NOTHING },
      rows: 0,
    };
    cells.set(key, cell);
    return cell;
  };
  for (const row of rows) addExportRow(cellOf(row), row);
  for (const slot of own.slots) {
    const day = days.dayAt(slot.startMs);
    if (day >= firstDay && day <= lastDay)
      addUsageRow(slot, (bucket) => cellOf({ day, model: slot.model, bucket }));
  }
  const hasAmounts = rows.some((row) => amountIn(row) !== undefined);
  const all = [...cells.values()];
  // The export bills nothing for a cell without a row.
  for (const { rows: count, theirs } of all)
    if (count === 0) Object.assign(theirs, { quantity: 0, amount: hasAmounts ? 0n : undefined });
  return { zone: days, firstDay, lastDay, cells: all, placeOf };
}

interface MutableCell extends Cell {
  theirs: { quantity: number | undefined; amount: bigint | undefined };
  rows: number;
}

const NOTHING = { quantity: undefined, amount: undefined };

/** Encodes the key so that no two places have the same one: names may contain any separator. */
export function keyOf({ day, model = "", bucket = "" }: Place): string {
  return `${day} ${model.length} ${model} ${bucket}`;
}

/** Sorts by amount, largest first; cells without an amount follow, sorted by quantity. */
function byDifference(one: Cell, other: Cell): number {
  const amounts = Number(amountDifference(other) - amountDifference(one));
  if (amounts !== 0) return amounts;
  const quantities = quantityDifference(other) - quantityDifference(one);
  if (quantities !== 0) return quantities;
  return keyOf(one) < keyOf(other) ? -1 : 1;
}

function amountDifference({ ours, theirs: { amount } }: Cell): bigint {
  return amount === undefined ? -1n : absolute(amount - ours.amount);
}

function quantityDifference({ ours, theirs: { quantity } }: Cell): number {
  return quantity === undefined ? -1 : Math.abs(quantity - ours.quantity);
}

/** Amounts in another currency cannot be compared. */
function amountIn({ amount, currency }: ExportRow): bigint | undefined {
  return currency === CURRENCY ? amount : undefined;
}

function addExportRow(cell: MutableCell, row: ExportRow): void {
  const { quantity } = row;
  const amount = amountIn(row);
  cell.rows += 1;
  if (quantity !== undefined) cell.theirs.quantity = (cell.theirs.quantity ?? 0) + quantity;
  if (amount !== undefined) cell.theirs.amount = (cell.theirs.amount ?? 0n) + amount;
}

function addUsageRow({ buckets }: Slot, cellOf: (bucket: string) => Cell): void {
  for (const [bucket, { quantity, amount }] of buckets) {
    const { ours } = cellOf(bucket);
    ours.quantity += quantity;
    ours.amount += amount;
  }
}

/** Compares amounts if the export states them, because vendors count units in different ways; otherwise quantities. */
function differs({ ours, theirs, rows }: Cell, tolerance: bigint): boolean {
  if (theirs.amount !== undefined) return absolute(theirs.amount - ours.amount) > tolerance;
  if (theirs.quantity !== undefined) return theirs.quantity !== ours.quantity;
  return rows > 0;
}

export function absolute(amount: bigint): bigint {
  return amount < 0n ? -amount : amount;
}
