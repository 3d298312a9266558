import { appendAll } from "../../base/append-all.ts";
import { assert } from "../../base/assert.ts";
import type { FlushRequest, FlushResult } from "../journal/flush.ts";
import type { HoldRefusal, WaitLimits } from "../money-wait.ts";
import { Lease, type LeaseDelta } from "./lease.ts";
import type { LedgerRef } from "./ledger-ref.ts";

/** A request that found too little in its leases. Exactly one of `granted` and `refused` is called, once. */
export interface Waiter {
  readonly ledgers: readonly LedgerRef[];
  readonly amountNanos: bigint;
  /** It is sent away then. */
  readonly untilMs: number;
  granted(leases: readonly Lease[]): void;
  refused(why: HoldRefusal): void;
}

interface Waiting {
  readonly waiter: Waiter;
  readonly leases: readonly Lease[];
  /** Its demand is in a running or answered flush: only then does a low total mean that the money is short. */
  asked: boolean;
}

/** A hold that is to grow beyond what is here. `answered` is called once, when a flush has brought what there is. */
export interface Growth {
  readonly leases: readonly Lease[];
  readonly amountNanos: bigint;
  answered(): void;
}

/** All leases of one journal and who waits for them. */
export class LeaseTable {
  private readonly byLedger = new Map<string, Lease>();
  /** Per balance, in order of arrival. */
  private readonly queues = new Map<Lease, Waiting[]>();
  waitingCount = 0;
  /** Those that no flush has asked for yet, and those that the flush under way asks for. */
  private growing: Growth[] = [];
  private asked: Growth[] = [];

  /** The leases of these ledgers, the balance first. */
  of(ledgers: readonly LedgerRef[], nowMs: number): Lease[] {
    return ledgers.map((ledger) => {
      let lease = this.byLedger.get(ledger.id);
      if (lease === undefined) {
        lease = new Lease(ledger, nowMs);
        this.byLedger.set(ledger.id, lease);
      }
      lease.ledger = ledger; // a key's limit may have been changed
      return lease;
    });
  }

  /** Takes a hold from every lease or from none; never before those who wait. */
  take(leases: readonly Lease[], amountNanos: bigint, nowMs: number): boolean {
    if (this.waitingCount > 0 && leases[0] !== undefined && this.queues.has(leases[0])) return false;
    return holdAll(leases, amountNanos, nowMs);
  }

  /** Queues a request; gives false, and does nothing, where too many wait. */
  wait(waiter: Waiter, nowMs: number, { balanceWaiting }: WaitLimits): boolean {
    const leases = this.of(waiter.ledgers, nowMs);
    const balance = leases[0];
    if (balance === undefined) return false;
    const queue = this.queues.get(balance) ?? [];
    if (queue.length >= balanceWaiting) return false;
    queue.push({ waiter, leases, asked: false });
    this.queues.set(balance, queue);
    this.waitingCount += 1;
    for (const lease of leases) lease.waiting += 1;
    return true;
  }

  get(ledger: string): Lease | undefined {
    return this.byLedger.get(ledger);
  }

  /** Takes from each of these leases what all of them have free, at most `amountNanos`, and gives how much that is. */
  takeFree(leases: readonly Lease[], amountNanos: bigint, nowMs: number): bigint {
    let part = amountNanos;
    for (const lease of leases) if (lease.availableNanos() < part) part = lease.availableNanos();
    if (part > 0n) for (const lease of leases) lease.hold(part, nowMs);
    return part;
  }

  /** The next flush asks for this, once. */
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

  /** The lease changes for the next flush. */
  deltas(nowMs: number, releasesAll: boolean): LeaseDelta[] {
    const lacking = new Map<Lease, bigint>();
    appendAll(this.asked, this.growing);
    this.growing = [];
    for (const { leases, amountNanos } of this.asked)
      for (const lease of leases) lacking.set(lease, (lacking.get(lease) ?? 0n) + amountNanos);
    const wanted = new Map<Lease, bigint[]>();
    for (const queue of this.queues.values()) {
      for (const waiting of queue) {
        waiting.asked = true;
        for (const lease of waiting.leases) {
          const amounts = wanted.get(lease);
          if (amounts) amounts.push(waiting.waiter.amountNanos);
          else wanted.set(lease, [waiting.waiter.amountNanos]);
        }
      }
    }
    const deltas: LeaseDelta[] = [];
    for (const lease of this.byLedger.values()) {
      const delta = lease.delta(wanted.get(lease) ?? [], lacking.get(lease) ?? 0n, nowMs, releasesAll);
      if (delta) deltas.push(delta);
    }
    return deltas;
  }

