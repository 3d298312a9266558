import { assert } from "../../base/assert.ts";
import { SlotList, type Slotted } from "../../base/async/slot-list.ts";
import type { Lease } from "../leases/lease.ts";
import { LeaseTable } from "../leases/lease-table.ts";
import type { Row } from "../usage-log/usage-row.ts";
import type { FlushRequest, FlushResult } from "./flush.ts";
import { FlushBatch, type RequestRecords, rowOfRecords } from "./flush-batch.ts";
import { type JournalRecord, textOf } from "./journal-record.ts";

// How often to flush while records wait to be posted, and while the journal is idle.
const BUSY_FLUSH_MS = 250;
const QUIET_FLUSH_MS = 1_000;
// A statement that posts this many records takes about 20 ms and locks their accounts meanwhile.
const MAX_RECORDS = 1_000;
// After this long without a flush result the lease amounts in memory are stale: the process may have been suspended,
// and another process may have closed its journal (which it does after 60 s).
const STALE_MS = 5_000;

// The batch of a flush that posts nothing; always empty.
const NO_RECORDS = new FlushBatch();

/** The hold of a request that has a begin record but no posted end record. */
export interface JournalHold extends Slotted {
  /** Number of the begin record. */
  readonly number: number;
  /** The amount at the start plus what the hold has grown by since. */
  amountNanos: bigint;
  /** The leases that the hold is taken from, the account's balance first. */
  readonly leases: readonly Lease[];
  /** The journal must keep this hold's records from this number on. */
  retainFrom: number;
  chargeNanos: bigint;
  /** Undefined once the hold has ended and its records are in a flush batch. */
  beginRecord: JournalRecord | undefined;
  /** Number of the end record; 0 until the hold ends. */
  endNumber: number;
}

/** The end of a request: a record for the disk and a usage row for the next flush. Without a row, the flush posts the records. */
export interface JournalEnd {
  readonly record: JournalRecord;
  readonly row: Row | undefined;
}

/**
 * The in-memory state of one journal: numbers the records, tracks which are posted, builds flushes and applies their
 * results. It performs no I/O and reads no clock: `journal-writer.ts` writes the records, `flush-loop.ts` sends the flushes.
 */
export class Journal {
  readonly id: string;
  readonly leases = new LeaseTable();
  flushNumber = 0;
  posted = 0;
  closed = false;
  /** When the last flush that got a result was sent. The time of the result would hide a suspension between the two. */
  freshAtMs = Number.NEGATIVE_INFINITY;
  private lastNumber = 0;
  /** All open holds, in the order of `retainFrom`. */
  private readonly holds = new SlotList<JournalHold>();
  /** Ended holds, batched for the next flushes. */
  private batches: FlushBatch[] = [];
  /** The last batch, while it still accepts holds. */
  private openBatch: FlushBatch | undefined;
  /** The number of holds in all batches. */
  private unposted = 0;
  /** A posted batch to reuse: it is large, and only a full garbage collection would free it. */
  private reusableBatch: FlushBatch | undefined;
  private unanswered: FlushRequest | undefined;
  private urgent = true;
  private builtAtMs = Number.NEGATIVE_INFINITY;
  private releasesAll = false;

  constructor(id: string) {
    this.id = id;
  }

  /** Opens a hold on these leases. `encode` returns the begin record for the given number. */
  begin(
    leases: readonly Lease[],
    amountNanos: bigint,
    encode: (number: number) => JournalRecord,
  ): JournalHold {
    const number = this.nextNumber();
    const hold: JournalHold = {
      slot: -1,
      number,
      amountNanos,
      leases,
      retainFrom: number,
      chargeNanos: 0n,
      beginRecord: encode(number),
      endNumber: 0,
    };
    this.holds.add(hold);
    return hold;
  }

  /** Grows a hold by at most `byNanos`, as far as its leases have free amounts. Returns the amount. */
  growNow(hold: JournalHold, byNanos: bigint, nowMs: number): bigint {
    const grown = this.closed ? 0n : this.leases.takeFree(hold.leases, byNanos, nowMs);
    hold.amountNanos += grown;
    return grown;
  }

  /** Ends a hold and returns its end record, which `encode` makes. If `encode` throws, the hold stays open. */
  end(
    hold: JournalHold,
    chargeNanos: bigint,
    nowMs: number,
    encode: (number: number) => JournalEnd,
  ): JournalRecord {
    const { beginRecord, amountNanos, leases } = hold;
    assert(beginRecord, "a hold is settled once");
    const balance = leases[0];
    assert(balance, "a hold has a balance");
    const number = this.nextNumber();
    const { record, row } = encode(number);
    const batch = this.batch();
    const ended = { number, balance: balance.ledger.id, holdNanos: amountNanos };
    batch.add(ended, row ?? rowOfRecords(beginRecord, record));
    hold.chargeNanos = chargeNanos;
    hold.beginRecord = undefined;
    hold.endNumber = number;
    this.holds.delete(hold);
    batch.release(leases, chargeNanos, hold.retainFrom);
    for (const lease of leases) lease.settle(amountNanos, chargeNanos, nowMs);
    this.unposted += 1;
    if (balance.waiting > 0 && this.isFresh(nowMs)) this.leases.serveQueue(balance, nowMs, false);
    return record;
  }

  /** True while the lease amounts in memory are recent enough to take new holds. */
  isFresh(nowMs: number): boolean {
    return !this.closed && nowMs - this.freshAtMs <= STALE_MS;
  }

  /** Sends the next flush without waiting for the interval. */
  flushSoon(): void {
    this.urgent = true;
  }

