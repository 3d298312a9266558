import { assert } from "../base/assert.ts";
import type { LedgerRef } from "./ledger-ref.ts";
import { Purse, type PurseAsk } from "./purse.ts";
import type { TickAnswer, TickRequest } from "./tick.ts";

// A request waits while the money is merely held by others; longer than this a caller is better told.
export const LONGEST_WAIT_MS = 10_000;
// More than this cannot be served in that time anyway.
const MOST_WAITING = 1_000;

/** A request that found too little in its purses. Exactly one of `granted` and `refused` is called, once. */
export interface Waiter {
  readonly ledgers: readonly LedgerRef[];
  readonly amountNanos: bigint;
  readonly sinceMs: number;
  granted(purses: readonly Purse[]): void;
  refused(why: Refusal): void;
}

export type Refusal =
  /** The wallet plus all leases of some ledger is below the hold; `fundsNanos` is the smallest such sum. */
  | { readonly kind: "insufficient"; readonly ledger: LedgerRef; readonly fundsNanos: bigint }
  /** Others held the money for all the time one may wait, or too many wait already. */
  | { readonly kind: "busy" }
  | { readonly kind: "unavailable" };

interface Waiting {
  readonly waiter: Waiter;
  readonly purses: readonly Purse[];
  /** Its wish is in a tick under way or answered: only then does a low total speak against it. */
  asked: boolean;
}

/** A hold that is to grow beyond what is here. `answered` is called once, when a tick has brought what there is. */
export interface Growth {
  readonly purses: readonly Purse[];
  readonly amountNanos: bigint;
  answered(): void;
}

/** All purses of one spool and who waits for them. */
export class Purses {
  private readonly byLedger = new Map<string, Purse>();
  /** Per balance, in order of arrival. */
  private readonly queues = new Map<Purse, Waiting[]>();
  waitingCount = 0;
  /** Those that no tick has asked for yet, and those that the tick under way asks for. */
  private growing: Growth[] = [];
  private asked: Growth[] = [];

  /** The purses of these ledgers, the balance first. */
  of(ledgers: readonly LedgerRef[], nowMs: number): Purse[] {
    return ledgers.map((ledger) => {
      let purse = this.byLedger.get(ledger.id);
      if (purse === undefined) {
        purse = new Purse(ledger, nowMs);
        this.byLedger.set(ledger.id, purse);
      }
      purse.ledger = ledger; // a key's limit may have been changed
      return purse;
    });
  }

  /** Takes a hold from every purse or from none; never before those who wait. */
  take(purses: readonly Purse[], amountNanos: bigint, nowMs: number): boolean {
    if (this.waitingCount > 0 && purses[0] !== undefined && this.queues.has(purses[0])) return false;
    return holdAll(purses, amountNanos, nowMs);
  }

  /** Queues a request; gives false, and does nothing, where too many wait. */
  wait(waiter: Waiter, nowMs: number): boolean {
    const purses = this.of(waiter.ledgers, nowMs);
    const balance = purses[0];
    if (balance === undefined) return false;
    const queue = this.queues.get(balance) ?? [];
    if (queue.length >= MOST_WAITING) return false;
    queue.push({ waiter, purses, asked: false });
    this.queues.set(balance, queue);
    this.waitingCount += 1;
    for (const purse of purses) purse.waiting += 1;
    return true;
  }

  get(ledger: string): Purse | undefined {
    return this.byLedger.get(ledger);
  }

  /** Takes from each of these purses what all of them have free, at most `amountNanos`, and gives how much that is. */
  takeFree(purses: readonly Purse[], amountNanos: bigint, nowMs: number): bigint {
    let part = amountNanos;
    for (const purse of purses) if (purse.roomNanos() < part) part = purse.roomNanos();
    if (part > 0n) for (const purse of purses) purse.hold(part, nowMs);
    return part;
  }

  /** The next tick asks for this, once. */
  grow(growth: Growth): void {
    this.growing.push(growth);
  }

  /** It is not waited for any longer. */
  forgetGrowth(growth: Growth): void {
    this.growing = this.growing.filter((each) => each !== growth);
    this.asked = this.asked.filter((each) => each !== growth);
  }

  get isGrowing(): boolean {
    return this.growing.length > 0;
  }

  /** What to say in the next tick. */
  asks(nowMs: number, givesAll: boolean): PurseAsk[] {
    const lacking = new Map<Purse, bigint>();
    this.asked.push(...this.growing);
    this.growing = [];
    for (const { purses, amountNanos } of this.asked)
      for (const purse of purses) lacking.set(purse, (lacking.get(purse) ?? 0n) + amountNanos);
    const wanted = new Map<Purse, bigint[]>();
    for (const queue of this.queues.values()) {
      for (const waiting of queue) {
        waiting.asked = true;
        for (const purse of waiting.purses) {
          const amounts = wanted.get(purse);
          if (amounts) amounts.push(waiting.waiter.amountNanos);
          else wanted.set(purse, [waiting.waiter.amountNanos]);
        }
      }
    }
    const asks: PurseAsk[] = [];
    for (const purse of this.byLedger.values()) {
      const ask = purse.ask(wanted.get(purse) ?? [], lacking.get(purse) ?? 0n, nowMs, givesAll);
      if (ask) asks.push(ask);
    }
    return asks;
  }

