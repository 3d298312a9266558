import type { Queryable } from "../../storage/database.ts";
import { ALERT_DELIVERIES_KEPT } from "../../webhooks/webhooks-store.ts";

/** The balance alert of an account: its threshold, and its webhook URL, e-mail addresses or both. */
export interface BalanceAlert {
  readonly thresholdNanos: bigint;
  readonly url: string | null;
  readonly emails: readonly string[];
  /** It was told, and the balance has not been at the threshold again since. */
  readonly below: boolean;
  readonly firedAt: Date | null;
}

export function findAlert(db: Queryable, accountId: bigint): Promise<BalanceAlert | undefined> {
  return db.maybeOne<BalanceAlert>(
    `select threshold_nanos as "thresholdNanos", url, emails, below, fired_at as "firedAt" from balance_alerts where id = $1`,
    [accountId],
  );
}

/** A new threshold is armed anew, so that it fires where the balance is below it already; a new address is not. */
export async function writeAlert(
  tx: Queryable,
  accountId: bigint,
  { thresholdNanos, url, emails }: Pick<BalanceAlert, "thresholdNanos" | "url" | "emails">,
): Promise<void> {
  await tx.execute(
    `insert into balance_alerts as a (id, threshold_nanos, url, emails) values ($1, $2, $3, $4)
     on conflict (id) do update set threshold_nanos = excluded.threshold_nanos, url = excluded.url, emails = excluded.emails,
       below = a.below and a.threshold_nanos = excluded.threshold_nanos`,
    [accountId, thresholdNanos, url, emails],
  );
}

/** False = there was none. */
export async function deleteAlert(tx: Queryable, accountId: bigint): Promise<boolean> {
  return (await tx.execute("delete from balance_alerts where id = $1", [accountId])) > 0;
}

/** Tells of every balance that has fallen below its threshold since it was last at it. Gives how many. */
export async function fireBalanceAlerts(db: Queryable): Promise<number> {
  const { fired } = await db.one<{ fired: number }>("select fire_balance_alerts($1) as fired", [
    ALERT_DELIVERIES_KEPT,
  ]);
  return fired;
}

/**
 * Tells of every percentage that a budget has reached in its period for the first time. `exhausted`: ledgers of budgets that had
 * too little for a request. Gives how many alerts fired, told or not.
 */
export async function fireBudgetAlerts(db: Queryable, exhausted: readonly string[]): Promise<number> {
  const { fired } = await db.one<{ fired: number }>("select fire_budget_alerts($1, $2) as fired", [
    exhausted,
    ALERT_DELIVERIES_KEPT,
  ]);
  return fired;
}
