import { sleep, type Timers } from "../base/async/timers.ts";
import type { Clock } from "../base/clock.ts";
import { formatUsd } from "../base/money.ts";
import { GatewayError, type LimitName } from "../errors.ts";
import { InsufficientFunds } from "./billing.ts";
import { UNWRITABLE } from "./journal/journal-writer.ts";
import { type LedgerRef, periodEnd } from "./leases/ledger-ref.ts";

/** Limits for requests that wait for money held by others: `settings.queues`. */
export interface WaitLimits {
  /** Maximum number of waiting requests of one account; text requests and tasks are counted apart. */
  readonly balanceWaiting: number;
  /** After that a caller is better told. */
  readonly balanceWaitMs: number;
}
/** A request that needs money from the database learns of an outage within a second. */
export const UNANSWERED_MS = 600;
/** Requests wait for less than 10 s; who is told to come back a little later finds the money settled. */
const RETRY_AFTER_SECONDS = 2;
/** How often a hold is retried while other processes release reclaimed amounts. */
export const RETRY_MS = 100;

export type HoldRefusal =
  /** The wallet plus all leases of some ledger is below the hold; `fundsNanos` is the smallest such sum, as far as it is known. */
  | { readonly kind: "insufficient"; readonly ledger: LedgerRef; readonly fundsNanos: bigint }
  /** Others held the money for all the time one may wait (`waitMs`), or too many wait already. */
  | { readonly kind: "busy"; readonly waitMs: number }
  | { readonly kind: "unavailable" };

/** The error for a caller whose hold is refused. `advice`: how to lower the request's cost, if possible. */
export function refusalOf(why: HoldRefusal, amountNanos: bigint, advice?: string): GatewayError {
  switch (why.kind) {
    case "insufficient": {
      const { ledger, fundsNanos } = why;
      const where = isBalance(ledger) ? "the account's balance" : `${limitText(ledger)} leaves`;
      const remedy = remedyFor(ledger, amountNanos);
      const advised = advice === undefined ? capitalised(remedy) : `${advice} or ${remedy}`;
      return new InsufficientFunds(
        `This request may cost up to $${formatUsd(amountNanos)}, which is more than ${where}. ${advised}.`,
        fundsNanos,
        ledger,
        limitOf(ledger),
      );
    }
    case "busy":
      return new GatewayError(
        "balance_busy",
        `The account's balance is reserved by other running requests, and none was released within ${why.waitMs / 1000} s. Try again when some have finished.`,
        { retryAfterSeconds: RETRY_AFTER_SECONDS, limit: "balance" },
      );
    case "unavailable":
      return unavailable();
  }
}

/** The ledger does not answer, or the journal cannot be written. */
export function unavailable(): GatewayError {
  return new GatewayError("service_unavailable", UNWRITABLE, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

/** The error for a caller without any money. */
export function insufficientFunds(ledger: LedgerRef): GatewayError {
  const what = isBalance(ledger) ? "the account's balance" : limitText(ledger);
  return new GatewayError(
    "insufficient_user_quota",
    `${capitalised(what)} is used up. ${capitalised(remedyFor(ledger))}.`,
    { limit: limitOf(ledger) },
  );
}

function limitOf(ledger: LedgerRef): LimitName {
  if (isBalance(ledger)) return "balance";
  return ledger.budget === undefined ? "spending_limit" : "budget";
}

function isBalance({ allowanceNanos }: LedgerRef): boolean {
  return allowanceNanos === null;
}

function limitText({ allowanceNanos, budget }: LedgerRef): string {
  const amount = `$${formatUsd(allowanceNanos ?? 0n)}`;
  if (budget !== undefined) return `the account's budget ${JSON.stringify(budget)} of ${amount}`;
  return `the API key's spending limit of ${amount}`;
}

/** Advice for a caller without enough money. Waiting doesn't help if the whole limit is below what the request may cost. */
function remedyFor(ledger: LedgerRef, amountNanos = 0n): string {
  if (isBalance(ledger)) return "top up the account";
  const change =
    ledger.budget === undefined ? "use another key" : "ask an owner of the account to raise the budget";
  const end = periodEnd(ledger);
  if (end === undefined || amountNanos > (ledger.allowanceNanos ?? 0n)) return change;
  return `wait until ${end}, when the ${ledger.budget === undefined ? "limit" : "budget"} resets, or ${change}`;
}

/**
 * Asks the database again while money is on its way back from other processes, for `waitMs`; gives the last response.
 * `beforeWait` runs once, before the first wait; where it throws, that is not waited for.
 */
export async function waitForReclaim<T>(
  attempt: () => Promise<T>,
  isReclaiming: (answer: T) => boolean,
  {
    clock,
    timers,
    waitMs,
    beforeWait,
  }: { readonly clock: Clock; readonly timers: Timers; readonly waitMs: number; beforeWait?(): void },
): Promise<T> {
  const deadlineMs = clock.monotonicMs() + waitMs;
  for (let isWaiting = false; ; isWaiting = true) {
    const answer = await attempt();
    if (!isReclaiming(answer) || clock.monotonicMs() >= deadlineMs) return answer;
    if (!isWaiting) beforeWait?.();
    await sleep(timers, RETRY_MS);
  }
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
