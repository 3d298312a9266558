import { absolute, type Cell, type Comparison, compareCosts } from "./compare.ts";
import { AMOUNT_DECIMALS, type ExportRow, type VendorExport } from "./export-row.ts";
import type { OwnCosts } from "./own-costs.ts";

export interface Cause {
  readonly name:
    | "currency"
    | "project"
    | "time_zone"
    | "duplicate_row"
    | "tier"
    | "bucket"
    | "rounding"
    | "price_change"
    | "price"
    | "not_recorded_here"
    | "not_billed";
  /** A sentence. */
  readonly text: string;
}

export interface Compared {
  readonly file: VendorExport;
  readonly own: OwnCosts;
  readonly tolerance: bigint;
  readonly comparison: Comparison;
}

/** What would explain the differences, the whole file first, then day by day and model by model. */
export function findCauses(compared: Compared): Cause[] {
  const { comparison } = compared;
  const currency = otherCurrency(compared);
  if (comparison.differences.length === 0) return currency;
  const whole = [...otherProject(compared), ...otherZone(compared)];
  if (whole.length > 0) return [...currency, ...whole];
  const duplicates = duplicateRows(compared);
  return [...currency, ...duplicates.causes, ...ofModels(compared, duplicates.cells)];
}

function otherCurrency({ file }: Compared): Cause[] {
  const others = new Set(
    file.rows.flatMap(({ currency }) => (currency && currency !== "USD" ? [currency] : [])),
  );
  if (others.size === 0) return [];
  const names = [...others].sort().join(", ");
  return [
    {
      name: "currency",
      text: `The export has amounts in ${names}, which are not compared: costs are in USD.`,
    },
  ];
}

function otherProject({ file, own, tolerance, comparison }: Compared): Cause[] {
  const projects = [...new Set(file.rows.map(({ project }) => project))];
  if (projects.length < 2) return [];
  return projects.flatMap((project): Cause[] => {
    const rows = file.rows.filter((row) => row.project === project);
    if (compareCosts({ rows }, own, comparison.zone.zone, tolerance).differences.length > 0) return [];
    const filter = project === undefined ? "" : `: pass --project ${project}`;
    return [
      {
        name: "project",
        text: `The rows of ${project ?? "no project"} alone agree; the others are another project's${filter}.`,
      },
    ];
  });
}

/** Of zones with one offset the first is enough. */
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

function otherZone({ file, own, tolerance, comparison }: Compared): Cause[] {
  const fitting = ZONES.find(
    (zone) =>
      zone !== comparison.zone.zone && compareCosts(file, own, zone, tolerance).differences.length === 0,
  );
  if (fitting === undefined) return [];
  const text = `The export's days are those of ${fitting}, not of ${comparison.zone.zone}: pass --zone ${fitting}.`;
  return [{ name: "time_zone", text }];
}

/** Rows that are there several times, where the repetitions are what is too much. */
function duplicateRows({ file, comparison, tolerance }: Compared): { causes: Cause[]; cells: Set<Cell> } {
  const counts = new Map<string, { row: ExportRow; times: number }>();
  for (const row of file.rows) {
    const key = JSON.stringify({ ...row, amount: row.amount === undefined ? null : String(row.amount) });
    const known = counts.get(key);
    counts.set(key, { row, times: (known?.times ?? 0) + 1 });
  }
  const repeated = [...counts.values()].filter(({ times }) => times > 1);
  const cells = new Set<Cell>();
  const causes = repeated.flatMap(({ row, times }): Cause[] => {
    const cell = comparison.differences.find(
      ({ day, model, bucket }) =>
        day === row.day && (model ?? row.model) === row.model && (bucket ?? row.bucket) === row.bucket,
    );
    if (cell === undefined) return [];
    const tooMany = times - 1;
    const explains =
      row.amount !== undefined && cell.theirs.amount !== undefined
        ? absolute(cell.theirs.amount - cell.ours.amount - row.amount * BigInt(tooMany)) <= tolerance
        : cell.theirs.quantity === cell.ours.quantity + (row.quantity ?? 0) * tooMany;
    if (!explains) return [];
    cells.add(cell);
    return [{ name: "duplicate_row", text: `${nameOf(cell)}: the export has the same row ${times} times.` }];
  });
  return { causes, cells };
}

function ofModels(compared: Compared, explained: ReadonlySet<Cell>): Cause[] {
  const groups = new Map<string, Cell[]>();
  for (const cell of compared.comparison.differences) {
    if (explained.has(cell)) continue;
    const key = `${cell.day} ${cell.model ?? ""}`;
    groups.set(key, [...(groups.get(key) ?? []), cell]);
  }
  return [...groups.values()].flatMap((cells) => ofModel(compared, cells));
}

