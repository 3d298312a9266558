import type { LedgerRef } from "./ledger-ref.ts";

// Long enough that a steady stream of requests asks the database for money every few seconds only, short
// enough that a process that dies has little of it.
const AHEAD_WINDOW_MS = 5_000;
// Money that lies idle here is missing elsewhere.
const IDLE_MS = 10_000;
// Somebody else is short: what was just given back is not asked for again at once.
const AFTER_RECALL_MS = 2_000;

/** What the next tick says of one purse. */
export interface PurseAsk {
  readonly ledger: string;
  readonly accountId: bigint;
  readonly allowanceNanos: bigint | null;
  readonly giveNanos: bigint;
  /** The give answers a recall. */
  readonly recallSeen: boolean;
  /** For charges above their holds: granted as far as there is money, before all else. */
  readonly growNanos: bigint;
  /** Waiting holds in order, less what is free already: the longest prefix that fits is granted. */
  readonly wants: readonly bigint[];
  /** Wished for beyond the wants. */
  readonly aheadNanos: bigint;
}

/**
 * What this process may spend of one ledger without asking. Invariant while the spool is open: lease =
 * held + unposted + given + free, and free is never negative.
 */
export class Purse {
  ledger: LedgerRef;
  leaseNanos = 0n;
  /** By open holds. */
  heldNanos = 0n;
  /** Charged, but not yet taken from the lease by a tick. */
  unpostedNanos = 0n;
  /** On its way back in the tick under way. */
  givenNanos = 0n;
  /** Somebody else needs what is free. */
  recalled = false;
  /** Wallet plus all leases, at the last answer that named this ledger. */
  totalNanos: bigint | undefined;
  /** Requests that wait for this purse. */
  waiting = 0;

  private usedAtMs: number;
  private recalledAtMs = Number.NEGATIVE_INFINITY;
  // What was spent, and most of what was held at once, in this window of time and the one before.
  private windowFromMs: number;
  private spentNanos = 0n;
  private spentBeforeNanos = 0n;
  private mostHeldNanos = 0n;
  private mostHeldBeforeNanos = 0n;

  constructor(ledger: LedgerRef, nowMs: number) {
    this.ledger = ledger;
    this.usedAtMs = nowMs;
    this.windowFromMs = nowMs;
  }

  freeNanos(): bigint {
    return this.leaseNanos - this.heldNanos - this.unpostedNanos - this.givenNanos;
  }

  hasRoom(amountNanos: bigint): boolean {
    return amountNanos === 0n || this.freeNanos() >= amountNanos;
  }

  /** Free, or nothing where others have closed the spool and taken what was held as well. */
  roomNanos(): bigint {
    return larger(this.freeNanos(), 0n);
  }

  hold(amountNanos: bigint, nowMs: number): void {
    this.turnWindow(nowMs);
    this.heldNanos += amountNanos;
    if (this.heldNanos > this.mostHeldNanos) this.mostHeldNanos = this.heldNanos;
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
   * What to say about this purse in the next tick, or undefined. `wanted` = waiting holds, in order; `growing` = what
   * running holds lack.
   */
  ask(wanted: readonly bigint[], growing: bigint, nowMs: number, givesAll: boolean): PurseAsk | undefined {
    const growNanos = larger(growing - this.roomNanos(), 0n);
    const free = larger(this.freeNanos() - growing, 0n);
    const idle = wanted.length === 0 && nowMs - this.usedAtMs > IDLE_MS;
    const gives = this.recalled || givesAll || idle;
    const giveNanos = gives && free > 0n ? free : 0n;
    const wants = this.wants(wanted, free - giveNanos);
    const aheadNanos = gives ? 0n : this.ahead(wants, nowMs);
    const asksNothing = growNanos === 0n && wants.length === 0 && aheadNanos === 0n;
    if (!this.recalled && giveNanos === 0n && asksNothing) return undefined;
    if (this.recalled) this.recalledAtMs = nowMs;
    this.givenNanos = giveNanos;
    const { id, accountId, allowanceNanos } = this.ledger;
    const recallSeen = this.recalled;
    return { ledger: id, accountId, allowanceNanos, giveNanos, recallSeen, growNanos, wants, aheadNanos };
  }

  /** True where nothing would be forgotten by forgetting this purse. */
  isEmpty(): boolean {
    return this.leaseNanos === 0n && this.heldNanos === 0n && this.unpostedNanos === 0n && this.waiting === 0;
  }

  private wants(wanted: readonly bigint[], free: bigint): bigint[] {
    const wants: bigint[] = [];
    for (const amount of wanted) {
      const missing = amount - free;
      free = missing > 0n ? 0n : -missing;
      if (missing > 0n) wants.push(missing);
    }
    return wants;
  }

  /**
   * What to have beyond the wants, so that the next seconds' requests find room at once: as much as was
   * held at most lately, and on top of it what will be spent meanwhile. At most the latter is asked for.
   */
  private ahead(wants: readonly bigint[], nowMs: number): bigint {
    this.turnWindow(nowMs);
    const recent = larger(this.spentNanos, this.spentBeforeNanos);
    if (recent === 0n || nowMs - this.recalledAtMs < AFTER_RECALL_MS) return 0n;
    let have = this.leaseNanos - this.unpostedNanos;
    for (const want of wants) have += want;
    const missing = larger(this.mostHeldNanos, this.mostHeldBeforeNanos) + recent - have;
    // Half is the signal, so that not every tick moves a little.
    if (2n * missing <= recent) return 0n;
    return missing < recent ? missing : recent;
  }

  private turnWindow(nowMs: number): void {
    const age = nowMs - this.windowFromMs;
    if (age < AHEAD_WINDOW_MS) return;
    const next = age < 2 * AHEAD_WINDOW_MS;
    this.spentBeforeNanos = next ? this.spentNanos : 0n;
    this.mostHeldBeforeNanos = next ? this.mostHeldNanos : 0n;
    this.spentNanos = 0n;
    this.mostHeldNanos = this.heldNanos;
    this.windowFromMs = nowMs;
  }
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
