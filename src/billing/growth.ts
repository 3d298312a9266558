import type { Clock } from "../base/clock.ts";
import type { Timers } from "../base/timers.ts";
import type { Session } from "./session.ts";
import type { Hold } from "./spool.ts";

// An answer is complete and its last byte waits for this: a tick is answered in some milliseconds, and a database
// that is not there is not waited for.
const LONGEST_WAIT_MS = 1_000;

/**
 * Lets a hold grow by `byNanos` in all of its ledgers together, since what is charged is never above it: from what this
 * process has leased, else after one tick, and as far as there is money. Undefined where nothing need be waited for.
 */
export function growHold(
  { spool, ticker }: Session,
  hold: Hold,
  byNanos: bigint,
  clock: Clock,
  timers: Timers,
): Promise<void> | undefined {
  const missing = byNanos - spool.growNow(hold, byNanos, clock.monotonicMs());
  if (missing === 0n || !spool.isFresh(clock.monotonicMs())) return undefined;
  return new Promise((resolve) => {
    const { purses } = hold;
    const growth = {
      purses,
      amountNanos: missing,
      answered: (): void => {
        cancel();
        spool.growNow(hold, missing, clock.monotonicMs());
        resolve();
      },
    };
    const cancel = timers.after(LONGEST_WAIT_MS, () => {
      spool.purses.forgetGrowth(growth);
      resolve();
    });
    spool.purses.grow(growth);
    ticker.wake();
  });
}
