import type { AccountId } from "../../accounts/caller.ts";
import type { Queryable } from "../../storage/database.ts";
import type { SpendingGroup, SpendingLatencies, SpendingResponse, SpendingSums } from "./contract.ts";
import {
  type GroupedBy,
  type GroupedByDay,
  type GroupSums,
  type LatencyCount,
  readDayCharges,
  readDays,
  readDaysOfKeys,
  readGroups,
  readLatencies,
  readSteps,
  type Span,
  type Sums,
  type Totals,
} from "./spending-store.ts";

const DAY_MS = 86_400_000;
/** A week, so that a weekend weighs what it does. */
const USUAL_DAYS = 7;

/** The cost of the current month so far, and at its end if its other days are like the last seven full ones. */
export async function forecastOf(
  db: Queryable,
  accountId: AccountId,
  nowMs: number,
): Promise<SpendingResponse["forecast"]> {
  const now = new Date(nowMs);
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  const month = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1);
  const monthEnd = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1);
  const weekAgo = today - USUAL_DAYS * DAY_MS;
  const days = await readDayCharges(db, {
    accountId,
    from: new Date(Math.min(month, weekAgo)),
    until: new Date(today + DAY_MS),
  });
  const charged = (from: number, until: number): bigint =>
    days
      .filter(({ at }) => at.getTime() >= from && at.getTime() < until)
      .reduce((total, { chargeNanos }) => total + chargeNanos, 0n);
  const soFar = charged(month, monthEnd);
  const dayNanos = charged(weekAgo, today) / BigInt(USUAL_DAYS);
  return {
    month: now.toISOString().slice(0, 7),
    charged_nanos: String(soFar),
    day_nanos: String(dayNanos),
    expected_nanos: String(soFar + (dayNanos * BigInt(monthEnd - nowMs)) / BigInt(DAY_MS)),
  };
}

/** The number of responses in each bucket; see the SQL function latency_bucket. */
export type Histogram = ReadonlyMap<number, number>;

/** The milliseconds that a share of all responses took at most; null where there are none. */
export function percentile(histogram: Histogram, share: number): number | null {
  const buckets = [...histogram].sort(([a], [b]) => a - b);
  const all = buckets.reduce((total, [, count]) => total + count, 0);
  const rank = share * all;
  let below = 0;
  for (const [bucket, count] of buckets) {
    if (below + count >= rank) {
      // Bucket b reaches from 2^(b/4) to 2^((b+1)/4) ms; within it times are taken as spread evenly.
      const within = (rank - below) / count;
      return Math.round(2 ** ((bucket + within) / BUCKETS_OF_AN_OCTAVE));
    }
    below += count;
  }
  return null;
}

const BUCKETS_OF_AN_OCTAVE = 4;

/** More lines than that nobody reads; the file of the export has all of them. */
const GROUPS_LISTED = 100;
/** More colours than that nobody tells apart. */
const GROUPS_DRAWN = 8;

export interface SpendingQuery {
  readonly span: Span;
  readonly by: GroupedBy;
  readonly step: "day" | "hour";
  readonly nowMs: number;
}

/** An account's spending: totals, groups, a chart's steps, and the forecast of the month. */
export async function spendingOf(db: Queryable, wanted: SpendingQuery): Promise<SpendingResponse> {
  const { span, by } = wanted;
  const [{ totals, groups, steps }, counts, forecast] = await Promise.all([
    by === "key" || by === "user" || by === "tag"
      ? sumByKeys(db, span, by)
      : sumByHours(db, span, by, wanted.step),
    readLatencies(db, span),
    forecastOf(db, span.accountId, wanted.nowMs),
  ]);
  return {
    from: span.from.toISOString().slice(0, 10),
    to: new Date(span.until.getTime() - 1).toISOString().slice(0, 10),
    totals: totalsOf(totals, latenciesOf(counts)),
    groups: groups.map((group) => groupOf(group, by, counts)),
    others: othersOf(totals, groups),
    series: steps.map(({ at, id, chargeNanos, requests }) => ({
      at: at.toISOString(),
      group: id,
      charge_nanos: String(chargeNanos),
      requests: Number(requests),
    })),
    forecast,
  };
}

interface Summed {
  readonly totals: Totals;
  /** Those that cost most first. */
  readonly groups: readonly GroupSums[];
  readonly steps: readonly DrawnStep[];
}

/** The values of a chart at a moment; null = all groups that have no line of their own. */
type DrawnStep = Pick<Sums, "requests" | "chargeNanos"> & { readonly at: Date; readonly id: string | null };

async function sumByKeys(db: Queryable, span: Span, by: GroupedByDay): Promise<Summed> {
  const [days, groups] = await Promise.all([readDays(db, span), readGroups(db, span, by, GROUPS_LISTED)]);
  const steps = await readDaysOfKeys(db, span, by, drawn(groups));
  const rest = new Map(
    days.map((day) => [day.at.getTime(), { requests: day.requests, chargeNanos: day.chargeNanos }]),
  );
  for (const { at, requests, chargeNanos } of steps) {
    const day = rest.get(at.getTime());
    if (day === undefined) continue;
    day.requests -= requests;
    day.chargeNanos -= chargeNanos;
  }
  const others = [...rest].flatMap(([ms, sums]) =>
    sums.requests > 0n ? [{ at: new Date(ms), id: null, ...sums }] : [],
  );
  return { totals: days.reduce<Totals>(addSums, NOTHING), groups, steps: [...steps, ...others] };
}