  /** The response replaces what was believed. Charges it has posted are already off the leases. */
  applyResult(request: FlushRequest, response: FlushResult): void {
    for (const { ledger } of request.deltas) {
      const lease = this.byLedger.get(ledger);
      if (lease) lease.releasedNanos = 0n;
    }
    if (!response.applied) {
      for (const lease of this.byLedger.values()) {
        lease.grantedNanos = 0n;
        lease.reclaimed = false;
        lease.totalNanos = undefined;
      }
    }
    for (const state of response.leases) {
      const lease = this.byLedger.get(state.ledger);
      if (!lease && state.leaseNanos === 0n) continue;
      assert(lease, "a lease with a lease is never forgotten");
      lease.grantedNanos = state.leaseNanos;
      lease.reclaimed = state.reclaimed;
      lease.totalNanos = state.totalNanos;
    }
    this.responseGrowths(response.closed);
    for (const [ledger, lease] of this.byLedger) if (lease.isEmpty()) this.byLedger.delete(ledger);
  }

  /** New amounts go first to holds that must grow, because their responses already exist. A closed journal leases nothing. */
  private responseGrowths(closed: boolean): void {
    const answered = closed ? [...this.asked, ...this.growing] : this.asked;
    this.asked = [];
    if (closed) this.growing = [];
    for (const growth of answered) growth.answered();
  }

  /** Grants who can be granted, in order; with `refuse`, tells those whose account cannot pay. */
  serve(nowMs: number, refuse: boolean): void {
    for (const balance of [...this.queues.keys()]) this.serveQueue(balance, nowMs, refuse);
  }

  serveQueue(balance: Lease, nowMs: number, refuse: boolean): void {
    const queue = this.queues.get(balance);
    if (!queue) return;
    // A request that waits only for a limit doesn't hold up other keys of the account.
    const shortLimits = new Set<Lease>();
    let balanceShort = false;
    const keep = queue.filter((waiting) => {
      const { waiter, leases } = waiting;
      const least = refuse && waiting.asked ? smallestOf(leases) : undefined;
      if (least !== undefined && isBelow(least, waiter)) {
        this.leave(waiting);
        waiter.refused({ kind: "insufficient", ledger: least.ledger, fundsNanos: least.totalNanos ?? 0n });
        return false;
      }
      const mayTry = !balanceShort && !leases.some((lease) => shortLimits.has(lease));
      if (mayTry && holdAll(leases, waiter.amountNanos, nowMs)) {
        this.leave(waiting);
        waiter.granted(leases);
        return false;
      }
      for (const lease of leases) {
        if (lease.hasFree(waiter.amountNanos)) continue;
        if (lease === balance) balanceShort = true;
        else shortLimits.add(lease);
      }
      return true;
    });
    if (keep.length > 0) this.queues.set(balance, keep);
    else this.queues.delete(balance);
  }

  /** Sends away who has waited too long. */
  expire(nowMs: number, { balanceWaitMs }: WaitLimits): void {
    this.refuseExpired({ kind: "busy", waitMs: balanceWaitMs }, ({ untilMs }) => nowMs >= untilMs);
  }

  refuseExpired(why: HoldRefusal, which: (waiter: Waiter) => boolean = () => true): void {
    for (const waiter of this.removeWaiters(which)) waiter.refused(why);
  }

  /** Takes waiters out of their queues without a word, in order; the journal is closed and another will serve them. */
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
    for (const lease of waiting.leases) lease.waiting -= 1;
  }
}

function holdAll(leases: readonly Lease[], amountNanos: bigint, nowMs: number): boolean {
  for (const lease of leases) if (!lease.hasFree(amountNanos)) return false;
  for (const lease of leases) lease.hold(amountNanos, nowMs);
  return true;
}

/** The lease whose ledger has least; one without an answer yet is assumed to have enough. */
function smallestOf(leases: readonly Lease[]): Lease | undefined {
  let least: Lease | undefined;
  for (const lease of leases) {
    if (lease.totalNanos === undefined) continue;
    if (least?.totalNanos === undefined || lease.totalNanos < least.totalNanos) least = lease;
  }
  return least;
}

function isBelow(lease: Lease, waiter: Waiter): boolean {
  return lease.totalNanos !== undefined && lease.totalNanos < waiter.amountNanos;
}
