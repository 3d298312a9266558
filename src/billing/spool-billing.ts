import type { Clock } from "../base/clock.ts";
import type { Timers } from "../base/timers.ts";
import type { Log } from "../observe/log.ts";
import { createAdmission } from "./admission.ts";
import type { TextBilling } from "./billing.ts";
import type { RequestLines } from "./posting.ts";
import type { Session } from "./session.ts";
import { openSessions } from "./sessions.ts";
import type { SpoolDisk } from "./spool-disk.ts";
import type { SpoolStore } from "./tick.ts";
import { timelyStore } from "./timely-store.ts";
import { startUpkeep } from "./upkeep.ts";

/** What one process needs; all of it can be simulated. */
export interface SpoolBillingOptions {
  readonly store: SpoolStore;
  readonly disk: SpoolDisk;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** Who this is, for people. */
  readonly label: string;
  /** An id no spool ever had. */
  readonly newId: () => string;
  /** Calls back with what the database notifies; gives the function that ends it. Only makes things faster. */
  readonly listen: (onNews: (news: MoneyNews) => void) => Promise<() => Promise<void>>;
}

/** "recall": others need what is not held of this ledger. "room": something was given back. */
export interface MoneyNews {
  readonly kind: "recall" | "room";
  readonly ledger: string;
  readonly bySpool: string;
}

export interface SpoolBilling extends TextBilling {
  /** Why no new work would be taken now, or undefined. */
  notReady(): string | undefined;
  /** The begin line, and the end line if there is one, of a request of this process that is not posted yet. */
  findUnposted(requestId: string): RequestLines | undefined;
  /** For metrics. */
  counts(): { readonly open: number; readonly unposted: number; readonly waiting: number };
  /**
   * Takes no new work, waits for running requests to settle, posts everything, returns the leases and
   * closes the spool. False where that was not done within `limitMs`: the spool then stays on disk, and the
   * next start on this data dir, or another process, finishes it.
   */
  drain(limitMs?: number): Promise<boolean>;
}

// By then the server's own limit for running requests is over.
const DRAIN_LIMIT_MS = 10_000;

/** Opens this process's spool, adopts those its dead predecessors left on this data dir, and starts ticking. */
export async function createSpoolBilling(options: SpoolBillingOptions): Promise<SpoolBilling> {
  const { disk, clock, timers, log } = options;
  const store = timelyStore(options.store, timers);
  let draining = false;
  const sessions = await openSessions({ ...options, store });
  const upkeep = startUpkeep({ store, disk, clock, timers, log, ownIds: sessions.ownIds });
  await Promise.all([sessions.current()?.answered, upkeep.adopt()]);
  const unlisten = await options.listen(({ kind, ledger, bySpool }) => {
    for (const session of sessions.all) {
      if (bySpool === session.spool.id) continue;
      if (kind === "recall") session.spool.recall(ledger);
      else if ((session.spool.purses.get(ledger)?.waiting ?? 0) > 0) session.spool.hurry();
      session.ticker.wake();
    }
  });
  const admission = createAdmission({
    clock,
    timers,
    log,
    current: sessions.current,
    draining: () => draining,
  });

  return {
    ...admission,
    findUnposted(requestId) {
      for (const { spool } of sessions.all) {
        const lines = spool.findUnposted(requestId);
        if (lines !== undefined) return lines;
      }
      return undefined;
    },
    counts() {
      const all = [...sessions.all].map(({ spool }) => spool);
      const sum = (count: (spool: Session["spool"]) => number): number =>
        all.reduce((total, spool) => total + count(spool), 0);
      return {
        open: sum((spool) => spool.openCount),
        unposted: sum((spool) => spool.unpostedCount),
        waiting: sum((spool) => spool.purses.waitingCount),
      };
    },
    async drain(limitMs = DRAIN_LIMIT_MS) {
      draining = true;
      await sessions.stop();
      await upkeep.stop();
      await unlisten();
      const deadlineMs = clock.monotonicMs() + limitMs;
      const finished = await Promise.all([...sessions.all].map((session) => session.finish(deadlineMs)));
      return finished.every(Boolean);
    },
  };
}
