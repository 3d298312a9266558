import { runAllInOrder } from "../../base/async/lifecycle.ts";
import type { Timers } from "../../base/async/timers.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../observe/log.ts";
import type { TextBilling } from "../billing.ts";
import { createHoldAdmission } from "../hold-admission.ts";
import type { LedgerRef } from "../leases/ledger-ref.ts";
import type { LedgerClient } from "../ledger/ledger-client.ts";
import { openLedgerClients } from "../ledger/ledger-clients.ts";
import { storeWithTimeout } from "../ledger/timely-store.ts";
import type { WaitLimits } from "../money-wait.ts";
import type { JournalStore } from "./flush.ts";
import type { RequestRecords } from "./flush-batch.ts";
import type { JournalDisk } from "./journal-disk.ts";
import { startMaintenance } from "./maintenance.ts";

/** The dependencies of one process; all of them can be simulated. */
export interface JournalBillingOptions {
  readonly store: JournalStore;
  readonly disk: JournalDisk;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly waitLimits: () => WaitLimits;
  /** Called with the ledger whose balance was too low for a refused request. */
  readonly onInsufficient?: ((ledger: LedgerRef) => void) | undefined;
  /** Name of the process in messages. */
  readonly label: string;
  /** An id no journal ever had. */
  readonly newId: () => string;
  /** Calls back with what the database notifies; gives the function that ends it. Only makes things faster. */
  readonly listen: (onNews: (news: LedgerNotification) => void) => Promise<() => Promise<void>>;
}

/** "reclaim": others need what is not held of this ledger. "room": something was given back. */
export interface LedgerNotification {
  readonly kind: "reclaim" | "room";
  readonly ledger: string;
  readonly byJournal: string;
}

export interface JournalBilling extends TextBilling {
  /** Why no new work would be taken now, or undefined. */
  notReady(): string | undefined;
  /** The begin record, and the end record if there is one, of a request of this process that is not posted yet. */
  findUnposted(requestId: string): RequestRecords | undefined;
  /** For metrics. */
  counts(): { readonly open: number; readonly unposted: number; readonly waiting: number };
  /**
   * Takes no new work, waits for running requests to settle, posts everything, returns the leases and
   * closes the journal. False where that was not done within `limitMs`: the journal then stays on disk, and the
   * next start on this data dir, or another process, finishes it.
   */
  drain(limitMs?: number): Promise<boolean>;
}

// The server's own limit for running requests has passed by then.
const DRAIN_LIMIT_MS = 10_000;

/** No hold was taken yet: the journal is empty, and one statement closes it. */
const FAILED_START_MS = 1_000;

/** Opens this process's journal, recovers those its dead predecessors left on this data dir, and starts flushing. */
export async function createJournalBilling(options: JournalBillingOptions): Promise<JournalBilling> {
  const { disk, clock, timers, log } = options;
  const store = storeWithTimeout(options.store, timers);
  let draining = false;
  const clients = await openLedgerClients({ ...options, store });
  const maintenance = startMaintenance({ store, disk, clock, timers, log, ownIds: clients.ownIds });
  let unlisten = async (): Promise<void> => undefined;
  const drain = async (limitMs: number): Promise<boolean> => {
    draining = true;
    let isFinished = false;
    await runAllInOrder(
      () => clients.stop(),
      () => maintenance.stop(),
      () => unlisten(),
      async () => {
        const deadlineMs = clock.monotonicMs() + limitMs;
        const finished = await Promise.all([...clients.all].map((client) => client.finish(deadlineMs)));
        isFinished = finished.every(Boolean);
      },
    );
    return isFinished;
  };
  const onNews = ({ kind, ledger, byJournal }: LedgerNotification): void => {
    for (const client of clients.all) {
      if (byJournal === client.journal.id) continue;
      if (kind === "reclaim") client.journal.reclaim(ledger);
      else if ((client.journal.leases.get(ledger)?.waiting ?? 0) > 0) client.journal.flushSoon();
      client.flushLoop.wake();
    }
  };
  try {
    await Promise.all([clients.current()?.answered, maintenance.recover()]);
    unlisten = await options.listen(onNews);
  } catch (error) {
    // A running flush continues until it is stopped, and would fail on the closed database.
    await drain(FAILED_START_MS).catch(() => undefined);
    throw error;
  }
  const admission = createHoldAdmission({
    clock,
    timers,
    log,
    current: clients.current,
    draining: () => draining,
    waitLimits: options.waitLimits,
    onInsufficient: options.onInsufficient,
  });

  return {
    ...admission,
    findUnposted(requestId) {
      for (const { journal } of clients.all) {
        const records = journal.findUnposted(requestId);
        if (records !== undefined) return records;
      }
      return undefined;
    },
    counts() {
      const all = [...clients.all].map(({ journal }) => journal);
      const sum = (count: (journal: LedgerClient["journal"]) => number): number =>
        all.reduce((total, journal) => total + count(journal), 0);
      return {
        open: sum((journal) => journal.openCount),
        unposted: sum((journal) => journal.unpostedCount),
        waiting: sum((journal) => journal.leases.waitingCount),
      };
    },
    drain: (limitMs = DRAIN_LIMIT_MS) => drain(limitMs),
  };
}
