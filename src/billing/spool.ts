import { assert } from "../base/assert.ts";
import { type Member, Roster } from "../base/roster.ts";
import { type Line, textOf } from "./line.ts";
import { Posting, type RequestLines, rowOfLines } from "./posting.ts";
import type { Purse } from "./purse.ts";
import { Purses } from "./purses.ts";
import type { TickAnswer, TickRequest } from "./tick.ts";
import type { Row } from "./usage-row.ts";

// While lines wait to be posted, and while nothing happens at all.
const BUSY_TICK_MS = 250;
const QUIET_TICK_MS = 1_000;
// One statement of this many lines takes some 20 ms, in which it holds the locks of its accounts.
const MOST_LINES = 1_000;
// What this process believes of its leases is not to be trusted any longer: it may have slept, and others
// may have closed its spool. They wait 60 s before they do.
const STALE_MS = 5_000;

// What a quiet tick posts; never filled.
const NO_LINES = new Posting();

/** A request between its begin line and its end line. */
export interface Hold extends Member {
  /** Of the begin line. */
  readonly number: number;
  /** As it was taken, and what it has grown by since. */
  amountNanos: bigint;
  /** The balance first. */
  readonly purses: readonly Purse[];
  /** No line of this hold that is still needed stands in the spool before this number. */
  neededFrom: number;
  chargeNanos: bigint;
  /** Undefined once the hold is ended, when its lines are with those to be posted. */
  beginLine: Line | undefined;
  /** Of the end line; 0 until then. */
  endNumber: number;
}

/** The end of a request, for the disk and for the next tick; without a row its lines are posted. */
export interface Ending {
  readonly line: Line;
  readonly row: Row | undefined;
}

/**
 * The core of one spool: numbers its lines, knows which are posted, builds ticks and learns from their
 * answers. Pure but for the times it is given; who writes the lines and sends the ticks is outside.
 */
export class Spool {
  readonly id: string;
  readonly purses = new Purses();
  tick = 0;
  posted = 0;
  closed = false;
  /** When the last answered tick was sent: a later moment would count a sleep before the answer as fresh. */
  freshAtMs = Number.NEGATIVE_INFINITY;
  private lastNumber = 0;
  /** Every hold that has not ended, by `neededFrom`. */
  private readonly holds = new Roster<Hold>();
  /** Those that have, as the next ticks will post them. */
  private postings: Posting[] = [];
  /** The last of them, while it takes more. */
  private gathering: Posting | undefined;
  /** Holds in all of them. */
  private unposted = 0;
  /** Posted, and to be filled again: its room is large, and only a full collection would give it back. */
  private spare: Posting | undefined;
  private unanswered: TickRequest | undefined;
  private urgent = true;
  private builtAtMs = Number.NEGATIVE_INFINITY;
  private givesAll = false;

  constructor(id: string) {
    this.id = id;
  }

  /** Opens a hold that was taken from these purses. `encode` makes the begin line of the number it is given. */
  begin(purses: readonly Purse[], amountNanos: bigint, encode: (number: number) => Line): Hold {
    const number = this.nextNumber();
    const hold: Hold = {
      seat: -1,
      number,
      amountNanos,
      purses,
      neededFrom: number,
      chargeNanos: 0n,
      beginLine: encode(number),
      endNumber: 0,
    };
    this.holds.add(hold);
    return hold;
  }

  /** Lets a hold grow by what its purses have free, at most `byNanos`; gives how much that is. */
  growNow(hold: Hold, byNanos: bigint, nowMs: number): bigint {
    const grown = this.closed ? 0n : this.purses.takeFree(hold.purses, byNanos, nowMs);
    hold.amountNanos += grown;
    return grown;
  }

  /** Ends a hold. `encode` makes what is written of it; the end line is given back. */
  end(hold: Hold, chargeNanos: bigint, nowMs: number, encode: (number: number) => Ending): Line {
    const { beginLine, amountNanos, purses } = hold;
    assert(beginLine, "a hold is settled once");
    const balance = purses[0];
    assert(balance, "a hold has a balance");
    const number = this.nextNumber();
    const { line, row } = encode(number);
    hold.chargeNanos = chargeNanos;
    hold.beginLine = undefined;
    hold.endNumber = number;
    this.holds.delete(hold);
    const posting = this.posting();
    const ended = { number, balance: balance.ledger.id, holdNanos: amountNanos };
    posting.add(ended, row ?? rowOfLines(beginLine, line));
    posting.release(purses, chargeNanos, hold.neededFrom);
    for (const purse of purses) purse.settle(amountNanos, chargeNanos, nowMs);
    this.unposted += 1;
    if (balance.waiting > 0 && this.isFresh(nowMs)) this.purses.serveQueue(balance, nowMs, false);
    return line;
  }

  /** True while new holds may be taken on what is believed of the leases. */
  isFresh(nowMs: number): boolean {
    return !this.closed && nowMs - this.freshAtMs <= STALE_MS;
  }

  /** Something cannot wait for the next beat. */
  hurry(): void {
    this.urgent = true;
  }

