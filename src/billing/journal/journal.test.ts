import { describe, expect, it } from "vitest";
import type { Lease } from "../leases/lease.ts";
import type { FlushResult } from "./flush.ts";
import { Journal, type JournalHold } from "./journal.ts";
import { recordOf, textOf } from "./journal-record.ts";

const LEDGER = { id: "account:1", accountId: 1n, allowanceNanos: null };

describe("a journal", () => {
  it("sends a flush that has no response again, unchanged, whatever happens meanwhile", () => {
    const { journal, begin } = leased(100n);
    journal.end(begin(10n), 5n, 0, ending);
    const sent = journal.nextFlush(0);
    journal.end(begin(10n), 7n, 0, ending);
    expect(journal.nextFlush(5_000)).toBe(sent);
    journal.applyResult(response({ flush: 2, posted: sent.flushedThrough, lease: 95n }), 5_000, 5_000);
    expect(journal.nextFlush(5_300)).toMatchObject({
      flushNumber: 2,
      flushedThrough: 4,
      batch: { numbers: [4] },
    });
  });

  it("sends a flush once it is full, and otherwise lets records gather", () => {
    const { journal, begin } = leased(2_000n);
    journal.nextFlush(0);
    journal.applyResult(response({ flush: 2, posted: 0, lease: 2_000n }), 0, 0);
    for (let count = 1; count < 1_000; count += 1) {
      journal.end(begin(1n), 1n, 0, ending);
      expect(journal.changesDueTime()).toBe(count === 1);
    }
    expect(journal.dueInMs(0)).toBe(250);
    for (let count = 0; count < 2; count += 1) journal.end(begin(1n), 1n, 0, ending);
    expect(journal.dueInMs(0)).toBe(0);
    const { batch: records, flushedThrough: upto } = journal.nextFlush(0);
    expect(records.size).toBe(1_000);
    journal.applyResult(response({ flush: 3, posted: upto, lease: 1_000n }), 0, 0);
    expect([journal.unpostedCount, journal.dueInMs(0)]).toEqual([1, 250]);
  });

  it("posts each line once, though the room of what is posted is used again", () => {
    const { journal, begin } = leased(100n);
    for (let flush = 2; flush < 6; flush += 1) {
      const holds = Array.from({ length: 6 - flush }, () => begin(1n));
      for (const hold of holds) journal.end(hold, 1n, 0, ending);
      const { batch: records, flushedThrough: upto } = journal.nextFlush(0);
      expect(records.pairs()).toEqual(
        holds.map(({ number, endNumber }) => ({
          beginRecord: textOf(record(number)),
          endRecord: textOf(record(endNumber)),
        })),
      );
      journal.applyResult(response({ flush, posted: upto, lease: 100n }), 0, 0);
    }
  });

  it("sends lines again that the database did not take, behind which others have gathered", () => {
    const { journal, begin } = leased(100n);
    journal.end(begin(1n), 1n, 0, ending);
    journal.nextFlush(0);
    journal.end(begin(1n), 1n, 0, ending);
    journal.applyResult(response({ flush: 2, posted: 0, lease: 100n, applied: false }), 0, 0);
    const { batch: records, flushedThrough: upto } = journal.nextFlush(0);
    expect([records.numbers, upto]).toEqual([[2], 2]);
    journal.applyResult(response({ flush: 3, posted: upto, lease: 99n }), 0, 0);
    expect(journal.nextFlush(0).batch.numbers).toEqual([4]);
  });

  it("finds the lines of a request until they are posted", () => {
    const { journal, begin } = leased(100n);
    const found = (number: number) => journal.findUnposted(`<${number}>`);
    const marked = (number: number) => recordOf(`{"mark":"<${number}>"}`);
    begin(1n);
    const hold = begin(1n, marked);
    expect(found(2)).toEqual({ beginRecord: '{"mark":"<2>"}', endRecord: undefined });
    journal.end(hold, 1n, 0, ending);
    expect(found(2)).toEqual({ beginRecord: '{"mark":"<2>"}', endRecord: textOf(record(3)) });
    journal.applyResult(
      response({ flush: 2, posted: journal.nextFlush(0).flushedThrough, lease: 99n }),
      0,
      0,
    );
    expect(found(2)).toBeUndefined();
  });

  it("believes what the database has, where a lost answer had taken effect", () => {
    const { journal, begin, lease } = leased(100n);
    journal.end(begin(30n), 30n, 0, ending);
    const { flushedThrough: upto } = journal.nextFlush(0);
    expect(lease.freeNanos()).toBe(70n);
    journal.applyResult(response({ flush: 2, posted: upto, lease: 70n, applied: false }), 0, 0);
    expect(lease.freeNanos()).toBe(70n);
    expect(journal.unpostedCount).toBe(0);
  });

  it("posts the rest of a flush of which others have posted a part, once they have closed the journal", () => {
    const { journal, begin, lease } = leased(100n);
    const holds = [begin(10n), begin(10n), begin(10n)];
    for (const hold of holds) journal.end(hold, 10n, 0, ending);
    const { batch: records, flushedThrough: upto } = journal.nextFlush(0);
    expect([records.numbers, upto]).toEqual([[4, 5, 6], 6]);
    journal.applyResult(response({ flush: 5, posted: 5, lease: 0n, applied: false, closed: true }), 0, 0);
    expect([journal.unpostedCount, journal.retainFrom()]).toEqual([3, 1]);
    expect(journal.nextFlush(0)).toMatchObject({
      flushNumber: 5,
      flushedThrough: 6,
      batch: { numbers: [4, 5, 6] },
      deltas: [],
    });
    journal.applyResult(response({ flush: 6, posted: 6, lease: 0n, closed: true }), 0, 0);
    expect([journal.unpostedCount, journal.retainFrom(), lease.unpostedNanos]).toEqual([0, 7, 0n]);
  });

  it("takes no answer for fresh that was sent for long ago", () => {
    const { journal } = leased(100n);
    journal.nextFlush(1_000);
    journal.applyResult(response({ flush: 2, posted: 0, lease: 100n }), 1_000, 91_000);
    expect(journal.isFresh(91_000)).toBe(false);
  });

  it("keeps the lines of open and unposted requests, and carries those of long ones", () => {
    const { journal, begin } = leased(100n);
    const long = begin(1n);
    const short = begin(1n);
    expect(journal.retainFrom()).toBe(1);
    expect(journal.rewriteOpenRecords(3)).toEqual([long, short]);
    expect([long.retainFrom, short.retainFrom]).toEqual([3, 3]);
    journal.end(short, 1n, 0, ending);
    expect(journal.rewriteOpenRecords(100), "an ended one is soon posted").toEqual([long]);
    expect(journal.retainFrom()).toBe(3);
    const { flushedThrough: upto } = journal.nextFlush(0);
    journal.applyResult(response({ flush: 2, posted: upto, lease: 99n }), 0, 0);
    expect(journal.retainFrom()).toBe(4);
  });

  it("gives back what is idle for 10 s, and everything not held when it is reclaimed", () => {
    const { journal, begin } = leased(100n);
    begin(40n);
    journal.reclaim(LEDGER.id);
    expect(journal.nextFlush(0).deltas).toMatchObject([{ releaseNanos: 60n, answersReclaim: true }]);
    const idle = leased(100n).journal;
    expect(idle.nextFlush(9_000).deltas).toEqual([]);
    idle.applyResult(response({ flush: 2, posted: 0, lease: 100n }), 9_000, 9_000);
    expect(idle.nextFlush(10_001).deltas).toMatchObject([{ releaseNanos: 100n, answersReclaim: false }]);
  });
});