/** The cells of one day and model that differ. */
function ofModel(compared: Compared, cells: readonly Cell[]): Cause[] {
  const [first] = cells;
  if (first === undefined) return [];
  const where = nameOf({ day: first.day, model: first.model, bucket: undefined });
  const say = (name: Cause["name"], text: string): Cause[] => [{ name, text: `${where}: ${text}` }];
  const tier = tierOf(compared, first);
  if (tier !== undefined) return say("tier", tier);
  const counted = cells.every(({ theirs }) => theirs.quantity !== undefined);
  const more = cells.map(({ ours, theirs }) => (theirs.quantity ?? 0) - ours.quantity);
  if (counted && more.some((each) => each !== 0)) {
    const words = cells.map(({ bucket }, at) => `${signed(more[at] ?? 0)} ${bucket ?? "in all"}`).join(", ");
    if (cells.length > 1 && more.reduce((sum, each) => sum + each, 0) === 0)
      return say("bucket", `the vendor counts the same tokens in other buckets (${words}).`);
    if (more.every((each) => each >= 0))
      return say("not_recorded_here", `the vendor bills usage that no request here accounts for (${words}).`);
    return say("not_billed", `the vendor doesn't bill all that requests here used (${words}).`);
  }
  if (isRounding(compared, cells)) return say("rounding", "the vendor rounds its amounts.");
  if (!counted) return say("price", "the amounts differ, and the export states no quantities.");
  const priced = cells.map((cell) => ({ cell, ratio: ratioOf(cell) }));
  const changed = priced.find(({ cell }) => agreesElsewhere(compared, cell));
  if (changed !== undefined)
    return say(
      "price_change",
      `same quantities at ${ratios(priced)} times our price, which other days of the export have.`,
    );
  const [one] = priced;
  const isUniform =
    priced.length > 1 && priced.every(({ ratio }) => Math.abs(ratio - (one?.ratio ?? 0)) < 1e-6);
  if (isUniform)
    return say(
      "tier",
      `same quantities, and every amount is ${one?.ratio} times ours: another tier or a discount.`,
    );
  return say("price", `same quantities at ${ratios(priced)} times our price.`);
}

/** Where the export bills a tier of which requests here had less. */
function tierOf({ file, own, comparison: { zone } }: Compared, { day, model }: Cell): string | undefined {
  const billed = file.rows.filter(
    (row) => row.day === day && (model === undefined || row.model === model) && row.tier !== undefined,
  );
  const slots = own.slots.filter(
    (slot) => zone.dayAt(slot.startMs) === day && (model === undefined || slot.model === model),
  );
  for (const tier of new Set(billed.map((row) => row.tier ?? ""))) {
    const theirs = billed.reduce((sum, row) => sum + (row.tier === tier ? (row.quantity ?? 0) : 0), 0);
    const ours = slots.reduce((sum, slot) => sum + (slot.tiers.get(tier) ?? 0), 0);
    if (theirs > ours)
      return `the vendor bills ${theirs} tokens by the tier "${tier}", requests here used ${ours} by it.`;
  }
  return undefined;
}

/** Amounts are ours, each row rounded to the decimals that the export has at most. */
function isRounding({ file }: Compared, cells: readonly Cell[]): boolean {
  const finest = file.rows.reduce((most, { amount }) => Math.max(most, decimalsOf(amount)), 0);
  const unit = 10n ** BigInt(AMOUNT_DECIMALS - finest);
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

/** Whether the model's bucket costs as much as here on another day of the export. */
function agreesElsewhere({ comparison }: Compared, { day, model, bucket }: Cell): boolean {
  return comparison.cells.some(
    (other) =>
      other.day !== day &&
      other.model === model &&
      other.bucket === bucket &&
      other.rows > 0 &&
      other.ours.quantity > 0 &&
      !comparison.differences.includes(other),
  );
}

/** Theirs over ours; for words alone. */
function ratioOf({ ours, theirs }: Cell): number {
  return ours.amount === 0n ? 0 : Math.round((Number(theirs.amount ?? 0n) / Number(ours.amount)) * 1e6) / 1e6;
}

function ratios(priced: readonly { readonly ratio: number }[]): string {
  return [...new Set(priced.map(({ ratio }) => String(ratio)))].join(" or ");
}

function signed(count: number): string {
  return count > 0 ? `+${count}` : String(count);
}

function nameOf({ day, model, bucket }: Pick<Cell, "day" | "model" | "bucket">): string {
  return [day, model, bucket].filter(Boolean).join(" ");
}
