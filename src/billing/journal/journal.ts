import { assert } from "../../base/assert.ts";
import { SlotList, type Slotted } from "../../base/async/slot-list.ts";
import type { Lease } from "../leases/lease.ts";
import { LeaseTable } from "../leases/lease-table.ts";
import type { Row } from "../usage-log/usage-row.ts";
import type { FlushRequest, FlushResult } from "./flush.ts";
import { FlushBatch, type RequestRecords, rowOfRecords } from "./flush-batch.ts";
import { type JournalRecord, textOf } from "./journal-record.ts";

// While records wait to be posted, and while nothing happens at all.
const BUSY_FLUSH_MS = 250;
const QUIET_FLUSH_MS = 1_000;
// One statement of this many records takes some 20 ms, in which it holds the locks of its accounts.
const MAX_RECORDS = 1_000;
// What this process believes of its leases is not to be trusted any longer: it may have slept, and others
// may have closed its journal. They wait 60 s before they do.
const STALE_MS = 5_000;

// What a quiet flush posts; never filled.
const NO_RECORDS = new FlushBatch();

/** A request between its begin record and its end record. */
export interface Hold extends Slotted {
  /** Of the begin record. */
  readonly number: number;
  /** As it was taken, and what it has grown by since. */
  amountNanos: bigint;
  /** The balance first. */
  readonly leases: readonly Lease[];
  /** No record of this hold that is still needed stands in the journal before this number. */
  retainFrom: number;
  chargeNanos: bigint;
  /** Undefined once the hold is ended, when its records are with those to be posted. */
  beginRecord: JournalRecord | undefined;
  /** Of the end record; 0 until then. */
  endNumber: number;
}

/** The end of a request, for the disk and for the next flush; without a row its records are posted. */
export interface JournalEnd {
  readonly record: JournalRecord;
  readonly row: Row | undefined;
}

/**
 * The core of one journal: numbers its records, knows which are posted, builds flushes and learns from their
 * answers. Pure but for the times it is given; who writes the records and sends the flushes is outside.
 */
export class Journal {
  readonly id: string;
  readonly leases = new LeaseTable();
  flushNumber = 0;
  posted = 0;
  closed = false;
  /** When the last answered flush was sent: a later moment would count a sleep before the response as fresh. */
  freshAtMs = Number.NEGATIVE_INFINITY;
  private lastNumber = 0;
  /** Every hold that has not ended, by `retainFrom`. */
  private readonly holds = new SlotList<Hold>();
  /** Those that have, as the next flushes will post them. */
  private batches: FlushBatch[] = [];
  /** The last of them, while it takes more. */
  private gathering: FlushBatch | undefined;
  /** Holds in all of them. */
  private unposted = 0;
  /** Posted, and to be filled again: its room is large, and only a full collection would give it back. */
  private spare: FlushBatch | undefined;
  private unanswered: FlushRequest | undefined;
  private urgent = true;
  private builtAtMs = Number.NEGATIVE_INFINITY;
  private givesAll = false;

  constructor(id: string) {
    this.id = id;
  }

