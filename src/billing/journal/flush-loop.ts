import { sleep, type Timers } from "../../base/async/timers.ts";
import type { Clock } from "../../base/clock.ts";
import { failpoint } from "../../base/failpoint.ts";
import type { Log } from "../../observe/log.ts";
import type { FlushResult, JournalStore } from "./flush.ts";
import type { Journal } from "./journal.ts";

// First and longest pause before the same flush is sent again. An outage must be over for us within a second
// of its end.
const RETRY_FIRST_MS = 50;
const RETRY_MAX_MS = 500;
// The shortest pause between two flushes: gathers what arrives together, and limits the database's load.
const PAUSE_MS = 2;

export interface FlushLoop {
  /** Something happened that may make a flush due. */
  wake(): void;
  /** For how long the database has owed the response to a flush that has failed; 0 = it answers. */
  unansweredMs(nowMs: number): number;
  /** Ends after the flush under way. */
  stop(): Promise<void>;
}

export interface FlushLoopOptions {
  readonly journal: Journal;
  readonly store: JournalStore;
  /** Name of the process in messages. */
  readonly label: string;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** Before each flush is built. */
  beforeFlush(): void;
  /** After each response has been taken in. */
  onFlushed(response: FlushResult): void;
}

/** Sends the flushes of one journal, one at a time, each until it is answered. */
export function startFlushLoop(options: FlushLoopOptions): FlushLoop {
  const { journal, store, label, clock, timers, log } = options;
  let stopped = false;
  let failures = 0;
  /** When the first of them was sent. */
  let failingSinceMs = 0;
  let wakeUp: () => void = () => undefined;

  const sleepUntilWoken = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const cancel = timers.after(ms, resolve);
      wakeUp = () => {
        cancel();
        resolve();
      };
    });

  /** The database is older than it was: restored, or a standby took over that had not heard the last commits. */
  const sayLost = (): void =>
    log.error(
      { alarm: true, journal: journal.id },
      "database lost committed data (restored or failed over); charges in it are lost",
    );

  const attempt = async (): Promise<void> => {
    options.beforeFlush();
    const request = journal.nextFlush(clock.monotonicMs());
    const sentAtMs = clock.monotonicMs();
    failpoint("flush.before-statement");
    try {
      const response = await store.flush(request);
      failpoint("flush.after-statement");
      if (response === undefined) {
        // The same flush finds a journal without leases, and its result says so.
        await store.open(journal.id, label);
        return;
      }
      if (response.flushNumber < journal.flushNumber) sayLost();
      journal.applyResult(response, sentAtMs, clock.monotonicMs());
      if (failures > 0) log.info({ journal: journal.id, failures }, "database responds again");
      failures = 0;
      options.onFlushed(response);
    } catch (error) {
      if (failures === 0) {
        failingSinceMs = sentAtMs;
        log.warn({ err: error, journal: journal.id }, "flush failed; sending it again");
      }
      failures += 1;
    }
  };

  const running = (async () => {
    while (!stopped) {
      const pause =
        failures > 0
          ? Math.min(RETRY_FIRST_MS * 2 ** (failures - 1), RETRY_MAX_MS)
          : journal.dueInMs(clock.monotonicMs());
      if (failures === 0 && pause > PAUSE_MS) {
        await sleepUntilWoken(pause);
        if (stopped) return;
        if (journal.dueInMs(clock.monotonicMs()) > 0) continue;
      } else {
        await sleep(timers, Math.max(pause, PAUSE_MS));
      }
      if (!stopped) await attempt();
    }
  })();

  return {
    wake: () => wakeUp(),
    unansweredMs: (nowMs) => (failures === 0 ? 0 : nowMs - failingSinceMs),
    async stop() {
      stopped = true;
      wakeUp();
      await running;
    },
  };
}
