import type { Timers } from "../../base/async/timers.ts";
import type { Clock } from "../../base/clock.ts";
import type { JournalHold } from "../journal/journal.ts";
import type { LedgerClient } from "../ledger/ledger-client.ts";

// A response is complete and its last byte waits for this: a flush is answered in some milliseconds, and a database
// that is not there is not waited for.
const MAX_WAIT_MS = 1_000;

/**
 * Lets a hold grow by `byNanos` in all of its ledgers together, since what is charged is never above it: from what this
 * process has leased, else after one flush, and as far as there is money. Undefined where nothing need be waited for.
 */
export function growHold(
  { journal, flushLoop }: LedgerClient,
  hold: JournalHold,
  byNanos: bigint,
  clock: Clock,
  timers: Timers,
): Promise<void> | undefined {
  const missing = byNanos - journal.growNow(hold, byNanos, clock.monotonicMs());
  if (missing === 0n || !journal.isFresh(clock.monotonicMs())) return undefined;
  return new Promise((resolve) => {
    const { leases } = hold;
    const growth = {
      leases,
      amountNanos: missing,
      answered: (): void => {
        cancel();
        journal.growNow(hold, missing, clock.monotonicMs());
        resolve();
      },
    };
    const cancel = timers.after(MAX_WAIT_MS, () => {
      journal.leases.forgetGrowth(growth);
      resolve();
    });
    journal.leases.grow(growth);
    flushLoop.wake();
  });
}