  /** Opens a hold that was taken from these leases. `encode` makes the begin record of the number it is given. */
  begin(leases: readonly Lease[], amountNanos: bigint, encode: (number: number) => JournalRecord): Hold {
    const number = this.nextNumber();
    const hold: Hold = {
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

  /** Lets a hold grow by what its leases have free, at most `byNanos`; gives how much that is. */
  growNow(hold: Hold, byNanos: bigint, nowMs: number): bigint {
    const grown = this.closed ? 0n : this.leases.takeFree(hold.leases, byNanos, nowMs);
    hold.amountNanos += grown;
    return grown;
  }

  /** Ends a hold. `encode` makes what is written of it; the end record is given back. The hold stays where that throws. */
  end(hold: Hold, chargeNanos: bigint, nowMs: number, encode: (number: number) => JournalEnd): JournalRecord {
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

  /** True while new holds may be taken on what is believed of the leases. */
  isFresh(nowMs: number): boolean {
    return !this.closed && nowMs - this.freshAtMs <= STALE_MS;
  }

  /** Something cannot wait for the next beat. */
  hurry(): void {
    this.urgent = true;
  }

  /** The database said that others need this ledger; a flush will tell for sure. */
  reclaim(ledger: string): void {
    const lease = this.leases.get(ledger);
    if (!lease) return;
    lease.reclaimed = true;
    this.hurry();
  }

  /** From now on every lease gives what it does not hold. */
  giveAll(): void {
    this.givesAll = true;
    this.hurry();
  }

  /**
   * Milliseconds until a flush should be sent; 0 = now. A full one is not kept waiting: the longer records wait, the more of
   * them the collector of memory takes for old.
   */
  dueInMs(nowMs: number): number {
    if (this.urgent || this.unanswered || this.unposted >= MAX_RECORDS) return 0;
    if (this.leases.isGrowing) return 0;
    const busy = this.unposted > 0 || this.leases.waitingCount > 0;
    return Math.max(0, this.builtAtMs + (busy ? BUSY_FLUSH_MS : QUIET_FLUSH_MS) - nowMs);
  }

  /** The flush to send: the one that has no response yet, unchanged, else a new one. */
  nextFlush(nowMs: number): FlushRequest {
    if (this.unanswered) return this.unanswered;
    const records = this.batches[0] ?? NO_RECORDS;
    if (records === this.gathering) this.gathering = undefined;
    this.builtAtMs = nowMs;
    this.urgent = false;
    this.unanswered = {
      journal: this.id,
      flushNumber: this.flushNumber,
      flushedThrough: Math.max(records.last, this.posted),
      batch: records,
      interrupted: [],
      deltas: this.closed ? [] : this.leases.asks(nowMs, this.givesAll),
    };
    return this.unanswered;
  }

  /** What the database said replaces what was believed. `sentAtMs`: when this attempt was sent. */
  learn(response: FlushResult, sentAtMs: number, nowMs: number): void {
    const request = this.unanswered;
    assert(request, "an answer belongs to a request");
    this.unanswered = undefined;
    this.flushNumber = response.flushNumber;
    this.freshAtMs = sentAtMs;
    this.closed ||= response.closed;
    this.dropPosted(response.posted);
    this.leases.learn(request, response);
    // A response that lay there while this process slept says nothing about now.
    if (this.isFresh(nowMs)) this.leases.serve(nowMs, response.applied);
    for (const { ledger, reclaimed } of response.leases) {
      const lease = reclaimed ? this.leases.get(ledger) : undefined;
      if (lease && lease.freeNanos() > 0n) this.hurry();
    }
  }

  /** Records before this number are not needed any more. */
  retainFrom(): number {
    return this.batches.reduce(
      (first, batch) => Math.min(first, batch.retainFrom),
      this.holds.first()?.retainFrom ?? this.lastNumber + 1,
    );
  }

  /**
   * Holds still open whose records stand before `number`, so that a few long requests do not keep whole
   * segments: their begin records are to be written again, and from then on are needed only from there.
   */
  rewriteOpenRecords(before: number): Hold[] {
    const carried: Hold[] = [];
    for (const hold of this.holds.members()) {
      if (hold.retainFrom >= before) break;
      carried.push(hold);
    }
    for (const hold of carried) {
      this.holds.delete(hold);
      hold.retainFrom = this.lastNumber + 1;
      this.holds.add(hold);
    }
    return carried;
  }

  /** Holds that nobody has ended yet. */
  get openCount(): number {
    return this.holds.size;
  }

  /** Ended holds that no flush has posted yet. */
  get unpostedCount(): number {
    return this.unposted;
  }

  /** The record that was just ended begins to wait alone, or fills a flush. */
  changesDueTime(): boolean {
    return this.unposted === 1 || this.unposted === MAX_RECORDS;
  }

  /** The records of a request that is not posted yet, for receipts. */
  findUnposted(requestId: string): RequestRecords | undefined {
    const mark = JSON.stringify(requestId);
    for (const { beginRecord } of this.holds.members()) {
      const text = beginRecord === undefined ? "" : textOf(beginRecord);
      if (text.includes(mark)) return { beginRecord: text, endRecord: undefined };
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
    let batch = this.gathering;
    if (batch === undefined || batch.size >= MAX_RECORDS) {
      batch = this.spare ?? new FlushBatch();
      this.spare = undefined;
      this.batches.push(batch);
      this.gathering = batch;
    }
    return batch;
  }

  /**
   * A statement that was given up on may still be waiting with what now becomes other records; it names a flush
   * that is over, so it does nothing, whatever it says.
   */
  private forget(posted: FlushBatch): void {
    this.batches.shift();
    if (posted === this.gathering) this.gathering = undefined;
    posted.clear();
    this.spare = posted;
  }

  /**
   * Where somebody else has posted a part of one, which happens to closed journals only, all of it waits for its own flush:
   * that posts the rest.
   */
  private dropPosted(posted: number): void {
    for (let first = this.batches[0]; first && first.last <= posted; first = this.batches[0]) {
      for (const [lease, chargeNanos] of first.charges) lease.unpostedNanos -= chargeNanos;
      this.unposted -= first.size;
      this.forget(first);
    }
    this.posted = Math.max(this.posted, posted);
  }
}