  /** Another process needs money of this ledger: flushes soon to release what is unused. */
  reclaim(ledger: string): void {
    const lease = this.leases.get(ledger);
    if (!lease) return;
    lease.reclaimed = true;
    this.flushSoon();
  }

  /** From now on every flush releases all unused lease amounts. */
  releaseAll(): void {
    this.releasesAll = true;
    this.flushSoon();
  }

  /**
   * Milliseconds until the next flush is due; 0 = now. A full batch is due at once: records that wait longer are moved to
   * the garbage collector's old generation.
   */
  dueInMs(nowMs: number): number {
    if (this.urgent || this.unanswered || this.unposted >= MAX_RECORDS) return 0;
    if (this.leases.isGrowing) return 0;
    const busy = this.unposted > 0 || this.leases.waitingCount > 0;
    return Math.max(0, this.builtAtMs + (busy ? BUSY_FLUSH_MS : QUIET_FLUSH_MS) - nowMs);
  }

  /** The flush to send: the previous one unchanged if it has no result yet, else a new one. */
  nextFlush(nowMs: number): FlushRequest {
    if (this.unanswered) return this.unanswered;
    const records = this.batches[0] ?? NO_RECORDS;
    if (records === this.openBatch) this.openBatch = undefined;
    this.builtAtMs = nowMs;
    this.urgent = false;
    this.unanswered = {
      journal: this.id,
      flushNumber: this.flushNumber,
      flushedThrough: Math.max(records.last, this.posted),
      batch: records,
      interrupted: [],
      deltas: this.closed ? [] : this.leases.deltas(nowMs, this.releasesAll),
    };
    return this.unanswered;
  }

  /** Replaces the state in memory by the database's. `sentAtMs`: when the flush was sent. */
  applyResult(response: FlushResult, sentAtMs: number, nowMs: number): void {
    const request = this.unanswered;
    assert(request, "an answer belongs to a request");
    this.unanswered = undefined;
    this.flushNumber = response.flushNumber;
    this.freshAtMs = sentAtMs;
    this.closed ||= response.closed;
    this.dropPosted(response.posted);
    this.leases.applyResult(request, response);
    // A result that arrived while the process was suspended may be outdated.
    if (this.isFresh(nowMs)) this.leases.serve(nowMs, response.applied);
    for (const { ledger, reclaimed } of response.leases) {
      const lease = reclaimed ? this.leases.get(ledger) : undefined;
      if (lease && lease.freeNanos() > 0n) this.flushSoon();
    }
  }

  /** The number of the first record that the journal must keep. */
  retainFrom(): number {
    return this.batches.reduce(
      (first, batch) => Math.min(first, batch.retainFrom),
      this.holds.first()?.retainFrom ?? this.lastNumber + 1,
    );
  }

  /**
   * Returns the open holds whose begin records are before `before`, for the caller to write those records again at the end of
   * the journal. Without it a few long requests would keep whole segments from being deleted.
   */
  rewriteOpenRecords(before: number): JournalHold[] {
    const rewritten: JournalHold[] = [];
    for (const hold of this.holds.members()) {
      if (hold.retainFrom >= before) break;
      rewritten.push(hold);
    }
    for (const hold of rewritten) {
      this.holds.delete(hold);
      hold.retainFrom = this.lastNumber + 1;
      this.holds.add(hold);
    }
    return rewritten;
  }

  /** The number of open holds. */
  get openCount(): number {
    return this.holds.size;
  }

  /** The number of ended holds that no flush has posted. */
  get unpostedCount(): number {
    return this.unposted;
  }

  /** True if the hold that has just ended changes when the next flush is due: it is the first one, or fills a batch. */
  changesDueTime(): boolean {
    return this.unposted === 1 || this.unposted === MAX_RECORDS;
  }

  /** The records of a request that no flush has posted, for its receipt. */
  findUnposted(requestId: string): RequestRecords | undefined {
    const quotedId = JSON.stringify(requestId);
    for (const { beginRecord } of this.holds.members()) {
      const text = beginRecord === undefined ? "" : textOf(beginRecord);
      if (text.includes(quotedId)) return { beginRecord: text, endRecord: undefined };
    }
    for (const batch of this.batches) {
      const found = batch.find(requestId);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  private nextNumber(): number {
    this.lastNumber += 1;
    return this.lastNumber;
  }

  private batch(): FlushBatch {
    let batch = this.openBatch;
    if (batch === undefined || batch.size >= MAX_RECORDS) {
      batch = this.reusableBatch ?? new FlushBatch();
      this.reusableBatch = undefined;
      this.batches.push(batch);
      this.openBatch = batch;
    }
    return batch;
  }

  /**
   * Empties a posted batch for reuse. A statement that timed out may still refer to the batch, but it carries an outdated
   * flush number, so the database ignores it.
   */
  private recycle(posted: FlushBatch): void {
    this.batches.shift();
    if (posted === this.openBatch) this.openBatch = undefined;
    posted.clear();
    this.reusableBatch = posted;
  }

  /**
   * Drops the batches that are fully posted. A partly posted batch, which only another process can leave after it has closed
   * the journal, waits for its own flush, which posts the rest.
   */
  private dropPosted(posted: number): void {
    for (let first = this.batches[0]; first && first.last <= posted; first = this.batches[0]) {
      for (const [lease, chargeNanos] of first.charges) lease.unpostedNanos -= chargeNanos;
      this.unposted -= first.size;
      this.recycle(first);
    }
    this.posted = Math.max(this.posted, posted);
  }
}
