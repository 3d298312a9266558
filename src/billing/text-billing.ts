import { hostname } from "node:os";
import { systemTimers } from "../base/async/timers.ts";
import type { Clock } from "../base/clock.ts";
import { randomId } from "../base/random.ts";
import { DEFAULT_WAIT_LIMITS } from "../catalog/settings.ts";
import type { Log } from "../observe/log.ts";
import type { Database } from "../storage/database.ts";
import type { JournalStore } from "./journal/flush.ts";
import { createJournalBilling, type JournalBilling } from "./journal/journal-billing.ts";
import { openJournalDisk } from "./journal/journal-disk.ts";
import { createJournalStore, listenForMoney } from "./journal/journal-store.ts";
import type { LedgerRef } from "./leases/ledger-ref.ts";
import type { WaitLimits } from "./money-wait.ts";

export interface TextBillingOptions {
  readonly database: Database;
  /** The journal lives in `<dataDir>/journal`. */
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Default: 1,000 requests of an account, for 10 s. */
  readonly waitLimits?: () => WaitLimits;
  /** Called with the ledger whose balance was too low for a refused request. */
  readonly onInsufficient?: ((ledger: LedgerRef) => void) | undefined;
  /** Tests put a faulty one between. */
  readonly store?: JournalStore;
}

/** This process as people find it on a machine; its journal carries it. */
export const PROCESS_LABEL = `${hostname()} pid ${process.pid}`;

/** Holds and settlements of text requests on PostgreSQL and the local disk; started when it resolves. */
export function createTextBilling(options: TextBillingOptions): Promise<JournalBilling> {
  const { database, dataDir, clock, log } = options;
  return createJournalBilling({
    store: options.store ?? createJournalStore(database),
    disk: openJournalDisk(dataDir),
    clock,
    timers: systemTimers,
    log,
    waitLimits: options.waitLimits ?? (() => DEFAULT_WAIT_LIMITS),
    onInsufficient: options.onInsufficient,
    label: PROCESS_LABEL,
    newId: randomId,
    listen: (onNews) => listenForMoney(database, onNews),
  });
}