async function sumByHours(
  db: Queryable,
  span: Span,
  by: "model" | "endpoint",
  step: "day" | "hour",
): Promise<Summed> {
  const [days, steps] = await Promise.all([readDays(db, span), readSteps(db, span, by, step)]);
  const byId = new Map<string, Sums>();
  for (const each of steps) byId.set(each.id, addSums(byId.get(each.id) ?? NO_SUMS, each));
  const groups = [...byId]
    .map(([id, sums]) => ({ id, name: id, ...sums }))
    .sort((a, b) => compare(b.chargeNanos, a.chargeNanos) || compare(b.requests, a.requests))
    .slice(0, GROUPS_LISTED);
  const ids = new Set(drawn(groups));
  return {
    totals: days.reduce<Totals>(addSums, NOTHING),
    groups,
    steps: joined(steps.map((each) => ({ ...each, id: ids.has(each.id) ? each.id : null }))),
  };
}

/** All that is not drawn by itself, as one for each moment. */
function joined(steps: readonly DrawnStep[]): DrawnStep[] {
  const byPlace = new Map<string, DrawnStep>();
  for (const step of steps) {
    const place = `${step.at.getTime()} ${step.id ?? ""}`;
    const other = byPlace.get(place);
    const requests = step.requests + (other?.requests ?? 0n);
    const chargeNanos = step.chargeNanos + (other?.chargeNanos ?? 0n);
    byPlace.set(place, { at: step.at, id: step.id, requests, chargeNanos });
  }
  return [...byPlace.values()];
}

function drawn(groups: readonly GroupSums[]): string[] {
  return groups.slice(0, GROUPS_DRAWN).map(({ id }) => id);
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const NO_SUMS: Sums = { requests: 0n, errors: 0n, inputTokens: 0n, outputTokens: 0n, chargeNanos: 0n };

const NOTHING: Totals = {
  ...NO_SUMS,
  estimated: 0n,
  inputUncached: 0n,
  cacheRead: 0n,
  cacheWrite5m: 0n,
  cacheWrite1h: 0n,
  outputVisible: 0n,
  outputReasoning: 0n,
  images: 0n,
  videoSeconds: 0n,
};

/** Every sum of the first with the second's of the same name. */
function addSums<Named extends Sums>(a: Named, b: Named): Named {
  const names = Object.keys(a) as (keyof Named & string)[];
  return Object.fromEntries(
    names.map((name) => [name, (a[name] as bigint) + (b[name] as bigint)]),
  ) as unknown as Named;
}

/** Sums as they are answered. */
export function sumsOf(sums: Sums): SpendingSums {
  return {
    requests: Number(sums.requests),
    errors: Number(sums.errors),
    input_tokens: Number(sums.inputTokens),
    output_tokens: Number(sums.outputTokens),
    charge_nanos: String(sums.chargeNanos),
  };
}

function totalsOf(totals: Totals, latencies: SpendingLatencies): SpendingResponse["totals"] {
  return {
    ...sumsOf(totals),
    estimated: Number(totals.estimated),
    tokens: {
      input_uncached: Number(totals.inputUncached),
      cache_read: Number(totals.cacheRead),
      cache_write_5m: Number(totals.cacheWrite5m),
      cache_write_1h: Number(totals.cacheWrite1h),
      output_visible: Number(totals.outputVisible),
      output_reasoning: Number(totals.outputReasoning),
    },
    images: Number(totals.images),
    video_seconds: Number(totals.videoSeconds),
    latencies,
  };
}

function groupOf(group: GroupSums, by: GroupedBy, counts: readonly LatencyCount[]): SpendingGroup {
  const isModel = by === "model";
  return {
    ...sumsOf(group),
    id: group.id,
    name: group.name,
    latencies: isModel ? latenciesOf(counts.filter(({ model }) => model === group.id)) : null,
  };
}

/** The totals without the groups: what is left where there are more than are listed. */
function othersOf(totals: Totals, groups: readonly GroupSums[]): SpendingSums | null {
  const rest = (name: keyof Sums): bigint => groups.reduce((left, group) => left - group[name], totals[name]);
  if (rest("requests") <= 0n) return null;
  return sumsOf({
    requests: rest("requests"),
    errors: rest("errors"),
    inputTokens: rest("inputTokens"),
    outputTokens: rest("outputTokens"),
    chargeNanos: rest("chargeNanos"),
  });
}

function latenciesOf(counts: readonly LatencyCount[]): SpendingLatencies {
  const of = (kind: LatencyCount["kind"]) => {
    const histogram = new Map<number, number>();
    for (const each of counts) {
      if (each.kind !== kind) continue;
      histogram.set(each.bucket, (histogram.get(each.bucket) ?? 0) + Number(each.requests));
    }
    const [p50, p95] = [percentile(histogram, 0.5), percentile(histogram, 0.95)];
    return p50 === null || p95 === null ? null : { p50_ms: p50, p95_ms: p95 };
  };
  return { first_byte: of("first_byte"), total: of("total") };
}
