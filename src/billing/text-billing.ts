import { hostname } from "node:os";
import type { Clock } from "../base/clock.ts";
import { randomId } from "../base/random.ts";
import { systemTimers } from "../base/timers.ts";
import type { Log } from "../observe/log.ts";
import type { Database } from "../storage/database.ts";
import { createSpoolBilling, type SpoolBilling } from "./spool-billing.ts";
import { openSpoolDisk } from "./spool-disk.ts";
import { createSpoolStore, listenForMoney } from "./spool-store.ts";
import type { SpoolStore } from "./tick.ts";

export interface TextBillingOptions {
  readonly database: Database;
  /** The spool lives in `<dataDir>/spool`. */
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Tests put a faulty one between. */
  readonly store?: SpoolStore;
}

/** This process as people find it on a machine; its spool carries it. */
export const PROCESS_LABEL = `${hostname()} pid ${process.pid}`;

/** Holds and settlements of text requests on PostgreSQL and the local disk; started when it resolves. */
export function createTextBilling(options: TextBillingOptions): Promise<SpoolBilling> {
  const { database, dataDir, clock, log } = options;
  return createSpoolBilling({
    store: options.store ?? createSpoolStore(database),
    disk: openSpoolDisk(dataDir),
    clock,
    timers: systemTimers,
    log,
    label: PROCESS_LABEL,
    newId: randomId,
    listen: (onNews) => listenForMoney(database, onNews),
  });
}
