import { sleep, type Timers } from "../base/async/timers.ts";
import type { Clock } from "../base/clock.ts";
import type { Queryable } from "../storage/database.ts";
import { isConnectionLoss } from "../storage/failures.ts";
import type { Billing } from "./billing.ts";
import type { LedgerRef } from "./leases/ledger-ref.ts";
import { lackingLedger } from "./ledger/ledger-store.ts";
import { RETRY_MS, refusalOf, UNANSWERED_MS, type WaitLimits, waitForReclaim } from "./money-wait.ts";

/**
 * Billing of tasks. A task outlives its process, so the database takes its hold in one statement with the task itself. Waiting
 * and errors are as for text requests. `Taken` is that statement's result. An outage is reported once it has lasted 0.6 s.
 */
export type TaskBilling<Taken> = Billing<TaskHoldOrder<Taken>, Taken, HoldAmount>;

export interface HoldAmount {
  /** The balance first, then the limits that apply. */
  readonly ledgers: readonly [LedgerRef, ...LedgerRef[]];
  readonly amountNanos: bigint;
}

export interface TaskHoldOrder<Taken> extends HoldAmount {
  /** One statement that takes the hold or changes nothing. It may be run again although it took effect, and tells that then. */
  attempt(): Promise<Taken | HoldShortage>;
}

/** `reclaiming`: the money is leased to processes, which have been asked for it. `insufficient`: that ledger has less in all. */
export type HoldShortage =
  | { readonly outcome: "reclaiming" }
  | { readonly outcome: "insufficient"; readonly ledger: string };

export interface TaskBillingOptions {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly waitLimits: () => WaitLimits;
  /** Called with the ledger whose balance was too low for a refused task. */
  readonly onInsufficient?: ((ledger: LedgerRef) => void) | undefined;
  /**
   * Returns the ledger with the least money, leases included, if that is less than the amount; undefined = all of them
   * have enough.
   */
  readonly lacking: (ledgers: readonly LedgerRef[], amountNanos: bigint) => Promise<string | undefined>;
}

/** Holds of tasks on PostgreSQL. */
export function openTaskBilling<Taken>(
  db: Queryable,
  terms: Omit<TaskBillingOptions, "lacking">,
): TaskBilling<Taken> {
  return createTaskBilling({
    ...terms,
    lacking: (ledgers, amountNanos) => lackingLedger(db, ledgers, amountNanos),
  });
}

export function createTaskBilling<Taken>(options: TaskBillingOptions): TaskBilling<Taken> {
  const { clock, timers, waitLimits, lacking, onInsufficient } = options;
  /** Number of waiting tasks by balance. */
  const waiters = new Map<string, number>();

  const queueUp = ({ ledgers: [{ id }], amountNanos }: HoldAmount, limits: WaitLimits): (() => void) => {
    const others = waiters.get(id) ?? 0;
    if (others >= limits.balanceWaiting)
      throw refusalOf({ kind: "busy", waitMs: limits.balanceWaitMs }, amountNanos);
    waiters.set(id, others + 1);
    return () => {
      const left = (waiters.get(id) ?? 1) - 1;
      if (left > 0) waiters.set(id, left);
      else waiters.delete(id);
    };
  };

  /** A commit whose response was lost is asked again, which tells what became of it. */
  const ask = async ({ attempt }: TaskHoldOrder<Taken>): Promise<Taken | HoldShortage> => {
    const deadlineMs = clock.monotonicMs() + UNANSWERED_MS;
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        if (!isConnectionLoss(error) || clock.monotonicMs() >= deadlineMs) throw error;
        await sleep(timers, RETRY_MS);
      }
    }
  };

  const insufficient = ({ ledgers, amountNanos }: HoldAmount, id: string): Error => {
    const ledger = ledgers.find((each) => each.id === id) ?? ledgers[0];
    onInsufficient?.(ledger);
    return refusalOf({ kind: "insufficient", ledger, fundsNanos: 0n }, amountNanos);
  };

  return {
    async take(order) {
      const limits = waitLimits();
      const waitMs = limits.balanceWaitMs;
      let leave: (() => void) | undefined;
      const beforeWait = (): void => {
        leave = queueUp(order, limits);
      };
      try {
        const taken = await waitForReclaim(() => ask(order), isReclaiming, {
          clock,
          timers,
          waitMs,
          beforeWait,
        });
        if (!isShortage(taken)) return taken;
        if (taken.outcome === "reclaiming") throw refusalOf({ kind: "busy", waitMs }, order.amountNanos);
        throw insufficient(order, taken.ledger);
      } finally {
        leave?.();
      }
    },
    async requireFunds(amount) {
      const ledger = await lacking(amount.ledgers, amount.amountNanos);
      if (ledger !== undefined) throw insufficient(amount, ledger);
    },
  };
}

function isShortage(taken: unknown): taken is HoldShortage {
  if (typeof taken !== "object" || taken === null || !("outcome" in taken)) return false;
  return taken.outcome === "reclaiming" || taken.outcome === "insufficient";
}

function isReclaiming(taken: unknown): boolean {
  return isShortage(taken) && taken.outcome === "reclaiming";
}
