import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { costOf, memoryOf } from "./cost.ts";
import { gatewayEnvironment, startGateway } from "./gateway.ts";
import { median } from "./rounds.ts";

export interface StartTimes {
  /** On an empty data folder: creates the database cluster, its schema, the demo account. Milliseconds. */
  readonly firstMs: number;
  readonly laterMs: number;
  /** Resident memory of the idle gateway, and of its database and sandbox beside it. */
  readonly idleBytes: number | undefined;
  readonly idleDatabaseBytes: number | undefined;
  /** CPU that it uses while nobody asks, as a share of one core. */
  readonly idleBusy: number | undefined;
}

const TIMES = 3;
const IDLE_MS = 3_000;

/** Times `faregate start` as `npm start` runs it (demo catalog, sandbox), on every core, to readiness. */
export async function timeStarts(folder: string): Promise<StartTimes> {
  const first: number[] = [];
  const later: number[] = [];
  const idle: Awaited<ReturnType<typeof observeIdle>>[] = [];
  for (let time = 0; time < TIMES; time++) {
    const env = gatewayEnvironment(join(folder, `start-${time}`));
    for (const times of [first, later]) {
      const startMs = performance.now();
      const { program } = await startGateway(env);
      times.push(performance.now() - startMs);
      if (time === 0 && times === later) idle.push(await observeIdle(program.pid));
      await program.stop();
    }
  }
  return {
    firstMs: median(first),
    laterMs: median(later),
    idleBytes: idle[0]?.bytes,
    idleDatabaseBytes: idle[0]?.databaseBytes,
    idleBusy: idle[0]?.busy,
  };
}

async function observeIdle(pid: number) {
  await sleep(IDLE_MS);
  const before = costOf(pid);
  const startMs = performance.now();
  await sleep(IDLE_MS);
  const after = costOf(pid);
  const memory = memoryOf(pid);
  return {
    bytes: memory?.serverBytes,
    databaseBytes: memory?.databaseBytes,
    busy:
      before && after
        ? (after.serverCpuMs + after.databaseCpuMs - before.serverCpuMs - before.databaseCpuMs) /
          (performance.now() - startMs)
        : undefined,
  };
}
