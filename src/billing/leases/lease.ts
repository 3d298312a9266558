import type { LedgerRef } from "./ledger-ref.ts";

// Long enough that a steady stream of requests asks the database for money every few seconds only, short
// enough that a process that dies has little of it.
const PREFETCH_WINDOW_MS = 5_000;
// Money that lies idle here is missing elsewhere.
const IDLE_MS = 10_000;
// Somebody else is short: what was just given back is not asked for again at once.
const AFTER_RECLAIM_MS = 2_000;

/** The change of one lease in the next flush. */
export interface LeaseDelta {
  readonly ledger: string;
  readonly accountId: bigint;
  readonly allowanceNanos: bigint | null;
  readonly releaseNanos: bigint;
  /** The give answers a reclaim. */
  readonly answersReclaim: boolean;
  /** For charges above their holds: granted as far as there is money, before all else. */
  readonly growNanos: bigint;
  /** Waiting holds in order, less what is free already: the longest prefix that fits is granted. */
  readonly demands: readonly bigint[];
  /** Wished for beyond the wants. */
  readonly prefetchNanos: bigint;
}

/**
 * The part of one ledger that this process may spend without asking. Invariant while the journal is open: lease = held +
 * unposted + given + free, and free is never negative.
 */
export class Lease {
  ledger: LedgerRef;
  grantedNanos = 0n;
  /** Reserved by open holds. */
  heldNanos = 0n;
  /** Charged, but not yet taken from the lease by a flush. */
  unpostedNanos = 0n;
  /** On its way back in the flush under way. */
  releasedNanos = 0n;
  /** Somebody else needs what is free. */
  reclaimed = false;
  /** Wallet plus all leases, at the last response that named this ledger. */
  totalNanos: bigint | undefined;
  /** Requests that wait for this lease. */
  waiting = 0;

  private usedAtMs: number;
  private reclaimedAtMs = Number.NEGATIVE_INFINITY;
  // Amount spent and the largest amount held at once, in this time window and in the one before.
  private windowFromMs: number;
  private spentNanos = 0n;
  private spentBeforeNanos = 0n;
  private maxHeldNanos = 0n;
  private maxHeldBeforeNanos = 0n;

  constructor(ledger: LedgerRef, nowMs: number) {
    this.ledger = ledger;
    this.usedAtMs = nowMs;
    this.windowFromMs = nowMs;
  }

  freeNanos(): bigint {
    return this.grantedNanos - this.heldNanos - this.unpostedNanos - this.releasedNanos;
  }

  hasFree(amountNanos: bigint): boolean {
    return amountNanos === 0n || this.freeNanos() >= amountNanos;
  }

  /** The free amount, or 0 if another process has closed the journal and reclaimed the holds too. */
  availableNanos(): bigint {
    return larger(this.freeNanos(), 0n);
  }

  hold(amountNanos: bigint, nowMs: number): void {
    this.turnWindow(nowMs);
    this.heldNanos += amountNanos;
    if (this.heldNanos > this.maxHeldNanos) this.maxHeldNanos = this.heldNanos;
    this.usedAtMs = nowMs;
  }

  /** A hold becomes a charge; the rest of it is free again. */
  settle(holdNanos: bigint, chargeNanos: bigint, nowMs: number): void {
    this.turnWindow(nowMs);
    this.heldNanos -= holdNanos;
    this.unpostedNanos += chargeNanos;
    this.usedAtMs = nowMs;
    this.spentNanos += chargeNanos;
  }

  /**
   * Returns this lease's change for the next flush, or undefined if there is none. `waitingHolds` in order; `growing` =
   * the amount that running holds lack.
   */
  delta(
    waitingHolds: readonly bigint[],
    growing: bigint,
    nowMs: number,
    releasesAll: boolean,
  ): LeaseDelta | undefined {
    const growNanos = larger(growing - this.availableNanos(), 0n);
    const free = larger(this.freeNanos() - growing, 0n);
    const idle = waitingHolds.length === 0 && nowMs - this.usedAtMs > IDLE_MS;
    const releases = this.reclaimed || releasesAll || idle;
    const releaseNanos = releases && free > 0n ? free : 0n;
    const demands = this.demands(waitingHolds, free - releaseNanos);
    const prefetchNanos = releases ? 0n : this.prefetchAmount(demands, nowMs);
    const isUnchanged = growNanos === 0n && demands.length === 0 && prefetchNanos === 0n;
    if (!this.reclaimed && releaseNanos === 0n && isUnchanged) return undefined;
    if (this.reclaimed) this.reclaimedAtMs = nowMs;
    this.releasedNanos = releaseNanos;
    const { id, accountId, allowanceNanos } = this.ledger;
    const reclaimSeen = this.reclaimed;
    return {
      ledger: id,
      accountId,
      allowanceNanos,
      releaseNanos: releaseNanos,
      answersReclaim: reclaimSeen,
      growNanos,
      demands: demands,
      prefetchNanos: prefetchNanos,
    };
  }

  /** True if this lease can be dropped without losing information. */
  isEmpty(): boolean {
    return (
      this.grantedNanos === 0n && this.heldNanos === 0n && this.unpostedNanos === 0n && this.waiting === 0
    );
  }

  private demands(waitingHolds: readonly bigint[], free: bigint): bigint[] {
    const demands: bigint[] = [];
    for (const amount of waitingHolds) {
      const missing = amount - free;
      free = missing > 0n ? 0n : -missing;
      if (missing > 0n) demands.push(missing);
    }
    return demands;
  }

  /**
   * The amount to lease beyond the demands, so that the requests of the next seconds need no flush: the recent maximum of holds
   * plus the recent spending. At most the latter is requested.
   */
  private prefetchAmount(demands: readonly bigint[], nowMs: number): bigint {
    this.turnWindow(nowMs);
    const recent = larger(this.spentNanos, this.spentBeforeNanos);
    if (recent === 0n || nowMs - this.reclaimedAtMs < AFTER_RECLAIM_MS) return 0n;
    let have = this.grantedNanos - this.unpostedNanos;
    for (const want of demands) have += want;
    const missing = larger(this.maxHeldNanos, this.maxHeldBeforeNanos) + recent - have;
    // Half is the signal, so that not every flush moves a little.
    if (2n * missing <= recent) return 0n;
    return missing < recent ? missing : recent;
  }

  private turnWindow(nowMs: number): void {
    const age = nowMs - this.windowFromMs;
    if (age < PREFETCH_WINDOW_MS) return;
    const next = age < 2 * PREFETCH_WINDOW_MS;
    this.spentBeforeNanos = next ? this.spentNanos : 0n;
    this.maxHeldBeforeNanos = next ? this.maxHeldNanos : 0n;
    this.spentNanos = 0n;
    this.maxHeldNanos = this.heldNanos;
    this.windowFromMs = nowMs;
  }
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
