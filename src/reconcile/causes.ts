import { setImmediate } from "node:timers/promises";
import { appendAll } from "../base/append-all.ts";
import { type Cause, type CauseSentence, causeOf } from "./cause-sentence.ts";
import {
  absolute,
  type Cell,
  type Comparison,
  cellsThatAgree,
  isMatched,
  keyOf,
  type Place,
} from "./compare.ts";
import { AMOUNT_DECIMALS, type ExportRow, type VendorExport } from "./export-row.ts";
import type { OwnCosts } from "./own-costs.ts";

export interface Compared {
  readonly file: VendorExport;
  readonly own: OwnCosts;
  readonly tolerance: bigint;
  readonly comparison: Comparison;
}

/**
 * Lists what would explain the differences: first for the whole file, then for each day and model, in the order of the
 * differences. Every list is read a fixed number of times. Other events run in between, because the database connection
 * must be served.
 */
export async function findCauses(compared: Compared): Promise<Cause[]> {
  const { comparison } = compared;
  const currency = otherCurrency(compared);
  if (comparison.differences.length === 0)
    return isNothingRecorded(comparison) ? [...currency, causeOf("nothing_recorded", null, [])] : currency;
  const whole = [...(await otherProject(compared)), ...(await otherZone(compared))];
  if (whole.length > 0) return [...currency, ...whole];
  const duplicates = duplicateRows(compared);
  await setImmediate();
  return [...currency, ...duplicates.causes, ...(await ofModels(compared, duplicates.cells))];
}

/**
 * True if the export bills days without any recorded request. The amounts may be below the tolerance, but they were
 * compared with nothing.
 */
function isNothingRecorded({ cells }: Comparison): boolean {
  return (
    cells.every(({ ours }) => ours.quantity === 0 && ours.amount === 0n) &&
    cells.some(({ theirs }) => (theirs.amount ?? 0n) !== 0n || (theirs.quantity ?? 0) !== 0)
  );
}

function otherCurrency({ file }: Compared): Cause[] {
  const others = new Set(
    file.rows.flatMap(({ currency }) => (currency && currency !== "USD" ? [currency] : [])),
  );
  if (others.size === 0) return [];
  return [causeOf("currency", null, [...others].sort())];
}

/** Each project is compared with all records, so only those with the most rows are tried. */
const MAX_PROJECTS = 20;

async function otherProject({ file, own, tolerance, comparison }: Compared): Promise<Cause[]> {
  const rowsOf = groupBy(file.rows, ({ project }) => project);
  if (rowsOf.size < 2) return [];
  const largest = [...rowsOf].sort(([, one], [, other]) => other.length - one.length).slice(0, MAX_PROJECTS);
  const causes: Cause[] = [];
  for (const [project, rows] of largest) {
    await setImmediate();
    if (cellsThatAgree({ rows, days: file.days }, own, comparison.zone.zone, tolerance) === undefined)
      continue;
    causes.push(causeOf("project", null, project === undefined ? [] : [project]));
  }
  return causes;
}

function groupBy<T, K>(all: readonly T[], keyOf: (each: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const each of all) {
    const key = keyOf(each);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [each]);
    else group.push(each);
  }
  return groups;
}

/** One zone for each offset is enough. */
const ZONES = [
  "UTC",
  "America/Los_Angeles",
  "America/New_York",
  "America/Sao_Paulo",
  "Europe/London",
  "Europe/Berlin",
  "Asia/Kolkata",
  "Asia/Shanghai",
  "Asia/Tokyo",
];

/**
 * Finds a zone in which the two sides agree. A zone that moves requests out of the exported days leaves nothing to
 * differ. So it must also match a day and model that differed: one that is billed, and whose records in this zone match
 * the bill.
 */
