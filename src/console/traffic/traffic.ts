import type { Database } from "../../storage/database.ts";
import { percentile, sumsOf } from "../spending/spending.ts";
import type { Traffic, TrafficFigures, TrafficRow } from "./contract.ts";
import type { TrafficCell } from "./traffic-store.ts";
import { createTrafficWindow, type TrafficWindow } from "./window.ts";

/** The gateway's present and past load for its pages; one object a process, shared by all who watch. */
export interface TrafficWatch {
  /** Five minutes by two seconds; what rows sum up is the last minute. `slots` = only so many newest ones. */
  live(slots?: number): Promise<Traffic>;
  /** The last hour by the minute, and what rows sum up is all of it. */
  hour(): Promise<Traffic>;
}

export interface TrafficOptions {
  readonly database: Database;
  readonly label: string;
  /** Text requests under way in this process. */
  readonly running: () => number;
}

export const LIVE_SLOT_SECONDS = 2;
const LIVE_SLOTS = 150;
/** Long enough to have some requests in it, short enough to be now. */
const LIVE_SPAN_SLOTS = 30;
const HOUR_SLOTS = 60;

export function createTrafficWatch({ database, label, running }: TrafficOptions): TrafficWatch {
  const live = createTrafficWindow({ database, slotSeconds: LIVE_SLOT_SECONDS, slots: LIVE_SLOTS });
  const hour = createTrafficWindow({ database, slotSeconds: 60, slots: HOUR_SLOTS });
  const describe = async (window: TrafficWindow, slots: number, span: number): Promise<Traffic> => {
    const { newest, slots: cells } = await window.read();
    const cellsOf = (slot: number) => cells.get(slot) ?? [];
    const lately = lastOf(newest, span).flatMap(cellsOf);
    return {
      slot_seconds: window.slotSeconds,
      slots: lastOf(newest, slots).map((slot) => ({
        at: new Date(slot * window.slotSeconds * 1_000).toISOString(),
        ...figuresOf(cellsOf(slot)),
      })),
      span_seconds: span * window.slotSeconds,
      total: figuresOf(lately),
      upstreams: rowsBy("upstream", lately),
      models: rowsBy("model", lately),
      process: { label, running: running() },
    };
  };
  return {
    live: (slots = LIVE_SLOTS) => describe(live, slots, LIVE_SPAN_SLOTS),
    hour: () => describe(hour, HOUR_SLOTS, HOUR_SLOTS),
  };
}

/** So many numbers up to `newest`, rising. */
function lastOf(newest: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => newest - count + 1 + index);
}

/** Cells added up as the wire has them. */
export function figuresOf(cells: Iterable<TrafficCell>): TrafficFigures {
  const sums = { requests: 0n, errors: 0n, inputTokens: 0n, outputTokens: 0n, chargeNanos: 0n };
  const histogram = new Map<number, number>();
  for (const cell of cells) {
    for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += cell[name];
    if (cell.bucket !== null)
      histogram.set(cell.bucket, (histogram.get(cell.bucket) ?? 0) + Number(cell.requests));
  }
  return {
    ...sumsOf(sums),
    first_byte_p50_ms: percentile(histogram, 0.5),
    first_byte_p95_ms: percentile(histogram, 0.95),
    first_byte_p99_ms: percentile(histogram, 0.99),
  };
}

/** The same for each model or upstream, the busiest first. */
export function rowsBy(by: "model" | "upstream", cells: Iterable<TrafficCell>): TrafficRow[] {
  const groups = new Map<string, TrafficCell[]>();
  for (const cell of cells) {
    const group = groups.get(cell[by]);
    if (group === undefined) groups.set(cell[by], [cell]);
    else group.push(cell);
  }
  return Array.from(groups, ([name, group]) => ({ name, ...figuresOf(group) })).sort(
    (a, b) => b.requests - a.requests || (a.name < b.name ? -1 : 1),
  );
}
