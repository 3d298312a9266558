import { systemTimers } from "../../base/async/timers.ts";
import type { Clock } from "../../base/clock.ts";
import type { Database, Queryable } from "../../storage/database.ts";
import { type WaitLimits, waitForReclaim } from "../money-wait.ts";
import { attemptOperatorTransfer, type OperatorTransfer, type TransferOutcome } from "./ledger-store.ts";

/**
 * Credits or debits an account by an operator's word. A debit of money that is leased to processes recalls
 * it and waits (`settings.queues.balance_wait_ms`); where running requests hold it for all that time the outcome stays "reclaiming", and nothing
 * was moved. The same idempotency key moves money once, however often it is sent. `note` writes what belongs to the
 * transfer, in its transaction, once money was moved or had been before.
 */
export async function transferByOperator(
  database: Database,
  clock: Clock,
  transfer: OperatorTransfer,
  { balanceWaitMs }: Pick<WaitLimits, "balanceWaitMs">,
  note: (tx: Queryable, outcome: TransferOutcome) => Promise<void> = async () => undefined,
): Promise<TransferOutcome> {
  if (transfer.amountNanos === 0n) throw new RangeError("a transfer moves more or less than nothing");
  if (transfer.idempotencyKey === "" || transfer.reason === "")
    throw new RangeError("an operator's transfer needs an idempotency key and a reason");
  const attempt = (): Promise<TransferOutcome> =>
    database.transaction(async (tx) => {
      const made = await attemptOperatorTransfer(tx, transfer);
      if (made.outcome === "done" || made.outcome === "repeated") await note(tx, made);
      return made;
    });
  return waitForReclaim(attempt, ({ outcome }) => outcome === "reclaiming", {
    clock,
    timers: systemTimers,
    waitMs: balanceWaitMs,
  });
}