  /** The database said that others need this ledger; a tick will tell for sure. */
  recall(ledger: string): void {
    const purse = this.purses.get(ledger);
    if (!purse) return;
    purse.recalled = true;
    this.hurry();
  }

  /** From now on every purse gives what it does not hold. */
  giveAll(): void {
    this.givesAll = true;
    this.hurry();
  }

  /**
   * Milliseconds until a tick should be sent; 0 = now. A full one is not kept waiting: the longer lines wait, the more of
   * them the collector of memory takes for old.
   */
  dueInMs(nowMs: number): number {
    if (this.urgent || this.unanswered || this.unposted >= MOST_LINES) return 0;
    if (this.purses.isGrowing) return 0;
    const busy = this.unposted > 0 || this.purses.waitingCount > 0;
    return Math.max(0, this.builtAtMs + (busy ? BUSY_TICK_MS : QUIET_TICK_MS) - nowMs);
  }

  /** The tick to send: the one that has no answer yet, unchanged, else a new one. */
  nextTick(nowMs: number): TickRequest {
    if (this.unanswered) return this.unanswered;
    const lines = this.postings[0] ?? NO_LINES;
    if (lines === this.gathering) this.gathering = undefined;
    this.builtAtMs = nowMs;
    this.urgent = false;
    this.unanswered = {
      spool: this.id,
      tick: this.tick,
      upto: Math.max(lines.last, this.posted),
      lines,
      interrupted: [],
      asks: this.closed ? [] : this.purses.asks(nowMs, this.givesAll),
    };
    return this.unanswered;
  }

  /** What the database said replaces what was believed. `sentAtMs`: when this attempt was sent. */
  learn(answer: TickAnswer, sentAtMs: number, nowMs: number): void {
    const request = this.unanswered;
    assert(request, "an answer belongs to a request");
    this.unanswered = undefined;
    this.tick = answer.tick;
    this.freshAtMs = sentAtMs;
    this.closed ||= answer.closed;
    this.dropPosted(answer.posted);
    this.purses.learn(request, answer);
    // An answer that lay there while this process slept says nothing about now.
    if (this.isFresh(nowMs)) this.purses.serve(nowMs, answer.applied);
    for (const { ledger, recalled } of answer.purses) {
      const purse = recalled ? this.purses.get(ledger) : undefined;
      if (purse && purse.freeNanos() > 0n) this.hurry();
    }
  }

  /** Lines before this number are not needed any more. */
  neededFrom(): number {
    return this.postings.reduce(
      (first, posting) => Math.min(first, posting.neededFrom),
      this.holds.first()?.neededFrom ?? this.lastNumber + 1,
    );
  }

  /**
   * Holds still open whose lines stand before `number`, so that a few long requests do not keep whole
   * segments: their begin lines are to be written again, and from then on are needed only from there.
   */
  carry(before: number): Hold[] {
    const carried: Hold[] = [];
    for (const hold of this.holds.members()) {
      if (hold.neededFrom >= before) break;
      carried.push(hold);
    }
    for (const hold of carried) {
      this.holds.delete(hold);
      hold.neededFrom = this.lastNumber + 1;
      this.holds.add(hold);
    }
    return carried;
  }

  /** Holds that nobody has ended yet. */
  get openCount(): number {
    return this.holds.size;
  }

  /** Ended holds that no tick has posted yet. */
  get unpostedCount(): number {
    return this.unposted;
  }

  /** The line that was just ended begins to wait alone, or fills a tick. */
  changesDueTime(): boolean {
    return this.unposted === 1 || this.unposted === MOST_LINES;
  }

  /** The lines of a request that is not posted yet, for receipts. */
  findUnposted(requestId: string): RequestLines | undefined {
    const mark = JSON.stringify(requestId);
    for (const { beginLine } of this.holds.members()) {
      const text = beginLine === undefined ? "" : textOf(beginLine);
      if (text.includes(mark)) return { beginLine: text, endLine: undefined };
    }
    for (const posting of this.postings) {
      const found = posting.find(requestId);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  private nextNumber(): number {
    this.lastNumber += 1;
    return this.lastNumber;
  }

  private posting(): Posting {
    let posting = this.gathering;
    if (posting === undefined || posting.size >= MOST_LINES) {
      posting = this.spare ?? new Posting();
      this.spare = undefined;
      this.postings.push(posting);
      this.gathering = posting;
    }
    return posting;
  }

  /**
   * A statement that was given up on may still be waiting with what now becomes other lines; it names a tick
   * that is over, so it does nothing, whatever it says.
   */
  private forget(posted: Posting): void {
    this.postings.shift();
    if (posted === this.gathering) this.gathering = undefined;
    posted.clear();
    this.spare = posted;
  }

  /**
   * Where somebody else has posted a part of one, which happens to closed spools only, all of it waits for its own tick:
   * that posts the rest.
   */
  private dropPosted(posted: number): void {
    for (let first = this.postings[0]; first && first.last <= posted; first = this.postings[0]) {
      for (const [purse, chargeNanos] of first.charges) purse.unpostedNanos -= chargeNanos;
      this.unposted -= first.size;
      this.forget(first);
    }
    this.posted = Math.max(this.posted, posted);
  }
}
