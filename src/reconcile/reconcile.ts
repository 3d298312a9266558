import { formatDecimal } from "../base/money.ts";
import type { Queryable } from "../storage/database.ts";
import { type Cause, listed } from "./cause-sentence.ts";
import { findCauses } from "./causes.ts";
import { type Cell, type Comparison, compareCosts } from "./compare.ts";
import { AMOUNT_DECIMALS, ExportFormatError, type LeftOut, type VendorExport } from "./export-row.ts";
import type { NameAt } from "./names.ts";
import { type CostDoubt, quantitiesOf, type Suspect, sumOwnCosts } from "./own-costs.ts";
import { readCostedRequests, readNames } from "./own-costs-store.ts";
import { readExport } from "./read-export.ts";
import { zoneDays } from "./zone-days.ts";

/** One cent, in dollars: invoices are checked to the cent. */
export const DEFAULT_TOLERANCE = "0.01";

export interface ReconcileOptions {
  /** Compares only rows of this project or workspace. */
  readonly project?: string | undefined;
  /** Compares only requests that these upstreams got; undefined = all of them. */
  readonly upstreams?: readonly string[] | undefined;
  /** The zone in which the vendor's days begin; undefined = that of the format. */
  readonly zone?: string | undefined;
  /** Unit: 10^-15 of a dollar; applies to each day, model and bucket. */
  readonly tolerance: bigint;
}

/**
 * The output of `faregate reconcile --json` and of the console. Amounts are exact decimals in US dollars, as text; null
 * = not stated.
 */
export interface ReconcileReport {
  readonly format: string;
  readonly zone: string;
  readonly from: string;
  readonly to: string;
  readonly rows: number;
  /** Lines of the file that are no usage of models, such as totals. */
  readonly left_out: readonly LeftOut[];
  readonly ours_usd: string;
  readonly theirs_usd: string | null;
  /** Sorted by size, largest first; limited in number. */
  readonly differences: readonly ReportedDifference[];
  /** Number of differences, listed or not. */
  readonly differences_total: number;
  /** Causes of the largest differences. */
  readonly causes: readonly Cause[];
  readonly causes_total: number;
}

export interface ReportedDifference {
  readonly day: string;
  readonly model: string | null;
  readonly bucket: string | null;
  readonly ours: ReportedSums;
  readonly theirs: ReportedSums;
  readonly difference_usd: string | null;
  /** Requests of that day and model that may explain it. */
  readonly requests: readonly SuspectRequest[];
}

interface SuspectRequest {
  readonly id: string;
  /** Id of the requesting account. */
  readonly account: string;
  readonly why: readonly CostDoubt[];
}

interface ReportedSums {
  readonly quantity: number | null;
  readonly usd: string | null;
}

/** Maximum number of differences, and of causes, that a report lists; nobody reads more. */
const MAX_REPORTED = 500;

/** Compares a vendor's export with the usage log. Throws ExportFormatError, or RangeError for an unknown zone. */
export async function reconcile(
  db: Queryable,
  text: string,
  { project, upstreams, zone: givenZone, tolerance }: ReconcileOptions,
): Promise<ReconcileReport> {
  const names = await readNames(db);
  const unknown = upstreams?.find((name) => !names.upstreams.includes(name));
  if (unknown !== undefined)
    throw new ExportFormatError(`can't be compared: there is no upstream "${unknown}"`);
  const file = ofProject(readExport(text, names, givenZone), project);
  const days = zoneDays(file.zone);
  const chosen = upstreams && new Set(upstreams);
  const { from, to } = spanOf(file);
  const own = await sumOwnCosts(readCostedRequests(db, from, to), chosen, names.nameAt);
  const comparison = compareCosts(file, own, file.zone, tolerance);
  const largest = comparison.differences.slice(0, MAX_REPORTED);
  const causes = await findCauses({ file, own, tolerance, comparison });
  const suspects = [
    ...own.suspects.flatMap((each) => ofMidnight(each, days.dayAt)),
    ...(await sameQuantity(readCostedRequests(db, from, to), chosen, names.nameAt, {
      ...comparison,
      differences: largest,
    })),
  ];
  return reportOf(file, comparison, causes, suspects);
}

function ofProject(file: VendorExport, project: string | undefined): VendorExport {
  if (project === undefined) return file;
  const rows = file.rows.filter((row) => row.project === project);
  if (rows.length > 0) return { ...file, rows };
  const there = [...new Set(file.rows.flatMap((row) => row.project ?? []))].sort();
  const others = there.length > 0 ? `it has rows of: ${listed(there, ", ")}` : "its rows name no project";
  throw new ExportFormatError(`has no rows of the project "${project}"; ${others}`);
}

const DAY_MS = 86_400_000;

