import { runRepeatedly, type Timers } from "../../base/async/timers.ts";
import type { Log } from "../../observe/log.ts";
import type { Database } from "../../storage/database.ts";
import type { LedgerRef } from "../leases/ledger-ref.ts";
import { fireBalanceAlerts, fireBudgetAlerts } from "./alerts-store.ts";

export interface MoneyAlertsOptions {
  readonly database: Database;
  readonly timers: Timers;
  readonly log: Log;
  /** Between two looks; a balance that falls and rises again between them goes unseen. */
  readonly beatMs?: number;
}

export interface MoneyAlerts {
  /** A request was refused since this ledger had too little. A budget counts as reached then, as its rest may fit no request. */
  refused(ledger: LedgerRef): void;
  stop(): Promise<void>;
}

/** One join of the alerts with their ledgers each: some milliseconds with ten thousand of them. */
const INTERVAL_MS = 5_000;

/**
 * Watches the balances and budgets that somebody wants to be told of. Every process looks; the row of an alert says whether it
 * was told, so that one of them tells, once for each time a balance falls below and for each percentage of a budget's period.
 */
export function watchMoney(options: MoneyAlertsOptions): MoneyAlerts {
  const { database, timers, log, beatMs = INTERVAL_MS } = options;
  const exhausted = new Set<string>();
  const check = async (): Promise<void> => {
    const balances = await fireBalanceAlerts(database);
    if (balances > 0) log.info({ fired: balances }, "low-balance alerts fired");
    const ledgers = [...exhausted];
    const budgets = await fireBudgetAlerts(database, ledgers);
    if (budgets > 0) log.info({ fired: budgets }, "budget alerts fired");
    for (const id of ledgers) exhausted.delete(id);
  };
  const watch = runRepeatedly(timers, beatMs, check, (error) => {
    log.warn({ err: error }, "balance and budget check failed; retrying");
  });
  return {
    refused({ id, budget }) {
      if (budget !== undefined) exhausted.add(id);
    },
    stop: () => watch.stop(),
  };
}
