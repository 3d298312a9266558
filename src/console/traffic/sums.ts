import { percentile } from "../spending/percentile.ts";
import type { TrafficFigures, TrafficRow } from "./contract.ts";
import type { TrafficCell } from "./traffic-store.ts";

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
    requests: Number(sums.requests),
    errors: Number(sums.errors),
    input_tokens: Number(sums.inputTokens),
    output_tokens: Number(sums.outputTokens),
    charge_nanos: String(sums.chargeNanos),
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
