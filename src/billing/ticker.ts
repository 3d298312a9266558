import type { Clock } from "../base/clock.ts";
import { crashPoint } from "../base/crash-point.ts";
import { sleep, type Timers } from "../base/timers.ts";
import type { Log } from "../observe/log.ts";
import type { Spool } from "./spool.ts";
import type { SpoolStore, TickAnswer } from "./tick.ts";

// First and longest pause before the same tick is sent again. An outage must be over for us within a second
// of its end.
const RETRY_FIRST_MS = 50;
const RETRY_LONGEST_MS = 500;
// The shortest pause between two ticks: gathers what arrives together, and leaves the database some air.
const PAUSE_MS = 2;

export interface Ticker {
  /** Something happened that may make a tick due. */
  wake(): void;
  /** For how long the database has owed the answer to a tick that has failed; 0 = it answers. */
  unansweredMs(nowMs: number): number;
  /** Ends after the tick under way. */
  stop(): Promise<void>;
}

export interface TickerOptions {
  readonly spool: Spool;
  readonly store: SpoolStore;
  /** Who this is, for people. */
  readonly label: string;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** Before each tick is built. */
  onBeat(): void;
  /** After each answer has been taken in. */
  onAnswer(answer: TickAnswer): void;
}

/** Sends the ticks of one spool, one at a time, each until it is answered. */
export function startTicker(options: TickerOptions): Ticker {
  const { spool, store, label, clock, timers, log } = options;
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
      { alarm: true, spool: spool.id },
      "the database has forgotten what it had confirmed: what was charged meanwhile and is not in it is lost",
    );

  const attempt = async (): Promise<void> => {
    options.onBeat();
    const request = spool.nextTick(clock.monotonicMs());
    const sentAtMs = clock.monotonicMs();
    crashPoint("tick.before-statement");
    try {
      const answer = await store.tick(request);
      crashPoint("tick.after-statement");
      if (answer === undefined) {
        // The same tick finds a spool that has leased nothing, and learns that.
        await store.open(spool.id, label);
        return;
      }
      if (answer.tick < spool.tick) sayLost();
      spool.learn(answer, sentAtMs, clock.monotonicMs());
      if (failures > 0) log.info({ spool: spool.id, failures }, "the ledger answers again");
      failures = 0;
      options.onAnswer(answer);
    } catch (error) {
      if (failures === 0) {
        failingSinceMs = sentAtMs;
        log.warn({ err: error, spool: spool.id }, "a tick has no answer; it is sent again");
      }
      failures += 1;
    }
  };

  const running = (async () => {
    while (!stopped) {
      const pause =
        failures > 0
          ? Math.min(RETRY_FIRST_MS * 2 ** (failures - 1), RETRY_LONGEST_MS)
          : spool.dueInMs(clock.monotonicMs());
      if (failures === 0 && pause > PAUSE_MS) {
        await sleepUntilWoken(pause);
        if (stopped) return;
        if (spool.dueInMs(clock.monotonicMs()) > 0) continue;
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