/** Zones are at most 14 hours from UTC. The range covers them all, because another zone may explain the differences. */
function spanOf({ days }: VendorExport): { from: Date; to: Date } {
  const [first = "", last = ""] = [days[0], days.at(-1)];
  return { from: new Date(Date.parse(first) - DAY_MS), to: new Date(Date.parse(last) + 2 * DAY_MS) };
}

/** Returns the days on which the vendor may count a request that began on another day than it ended on. */
function ofMidnight(suspect: Suspect, dayAt: (ms: number) => string): Suspect[] {
  const crossed = dayAt(suspect.acceptedMs) !== dayAt(suspect.endedMs);
  const why: readonly CostDoubt[] = crossed ? [...suspect.why, "across midnight"] : suspect.why;
  return why.length === 0 ? [] : [{ ...suspect, why }];
}

/** Finds requests whose usage equals a difference. */
async function sameQuantity(
  requests: ReturnType<typeof readCostedRequests>,
  upstreams: ReadonlySet<string> | undefined,
  nameAt: NameAt,
  { differences, zone }: Comparison,
): Promise<Suspect[]> {
  const wanted = new Set(
    differences.flatMap(({ day, model, bucket, ours, theirs: { quantity } }) => {
      const missing = quantity === undefined ? 0 : Math.abs(ours.quantity - quantity);
      return missing === 0 || bucket === undefined ? [] : [`${day} ${model ?? ""} ${bucket} ${missing}`];
    }),
  );
  if (wanted.size === 0) return [];
  const found: Suspect[] = [];
  for await (const request of requests) {
    const [acceptedMs, endedMs] = [request.acceptedAt.getTime(), request.endedAt.getTime()];
    const day = zone.dayAt(endedMs);
    for (const { model, bucket, quantity } of quantitiesOf(request, upstreams, nameAt)) {
      if (found.length >= MAX_SHOWN * differences.length) return found;
      const tail = `${bucket} ${quantity}`;
      if (!wanted.has(`${day} ${model} ${tail}`) && !wanted.has(`${day}  ${tail}`)) continue;
      const { requestId: id, accountId } = request;
      found.push({ id, accountId, model, bucket, acceptedMs, endedMs, why: ["same quantity"] });
    }
  }
  return found;
}

/** Maximum number of requests that a difference names. */
const MAX_SHOWN = 10;

function reportOf(
  file: VendorExport,
  { zone, firstDay, lastDay, cells, differences }: Comparison,
  causes: readonly Cause[],
  suspects: readonly Suspect[],
): ReconcileReport {
  const isPriced = cells.some(({ theirs }) => theirs.amount !== undefined);
  return {
    format: file.format,
    zone: zone.zone,
    from: firstDay,
    to: lastDay,
    rows: file.rows.length,
    left_out: file.leftOut,
    ours_usd: usd(cells.reduce((sum, { ours }) => sum + ours.amount, 0n)),
    theirs_usd: isPriced ? usd(cells.reduce((sum, { theirs }) => sum + (theirs.amount ?? 0n), 0n)) : null,
    differences: differences.slice(0, MAX_REPORTED).map((cell) => ({
      day: cell.day,
      model: cell.model ?? null,
      bucket: cell.bucket ?? null,
      ours: { quantity: cell.ours.quantity, usd: usd(cell.ours.amount) },
      theirs: {
        quantity: cell.theirs.quantity ?? null,
        usd: cell.theirs.amount === undefined ? null : usd(cell.theirs.amount),
      },
      difference_usd: cell.theirs.amount === undefined ? null : usd(cell.theirs.amount - cell.ours.amount),
      requests: suspectsOf(cell, suspects, zone.dayAt),
    })),
    differences_total: differences.length,
    causes: causes.slice(0, MAX_REPORTED),
    causes_total: causes.length,
  };
}

function suspectsOf(
  { day, model, bucket }: Cell,
  suspects: readonly Suspect[],
  dayAt: (ms: number) => string,
): ReportedDifference["requests"] {
  const found = new Map<string, SuspectRequest>();
  for (const suspect of suspects) {
    const { id, accountId, acceptedMs, endedMs, why } = suspect;
    const isHere = dayAt(endedMs) === day || (why.includes("across midnight") && dayAt(acceptedMs) === day);
    if (!isHere || (model !== undefined && suspect.model !== model)) continue;
    if (suspect.bucket !== undefined && suspect.bucket !== bucket) continue;
    if (found.size >= MAX_SHOWN && !found.has(id)) continue;
    const all = new Set([...(found.get(id)?.why ?? []), ...why]);
    found.set(id, { id, account: String(accountId), why: [...all] });
  }
  return [...found.values()];
}

function usd(amount: bigint): string {
  return formatDecimal(amount, AMOUNT_DECIMALS);
}
