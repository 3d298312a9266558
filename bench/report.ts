import type { Blocks } from "./block.ts";
import type { ConsoleBench } from "./console.ts";
import type { Measured } from "./rounds.ts";
import type { StartTimes } from "./start-times.ts";

/**
 * The contestants of one workload as a table; ratios are to the one named `base`: of responses per second,
 * and of what a response costs in CPU time, which is what holds where other programs take part of the core.
 */
export function loadTable(what: string, rows: readonly Measured[], base: string): string {
  const ratios = ratiosTo(rows, base);
  return table(
    [
      what,
      "per second",
      "(rounds)",
      "ratio",
      "by CPU",
      "CPU ms",
      "database ms",
      "core",
      "p50 ms",
      "p99 ms",
      "peak MB",
      "errors",
    ],
    rows.map((row, index) => [
      row.name,
      fixed(row.perSecond, 0),
      `${fixed(row.spread[0], 0)}-${fixed(row.spread[1], 0)}`,
      fixed(ratios[index]?.ratio, 2),
      fixed(ratios[index]?.byCpu, 2),
      fixed(row.serverCpuMs, 3),
      row.databaseCpuMs ? fixed(row.databaseCpuMs, 3) : "-",
      row.busy === undefined ? "?" : `${fixed(row.busy * 100, 0)} %`,
      fixed(row.p50Ms, 2),
      fixed(row.p99Ms, 2),
      megabytes(row.peakBytes),
      String(row.errors),
    ]),
  );
}

export interface Ratio {
  readonly name: string;
  /** Of answers per second. */
  readonly ratio: number;
  /** Of what a response costs in CPU time; undefined without /proc. */
  readonly byCpu: number | undefined;
}

/** Each row's ratio to the one named `base`; above 1 is faster. */
export function ratiosTo(rows: readonly Measured[], base: string): Ratio[] {
  const unit = rows.find(({ name }) => name === base);
  return rows.map(({ name, perSecond, serverCpuMs }) => ({
    name,
    ratio: perSecond / (unit?.perSecond ?? Number.NaN),
    byCpu:
      unit?.serverCpuMs === undefined || serverCpuMs === undefined
        ? undefined
        : unit.serverCpuMs / serverCpuMs,
  }));
}

/** Time to the first byte with one caller at a time, when nothing waits for a core. */
export function latencyTable(what: string, rows: readonly Measured[], base: string): string {
  const unit = rows.find(({ name }) => name === base);
  const added = (own: number, of: number | undefined): string =>
    of === undefined ? "?" : `${own >= of ? "+" : ""}${fixed(own - of, 3)}`;
  return table(
    [what, "p50 ms", "added", "p99 ms", "added", "errors"],
    rows.map((row) => [
      row.name,
      fixed(row.p50Ms, 3),
      added(row.p50Ms, unit?.p50Ms),
      fixed(row.p99Ms, 3),
      added(row.p99Ms, unit?.p99Ms),
      String(row.errors),
    ]),
  );
}

/** How long the gateway's event loop stands still at most. */
export function blockTable(blocks: Blocks): string {
  return table(
    ["event loop blocked, longest", "ms"],
    [
      ["while nobody asks", fixed(blocks.idleMs, 1)],
      [
        "while a body of 32 MB is forwarded (least, median, most)",
        blocks.largeBodyMs.map((ms) => fixed(ms, 1)).join(", "),
      ],
    ],
  );
}

export function startTable(times: StartTimes): string {
  return table(
    ["faregate start", "value"],
    [
      ["first start, empty data folder", `${fixed(times.firstMs / 1000, 2)} s`],
      ["later starts", `${fixed(times.laterMs / 1000, 2)} s`],
      ["idle memory, gateway and sandbox", `${megabytes(times.idleBytes)} MB`],
      ["idle memory, database", `${megabytes(times.idleDatabaseBytes)} MB`],
      ["idle CPU", times.idleBusy === undefined ? "?" : `${fixed(times.idleBusy * 100, 1)} % of a core`],
    ],
  );
}

export function consoleTable({ requests, keys, times }: ConsoleBench, goalMs: number): string {
  return table(
    [`console over ${requests} requests, ${keys} keys`, "p50 ms", "most ms", "KB", `goal ${goalMs} ms`],
    times.map(({ page, p50Ms, maxMs, bytes }) => [
      page,
      fixed(p50Ms, 1),
      fixed(maxMs, 1),
      fixed(bytes / 1024, 0),
      p50Ms <= goalMs ? "met" : "missed",
    ]),
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  ");
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

function fixed(number: number | undefined, digits: number): string {
  return number === undefined || Number.isNaN(number) ? "?" : number.toFixed(digits);
}

function megabytes(bytes: number | undefined): string {
  return bytes === undefined ? "?" : fixed(bytes / 1024 / 1024, 0);
}