async function otherZone({ file, own, tolerance, comparison }: Compared): Promise<Cause[]> {
  if (file.hasMoments) return [];
  const differed = new Set(comparison.differences.map(keyOf));
  for (const zone of ZONES) {
    if (zone === comparison.zone.zone) continue;
    await setImmediate();
    const cells = cellsThatAgree(file, own, zone, tolerance);
    if (!cells?.some((cell) => differed.has(keyOf(cell)) && isMatched(cell))) continue;
    return [causeOf("time_zone", null, [zone, comparison.zone.zone])];
  }
  return [];
}

/** Finds rows that occur several times, if the repetitions explain the excess. */
function duplicateRows({ file, comparison, tolerance }: Compared): { causes: Cause[]; cells: Set<Cell> } {
  const counts = new Map<string, { row: ExportRow; times: number }>();
  for (const row of file.rows) {
    const key = JSON.stringify({ ...row, amount: row.amount === undefined ? null : String(row.amount) });
    const known = counts.get(key);
    counts.set(key, { row, times: (known?.times ?? 0) + 1 });
  }
  const repeated = [...counts.values()].filter(({ times }) => times > 1);
  const { placeOf } = comparison;
  const differing = new Map(comparison.differences.map((cell) => [keyOf(cell), cell]));
  const cells = new Set<Cell>();
  const causes = repeated.flatMap(({ row, times }): Cause[] => {
    const cell = differing.get(keyOf(placeOf(row)));
    if (cell === undefined) return [];
    const tooMany = times - 1;
    const explains =
      row.amount !== undefined && cell.theirs.amount !== undefined
        ? absolute(cell.theirs.amount - cell.ours.amount - row.amount * BigInt(tooMany)) <= tolerance
        : cell.theirs.quantity === cell.ours.quantity + (row.quantity ?? 0) * tooMany;
    if (!explains) return [];
    cells.add(cell);
    return [causeOf("duplicate_row", nameOf(cell), [String(times)])];
  });
  return { causes, cells };
}

/** Indexes for the checks of a day and model, because the lists behind them are as long as the file and the log. */
interface Lookup {
  /** Billed tokens by tier, for each day and model; rows that name no tier are left out. */
  readonly billedTiers: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly ownTiers: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** The smallest unit of the export's amounts. */
  readonly unit: bigint;
  /** Buckets of models that cost the same on both sides on some day. */
  readonly agreeing: ReadonlySet<string>;
}

function lookupOf({ file, own, comparison }: Compared): Lookup {
  const { placeOf, zone } = comparison;
  const billedTiers = new Map<string, Map<string, number>>();
  const ownTiers = new Map<string, Map<string, number>>();
  let finest = 0;
  for (const row of file.rows) {
    finest = Math.max(finest, decimalsOf(row.amount));
    if (row.tier !== undefined) addTo(billedTiers, modelKey(placeOf(row)), row.tier, row.quantity ?? 0);
  }
  for (const { startMs, model, tiers } of own.slots) {
    const key = modelKey(placeOf({ day: zone.dayAt(startMs), model, bucket: undefined }));
    for (const [tier, tokens] of tiers) addTo(ownTiers, key, tier, tokens);
  }
  const differing = new Set(comparison.differences);
  const agreeing = comparison.cells.filter(
    (cell) => cell.rows > 0 && cell.ours.quantity > 0 && !differing.has(cell),
  );
  return {
    billedTiers,
    ownTiers,
    unit: 10n ** BigInt(AMOUNT_DECIMALS - finest),
    agreeing: new Set(agreeing.map((cell) => keyOf({ ...cell, day: "" }))),
  };
}

function addTo(sums: Map<string, Map<string, number>>, key: string, tier: string, tokens: number): void {
  const byTier = sums.get(key) ?? new Map<string, number>();
  sums.set(key, byTier);
  byTier.set(tier, (byTier.get(tier) ?? 0) + tokens);
}

/** Number of groups that are checked before other events run. */
const GROUPS_AT_ONCE = 1_000;

