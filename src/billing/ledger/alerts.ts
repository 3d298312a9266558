import { runRepeatedly, type Timers } from "../../base/async/timers.ts";
import type { Log } from "../../observe/log.ts";
import type { Database } from "../../storage/database.ts";
import { fireAlerts } from "./alerts-store.ts";

export interface BalanceAlertsOptions {
  readonly database: Database;
  readonly timers: Timers;
  readonly log: Log;
  /** Between two looks; a balance that falls and rises again between them goes unseen. */
  readonly beatMs?: number;
}

/** One join of the alerts with their balances: some milliseconds with ten thousand of them. */
const INTERVAL_MS = 5_000;

/**
 * Watches the balances that somebody wants to be told of. Every process looks; the row of an alert says whether it
 * was told, so that one of them tells, once for each time the balance falls below.
 */
export function watchBalances(options: BalanceAlertsOptions): { stop(): Promise<void> } {
  const { database, timers, log, beatMs = INTERVAL_MS } = options;
  const check = async (): Promise<void> => {
    const fired = await fireAlerts(database);
    if (fired > 0) log.info({ fired }, "balances fell below their alert thresholds");
  };
  return runRepeatedly(timers, beatMs, check, (error) => {
    log.warn({ err: error }, "balances could not be checked; retrying");
  });
}
