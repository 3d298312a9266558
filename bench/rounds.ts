import type { Contestant } from "./contestant.ts";
import { costOf, forgetPeak, memoryOf } from "./cost.ts";
import type { LoadOrder, LoadResult } from "./load.ts";
import type { Part } from "./options.ts";
import { nextMessage, startOwnProgram } from "./programs.ts";

export interface Workload {
  readonly part: Part;
  readonly streamed: boolean;
  readonly connections: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
}

/** One server under one workload: medians over the rounds of all its programs. */
export interface Measured {
  readonly name: string;
  readonly perSecond: number;
  /** Slowest and fastest round. */
  readonly spread: readonly [number, number];
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Per answer; undefined without /proc. */
  readonly serverCpuMs: number | undefined;
  readonly databaseCpuMs: number | undefined;
  /** Share of a core that it used, without the database. */
  readonly busy: number | undefined;
  readonly peakBytes: number | undefined;
  readonly databaseBytes: number | undefined;
  readonly answered: number;
  readonly compared: number;
  readonly errors: number;
  readonly errorTexts: readonly string[];
}

export interface LoadGenerator {
  apply(order: LoadOrder): Promise<LoadResult>;
  stop(): Promise<unknown>;
}

export function startLoadGenerator(core: number | undefined): LoadGenerator {
  const program = startOwnProgram("load", [], core);
  return {
    async apply(order) {
      program.child.send(order);
      return nextMessage<LoadResult>(program);
    },
    stop: () => program.stop(),
  };
}

/**
 * Seconds of load right before each measurement. A Node program that has had nothing to do for ten seconds, because the
 * others had their turns, has thrown away much of its compiled code, and is slow for half a second.
 */
const LEAD_IN_SECONDS = 1;

/**
 * Warms each contestant up, then measures them in turn, round after round, so that all meet the same weather. Those of
 * one name are programs of one server.
 */
export async function measure(
  load: LoadGenerator,
  contestants: readonly Contestant[],
  workload: Workload,
  rounds: number,
): Promise<Measured[]> {
  const taking = contestants.filter(({ parts }) => parts.includes(workload.part));
  const tallies: Tally[] = [];
  for (const contestant of taking) {
    forgetPeak(contestant.pid);
    const warmUp = await sample(load, contestant, { ...workload, seconds: workload.warmUpSeconds });
    tallies.push({ contestant, unmeasured: [warmUp], samples: [] });
  }
  for (let round = 0; round < rounds; round++) {
    for (const { contestant, unmeasured, samples } of tallies) {
      unmeasured.push(await sample(load, contestant, { ...workload, seconds: LEAD_IN_SECONDS }));
      samples.push(await sample(load, contestant, workload));
    }
  }
  const names = new Set(tallies.map(({ contestant }) => contestant.name));
  return Array.from(names, (name) =>
    summarize(
      name,
      tallies.filter(({ contestant }) => contestant.name === name),
    ),
  );
}

/** One program. */
interface Tally {
  readonly contestant: Contestant;
  /** Warm-up and lead-ins: their errors and answers count, their speed does not. */
  readonly unmeasured: Sample[];
  readonly samples: Sample[];
}

interface Sample {
  readonly result: LoadResult;
  readonly serverCpuMs: number | undefined;
  readonly databaseCpuMs: number | undefined;
  readonly busy: number | undefined;
}

async function sample(load: LoadGenerator, contestant: Contestant, workload: Workload): Promise<Sample> {
  await contestant.prepare?.();
  const before = costOf(contestant.pid);
  const startMs = performance.now();
  const result = await load.apply({
    port: contestant.port,
    headers: contestant.headers,
    model: contestant.model,
    translated: contestant.translates ?? false,
    streamed: workload.streamed,
    connections: workload.connections,
    seconds: workload.seconds,
  });
  const elapsedMs = performance.now() - startMs;
  const after = costOf(contestant.pid);
  if (before === undefined || after === undefined) {
    return { result, serverCpuMs: undefined, databaseCpuMs: undefined, busy: undefined };
  }
  const serverMs = after.serverCpuMs - before.serverCpuMs;
  const databaseMs = after.databaseCpuMs - before.databaseCpuMs;
  return {
    result,
    serverCpuMs: serverMs / Math.max(1, result.answered),
    databaseCpuMs: databaseMs / Math.max(1, result.answered),
    busy: serverMs / elapsedMs,
  };
}

function summarize(name: string, tallies: readonly Tally[]): Measured {
  const measured = tallies.flatMap(({ samples }) => samples);
  const results = [...tallies.flatMap(({ unmeasured }) => unmeasured), ...measured].map(
    ({ result }) => result,
  );
  const speeds = measured.map(({ result }) => result.perSecond);
  const memories = tallies.map(({ contestant }) => memoryOf(contestant.pid));
  const sum = (of: (result: LoadResult) => number): number =>
    results.reduce((total, result) => total + of(result), 0);
  return {
    name,
    perSecond: median(speeds),
    spread: [Math.min(...speeds), Math.max(...speeds)],
    p50Ms: median(measured.map(({ result }) => result.p50Ms)),
    p99Ms: median(measured.map(({ result }) => result.p99Ms)),
    serverCpuMs: medianOf(measured.map((each) => each.serverCpuMs)),
    databaseCpuMs: medianOf(measured.map((each) => each.databaseCpuMs)),
    busy: medianOf(measured.map((each) => each.busy)),
    peakBytes: medianOf(memories.map((memory) => memory?.serverPeakBytes)),
    databaseBytes: medianOf(memories.map((memory) => memory?.databaseBytes)),
    answered: sum((result) => result.answered),
    compared: sum((result) => result.compared),
    errors: sum((result) => result.errors),
    errorTexts: [...new Set(results.flatMap((result) => result.errorTexts))],
  };
}

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

function medianOf(numbers: readonly (number | undefined)[]): number | undefined {
  const known = numbers.filter((number) => number !== undefined);
  return known.length === 0 ? undefined : median(known);
}
