import type { Clock } from "../base/clock.ts";
import { keepUp, type Timers } from "../base/timers.ts";
import type { Log } from "../observe/log.ts";
import type { TaskBoard } from "./board.ts";

export interface Upkeep {
  /** Tasks that are not over, by state, as of some seconds ago. */
  openByState(): ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

export interface UpkeepOptions {
  readonly board: TaskBoard;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** How long tasks are kept after they are over; asked at every run, as it is a setting. */
  readonly retentionDays: () => number;
}

const RECALL_BEAT_MS = 10_000;
const COUNT_BEAT_MS = 10_000;
const RETENTION_BEAT_MS = 3_600_000;
/** Short statements: what they lock, workers want. */
const MOST_DROPPED_AT_ONCE = 500;

/** Counts the open tasks for the metrics, recalls those that a clock set back would keep waiting, drops those past retention. */
export function createUpkeep({ board, clock, timers, log, retentionDays }: UpkeepOptions): Upkeep {
  let open: ReadonlyMap<string, number> = new Map();
  const count = async (): Promise<void> => {
    open = await board.countOpen();
  };
  const recall = async (): Promise<void> => {
    const tasks = await board.recall();
    if (tasks > 0)
      log.warn({ tasks }, "the database's clock went back; tasks do not wait until it has caught up");
  };
  const drop = async (): Promise<void> => {
    let dropped = MOST_DROPPED_AT_ONCE;
    while (dropped === MOST_DROPPED_AT_ONCE)
      dropped = await board.dropOld(retentionDays(), clock.nowMs(), MOST_DROPPED_AT_ONCE);
  };
  const counting = keepUp(timers, COUNT_BEAT_MS, count, (err) => {
    log.warn({ err }, "open tasks could not be counted; it will be tried again");
  });
  const recalling = keepUp(timers, RECALL_BEAT_MS, recall, (err) => {
    log.warn({ err }, "tasks could not be recalled; it will be tried again");
  });
  const dropping = keepUp(timers, RETENTION_BEAT_MS, drop, (err) => {
    log.warn({ err }, "old tasks could not be dropped; it will be tried again");
  });
  return {
    openByState: () => open,
    async stop() {
      await Promise.all([counting.stop(), recalling.stop(), dropping.stop()]);
    },
  };
}
