import type { Caller } from "../accounts/caller.ts";
import { assert } from "../base/assert.ts";
import type { Timers } from "../base/async/timers.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../observe/log.ts";
import { type HoldOrder, InsufficientFunds, type OpenHold } from "./billing.ts";
import type { Lease } from "./leases/lease.ts";
import type { Waiter } from "./leases/lease-table.ts";
import { type LedgerRef, ledgersOf } from "./leases/ledger-ref.ts";
import type { LedgerClient } from "./ledger/ledger-client.ts";
import {
  type HoldRefusal,
  insufficientFunds,
  refusalOf,
  UNANSWERED_MS,
  unavailable,
  type WaitLimits,
} from "./money-wait.ts";
import { TextHold } from "./text-hold.ts";

export interface HoldAdmission {
  /** See TextBilling.take. */
  take(order: HoldOrder): OpenHold | Promise<OpenHold>;
  /** See TextBilling.requireFunds. */
  requireFunds(caller: Caller): Promise<void> | undefined;
  /** See TextBilling.refused. */
  refused(error: unknown): void;
  /** Why no new work would be taken now, or undefined. */
  notReady(): string | undefined;
}

export interface HoldAdmissionOptions {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** The journal that new work goes to, if there is one. */
  readonly current: () => LedgerClient | undefined;
  readonly draining: () => boolean;
  readonly waitLimits: () => WaitLimits;
  /** Called with the ledger whose balance was too low for a refused request. */
  readonly onInsufficient?: ((ledger: LedgerRef) => void) | undefined;
}

// An account whose money is all held by others does have funds; confirming that isn't worth a longer wait.
const FUNDS_WAIT_MS = 1_000;
// The least that can be asked for.
const MIN_NANOS = 1n;
// Some 100 MB. The leases run out long before that unless requests are nearly free.
const MAX_UNPOSTED = 100_000;
const WAITERS_INTERVAL_MS = 100;
// Ends the error's sentence: how a caller can lower the cost of a text request.
const ADVICE = "Ask for fewer output tokens";
// A billion dollars: nobody has it, and it fits the database's integers many times.
const LARGEST_HOLD_NANOS = 10n ** 18n;

/** Decides which requests get a hold at once, which wait, and which are refused with which error. */
export function createHoldAdmission(options: HoldAdmissionOptions): HoldAdmission {
  const { clock, timers, log, current, draining, waitLimits, onInsufficient } = options;
  const surroundings = { clock, timers, log };
  // True only while a request waits.
  let watching = false;
  const watchWaiters = (): void => {
    if (watching) return;
    watching = true;
    timers.after(WAITERS_INTERVAL_MS, () => {
      watching = false;
      const client = current();
      if (!client || client.journal.leases.waitingCount === 0) return;
      const { leases } = client.journal;
      const nowMs = clock.monotonicMs();
      if (givesMoney(client, nowMs)) leases.expire(nowMs, waitLimits());
      else leases.refuseExpired({ kind: "unavailable" });
      watchWaiters();
    });
  };

  const givesMoney = ({ journal, flushLoop }: LedgerClient, nowMs: number): boolean =>
    journal.isFresh(nowMs) && flushLoop.unansweredMs(nowMs) < UNANSWERED_MS;

  const reasonNotReady = (nowMs: number): string | undefined => {
    const client = current();
    if (draining()) return "the gateway is shutting down";
    if (!client?.journal.isFresh(nowMs)) return "the ledger hasn't responded for some seconds";
    if (!client.writer.isWritable()) return "the journal in the data folder can't be written";
    if (client.journal.unpostedCount > MAX_UNPOSTED) return "the ledger is far behind";
    return undefined;
  };

  const usable = (nowMs: number): LedgerClient => {
    const client = current();
    if (client && reasonNotReady(nowMs) === undefined) return client;
    throw unavailable();
  };

  const queueUp = (client: LedgerClient, waiter: Waiter, nowMs: number): void => {
    const limits = waitLimits();
    if (!client.journal.leases.wait(waiter, nowMs, limits))
      waiter.refused({ kind: "busy", waitMs: limits.balanceWaitMs });
    watchWaiters();
    client.journal.flushSoon();
    client.flushLoop.wake();
  };

  /** Amounts taken from these leases go back to them if the hold isn't opened. */
  const opened = (client: LedgerClient, order: HoldOrder, leases: readonly Lease[]): OpenHold => {
    try {
      return new TextHold(client, order, leases, surroundings);
    } catch (error) {
      for (const lease of leases) lease.settle(order.amountNanos, 0n, clock.monotonicMs());
      throw error;
    }
  };

  const wait = (client: LedgerClient, order: HoldOrder, nowMs: number): Promise<OpenHold> =>
    new Promise((resolve, reject) => {
      const { amountNanos } = order;
      if (!givesMoney(client, nowMs)) {
        reject(unavailable());
        return;
      }
      const waiter = {
        ledgers: ledgersOf(order.caller, clock.nowMs(), order.model),
        amountNanos,
        untilMs: nowMs + waitLimits().balanceWaitMs,
        granted(leases: readonly Lease[]) {
          try {
            resolve(opened(client, order, leases));
          } catch (error) {
            reject(error);
          }
        },
        refused: (why: HoldRefusal) => reject(refusalOf(why, amountNanos, ADVICE)),
      };
      queueUp(client, waiter, nowMs);
    });

  /** Waits for the least amount there is, and gives it back at once. */
  const waitForFunds = (client: LedgerClient, ledgers: Waiter["ledgers"], nowMs: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const waiter: Waiter = {
        ledgers,
        amountNanos: MIN_NANOS,
        untilMs: nowMs + Math.min(FUNDS_WAIT_MS, waitLimits().balanceWaitMs),
        granted(leases) {
          for (const lease of leases) lease.settle(MIN_NANOS, 0n, nowMs);
          resolve();
        },
        refused(why) {
          if (why.kind === "busy") resolve();
          else if (why.kind === "unavailable") reject(refusalOf(why, MIN_NANOS));
          else {
            onInsufficient?.(why.ledger);
            reject(insufficientFunds(why.ledger));
          }
        },
      };
      queueUp(client, waiter, nowMs);
    });

  return {
    take(order) {
      const nowMs = clock.monotonicMs();
      const client = usable(nowMs);
      const { leases } = client.journal;
      const { amountNanos } = order;
      assert(amountNanos >= 0n, "a hold is not negative");
      const ledgers = ledgersOf(order.caller, clock.nowMs(), order.model);
      if (amountNanos > LARGEST_HOLD_NANOS)
        throw refusalOf({ kind: "insufficient", ledger: ledgers[0], fundsNanos: 0n }, amountNanos, ADVICE);
      const own = leases.of(ledgers, nowMs);
      if (leases.take(own, amountNanos, nowMs)) return opened(client, order, own);
      return wait(client, order, nowMs);
    },
    requireFunds(caller) {
      const nowMs = clock.monotonicMs();
      const client = usable(nowMs);
      const ledgers = ledgersOf(caller, clock.nowMs());
      const hasMoney = ledgers.every(({ id }) => (client.journal.leases.get(id)?.grantedNanos ?? 0n) > 0n);
      return hasMoney ? undefined : waitForFunds(client, ledgers, nowMs);
    },
    refused(error) {
      if (error instanceof InsufficientFunds) onInsufficient?.(error.ledger);
    },
    notReady: () => reasonNotReady(clock.monotonicMs()),
  };
}