const record = (number: number) => recordOf(`{"n":${number}}`);
const ending = (number: number) => ({ record: record(number), row: undefined });

/** A journal with one lease that has been leased so much. */
function leased(nanos: bigint): {
  journal: Journal;
  lease: Lease;
  begin: (nanos: bigint, encode?: typeof record) => JournalHold;
} {
  const journal = new Journal("s");
  const leases = journal.leases.of([LEDGER], 0);
  const [lease] = leases;
  if (!lease) throw new Error("unreachable");
  lease.waiting += 1; // as if somebody waited: an empty lease is forgotten
  journal.nextFlush(0);
  journal.applyResult(response({ flush: 1, posted: 0, lease: nanos }), 0, 0);
  lease.waiting -= 1;
  const begin = (amount: bigint, encode = record): JournalHold => {
    expect(journal.leases.take(leases, amount, 0)).toBe(true);
    return journal.begin(leases, amount, encode);
  };
  return { journal, lease, begin };
}

function response(given: {
  flush: number;
  posted: number;
  lease: bigint;
  applied?: boolean;
  closed?: boolean;
}): FlushResult {
  const { flush, posted, lease, applied = true, closed = false } = given;
  return {
    flushNumber: flush,
    posted,
    closed,
    applied,
    leases: [{ ledger: LEDGER.id, leaseNanos: lease, reclaimed: false, totalNanos: lease }],
  };
}