  /** The answer replaces what was believed. Charges it has posted are already off the purses. */
  learn(request: TickRequest, answer: TickAnswer): void {
    for (const { ledger } of request.asks) {
      const purse = this.byLedger.get(ledger);
      if (purse) purse.givenNanos = 0n;
    }
    if (!answer.applied) {
      for (const purse of this.byLedger.values()) {
        purse.leaseNanos = 0n;
        purse.recalled = false;
        purse.totalNanos = undefined;
      }
    }
    for (const state of answer.purses) {
      const purse = this.byLedger.get(state.ledger);
      if (!purse && state.leaseNanos === 0n) continue;
      assert(purse, "a purse with a lease is never forgotten");
      purse.leaseNanos = state.leaseNanos;
      purse.recalled = state.recalled;
      purse.totalNanos = state.totalNanos;
    }
    this.answerGrowths(answer.closed);
    for (const [ledger, purse] of this.byLedger) if (purse.isEmpty()) this.byLedger.delete(ledger);
  }

  /** What has come is theirs before anybody else's: their answers are made already. A closed spool leases nothing. */
  private answerGrowths(closed: boolean): void {
    const answered = closed ? [...this.asked, ...this.growing] : this.asked;
    this.asked = [];
    if (closed) this.growing = [];
    for (const growth of answered) growth.answered();
  }

  /** Grants who can be granted, in order; with `refuse`, tells those whose account cannot pay. */
  serve(nowMs: number, refuse: boolean): void {
    for (const balance of [...this.queues.keys()]) this.serveQueue(balance, nowMs, refuse);
  }

  serveQueue(balance: Purse, nowMs: number, refuse: boolean): void {
    const queue = this.queues.get(balance);
    if (!queue) return;
    // Who waits for a limit only does not hold up other keys of the account.
    const shortLimits = new Set<Purse>();
    let balanceShort = false;
    const keep = queue.filter((waiting) => {
      const { waiter, purses } = waiting;
      const lacking = refuse && waiting.asked ? purses.find((purse) => isBelow(purse, waiter)) : undefined;
      if (lacking) {
        this.leave(waiting);
        waiter.refused({ kind: "insufficient", ledger: lacking.ledger, fundsNanos: leastTotal(purses) });
        return false;
      }
      const mayTry = !balanceShort && !purses.some((purse) => shortLimits.has(purse));
      if (mayTry && holdAll(purses, waiter.amountNanos, nowMs)) {
        this.leave(waiting);
        waiter.granted(purses);
        return false;
      }
      for (const purse of purses) {
        if (purse.hasRoom(waiter.amountNanos)) continue;
        if (purse === balance) balanceShort = true;
        else shortLimits.add(purse);
      }
      return true;
    });
    if (keep.length > 0) this.queues.set(balance, keep);
    else this.queues.delete(balance);
  }

  /** Sends away who has waited too long. */
  expire(nowMs: number): void {
    this.sendAway({ kind: "busy" }, (waiter) => nowMs - waiter.sinceMs >= LONGEST_WAIT_MS);
  }

  sendAway(why: Refusal, which: (waiter: Waiter) => boolean = () => true): void {
    for (const waiter of this.removeWaiters(which)) waiter.refused(why);
  }

  /** Takes waiters out of their queues without a word, in order; the spool is closed and another will serve them. */
  removeWaiters(which: (waiter: Waiter) => boolean): Waiter[] {
    const removed: Waiter[] = [];
    for (const [balance, queue] of this.queues) {
      const keep = queue.filter((waiting) => {
        if (!which(waiting.waiter)) return true;
        this.leave(waiting);
        removed.push(waiting.waiter);
        return false;
      });
      if (keep.length > 0) this.queues.set(balance, keep);
      else this.queues.delete(balance);
    }
    return removed;
  }

  private leave(waiting: Waiting): void {
    this.waitingCount -= 1;
    for (const purse of waiting.purses) purse.waiting -= 1;
  }
}

function holdAll(purses: readonly Purse[], amountNanos: bigint, nowMs: number): boolean {
  for (const purse of purses) if (!purse.hasRoom(amountNanos)) return false;
  for (const purse of purses) purse.hold(amountNanos, nowMs);
  return true;
}

/** Of those that are known: one that was not asked about has room for what is wanted. */
function leastTotal(purses: readonly Purse[]): bigint {
  const totals = purses.flatMap(({ totalNanos }) => (totalNanos === undefined ? [] : [totalNanos]));
  return totals.reduce((least, total) => (total < least ? total : least));
}

function isBelow(purse: Purse, waiter: Waiter): boolean {
  return purse.totalNanos !== undefined && purse.totalNanos < waiter.amountNanos;
}
