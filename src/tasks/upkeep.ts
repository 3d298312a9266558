import type { Clock } from "../base/clock.ts";
import { keepUp, type Timers } from "../base/timers.ts";
import type { Log } from "../observe/log.ts";
import type { TaskStore } from "./task-store.ts";

export interface Upkeep {
  /** Tasks that are not over, by state, as of some seconds ago. */
  openByState(): ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

export interface UpkeepOptions {
  readonly store: TaskStore;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** How long tasks are kept after they are over; asked at every run, as it is a setting. */
  readonly retentionDays: () => number;
}

const COUNT_INTERVAL_MS = 10_000;
const RETENTION_INTERVAL_MS = 3_600_000;
/** Short statements: what they lock, workers want. */
const MAX_DROPPED_AT_ONCE = 500;

/** Counts the open tasks for the metrics, drops those past retention. */
export function createUpkeep({ store, clock, timers, log, retentionDays }: UpkeepOptions): Upkeep {
  let open: ReadonlyMap<string, number> = new Map();
  const count = async (): Promise<void> => {
    open = await store.countOpen();
  };
  const drop = async (): Promise<void> => {
    let dropped = MAX_DROPPED_AT_ONCE;
    while (dropped === MAX_DROPPED_AT_ONCE)
      dropped = await store.dropOld(retentionDays(), clock.nowMs(), MAX_DROPPED_AT_ONCE);
  };
  const counting = keepUp(timers, COUNT_INTERVAL_MS, count, (err) => {
    log.warn({ err }, "open tasks could not be counted; it will be tried again");
  });
  const dropping = keepUp(timers, RETENTION_INTERVAL_MS, drop, (err) => {
    log.warn({ err }, "old tasks could not be dropped; it will be tried again");
  });
  return {
    openByState: () => open,
    async stop() {
      await Promise.all([counting.stop(), dropping.stop()]);
    },
  };
}