async function ofModels(compared: Compared, explained: ReadonlySet<Cell>): Promise<Cause[]> {
  const unexplained = compared.comparison.differences.filter((cell) => !explained.has(cell));
  const lookup = lookupOf(compared);
  const causes: Cause[] = [];
  let done = 0;
  for (const cells of groupBy(unexplained, modelKey).values()) {
    if (done % GROUPS_AT_ONCE === 0) await setImmediate();
    done += 1;
    appendAll(causes, ofModel(lookup, cells));
  }
  return causes;
}

/** Checks the cells of one day and model that differ. */
function ofModel(lookup: Lookup, cells: readonly Cell[]): Cause[] {
  const [first] = cells;
  if (first === undefined) return [];
  const where = nameOf({ day: first.day, model: first.model, bucket: undefined });
  const say = (sentence: CauseSentence, values: readonly string[]): Cause[] => [
    causeOf(sentence, where, values),
  ];
  const tier = tierOf(lookup, first);
  if (tier !== undefined) return say("tier", tier);
  const counted = cells.every(({ theirs }) => theirs.quantity !== undefined);
  const more = cells.map(({ ours, theirs }) => (theirs.quantity ?? 0) - ours.quantity);
  if (counted && more.some((each) => each !== 0)) {
    const changes = cells.map(({ bucket }, at) => [signed(more[at] ?? 0), bucket].filter(Boolean).join(" "));
    if (cells.length > 1 && more.reduce((sum, each) => sum + each, 0) === 0) return say("bucket", changes);
    return say(more.every((each) => each >= 0) ? "not_recorded_here" : "not_billed", changes);
  }
  if (isRounding(lookup, cells)) return say("rounding", []);
  if (!counted) return say("price_unstated", []);
  const priced = cells.map((cell) => ({ cell, ratio: ratioOf(cell) }));
  const changed = priced.find(({ cell }) => lookup.agreeing.has(keyOf({ ...cell, day: "" })));
  const ratios = [...new Set(priced.map(({ ratio }) => String(ratio)))];
  if (changed !== undefined) return say("price_change", ratios);
  const [one] = priced;
  const isUniform =
    priced.length > 1 && priced.every(({ ratio }) => Math.abs(ratio - (one?.ratio ?? 0)) < 1e-6);
  return isUniform ? say("tier_factor", [String(one?.ratio)]) : say("price", ratios);
}

/** Returns the first tier for which the export bills more tokens than are recorded here, with both counts. */
function tierOf({ billedTiers, ownTiers }: Lookup, cell: Cell): readonly string[] | undefined {
  const key = modelKey(cell);
  for (const [tier, theirs] of billedTiers.get(key) ?? []) {
    const ours = ownTiers.get(key)?.get(tier) ?? 0;
    if (theirs > ours) return [tier, String(theirs), String(ours)];
  }
  return undefined;
}

/** True if the amounts differ only because the export rounds each row to its smallest unit. */
function isRounding({ unit }: Lookup, cells: readonly Cell[]): boolean {
  return cells.every(({ ours, theirs, rows }) => {
    if (theirs.amount === undefined) return false;
    return 2n * absolute(theirs.amount - ours.amount) <= unit * BigInt(Math.max(rows, 1));
  });
}

function decimalsOf(amount: bigint | undefined): number {
  if (amount === undefined || amount === 0n) return 0;
  let decimals = AMOUNT_DECIMALS;
  for (let left = amount; decimals > 0 && left % 10n === 0n; left /= 10n) decimals -= 1;
  return decimals;
}

/** Their amount divided by ours; used in sentences only. */
function ratioOf({ ours, theirs }: Cell): number {
  return ours.amount === 0n ? 0 : Math.round((Number(theirs.amount ?? 0n) / Number(ours.amount)) * 1e6) / 1e6;
}

function signed(count: number): string {
  return count > 0 ? `+${count}` : String(count);
}

function modelKey({ day, model }: Place): string {
  return keyOf({ day, model, bucket: undefined });
}

function nameOf({ day, model, bucket }: Place): string {
  return [day, model, bucket].filter(Boolean).join(" ");
}
