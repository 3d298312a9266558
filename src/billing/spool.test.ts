import { describe, expect, it } from "vitest";
import { lineOf, textOf } from "./line.ts";
import type { Purse } from "./purse.ts";
import { type Hold, Spool } from "./spool.ts";
import type { TickAnswer } from "./tick.ts";

const LEDGER = { id: "account:1", accountId: 1n, allowanceNanos: null };

describe("a spool", () => {
  it("sends a tick that has no answer again, unchanged, whatever happens meanwhile", () => {
    const { spool, begin } = leased(100n);
    spool.end(begin(10n), 5n, 0, ending);
    const sent = spool.nextTick(0);
    spool.end(begin(10n), 7n, 0, ending);
    expect(spool.nextTick(5_000)).toBe(sent);
    spool.learn(answer({ tick: 2, posted: sent.upto, lease: 95n }), 5_000, 5_000);
    expect(spool.nextTick(5_300)).toMatchObject({ tick: 2, upto: 4, lines: { numbers: [4] } });
  });

  it("sends a tick once it is full, and otherwise lets lines gather", () => {
    const { spool, begin } = leased(2_000n);
    spool.nextTick(0);
    spool.learn(answer({ tick: 2, posted: 0, lease: 2_000n }), 0, 0);
    for (let count = 1; count < 1_000; count += 1) {
      spool.end(begin(1n), 1n, 0, ending);
      expect(spool.changesDueTime()).toBe(count === 1);
    }
    expect(spool.dueInMs(0)).toBe(250);
    for (let count = 0; count < 2; count += 1) spool.end(begin(1n), 1n, 0, ending);
    expect(spool.dueInMs(0)).toBe(0);
    const { lines, upto } = spool.nextTick(0);
    expect(lines.size).toBe(1_000);
    spool.learn(answer({ tick: 3, posted: upto, lease: 1_000n }), 0, 0);
    expect([spool.unpostedCount, spool.dueInMs(0)]).toEqual([1, 250]);
  });

  it("posts each line once, though the room of what is posted is used again", () => {
    const { spool, begin } = leased(100n);
    for (let tick = 2; tick < 6; tick += 1) {
      const holds = Array.from({ length: 6 - tick }, () => begin(1n));
      for (const hold of holds) spool.end(hold, 1n, 0, ending);
      const { lines, upto } = spool.nextTick(0);
      expect(lines.pairs()).toEqual(
        holds.map(({ number, endNumber }) => ({
          beginLine: textOf(line(number)),
          endLine: textOf(line(endNumber)),
        })),
      );
      spool.learn(answer({ tick, posted: upto, lease: 100n }), 0, 0);
    }
  });

  it("sends lines again that the database did not take, behind which others have gathered", () => {
    const { spool, begin } = leased(100n);
    spool.end(begin(1n), 1n, 0, ending);
    spool.nextTick(0);
    spool.end(begin(1n), 1n, 0, ending);
    spool.learn(answer({ tick: 2, posted: 0, lease: 100n, applied: false }), 0, 0);
    const { lines, upto } = spool.nextTick(0);
    expect([lines.numbers, upto]).toEqual([[2], 2]);
    spool.learn(answer({ tick: 3, posted: upto, lease: 99n }), 0, 0);
    expect(spool.nextTick(0).lines.numbers).toEqual([4]);
  });

  it("finds the lines of a request until they are posted", () => {
    const { spool, begin } = leased(100n);
    const found = (number: number) => spool.findUnposted(`<${number}>`);
    const marked = (number: number) => lineOf(`{"mark":"<${number}>"}`);
    begin(1n);
    const hold = begin(1n, marked);
    expect(found(2)).toEqual({ beginLine: '{"mark":"<2>"}', endLine: undefined });
    spool.end(hold, 1n, 0, ending);
    expect(found(2)).toEqual({ beginLine: '{"mark":"<2>"}', endLine: textOf(line(3)) });
    spool.learn(answer({ tick: 2, posted: spool.nextTick(0).upto, lease: 99n }), 0, 0);
    expect(found(2)).toBeUndefined();
  });

  it("believes what the database has, where a lost answer had taken effect", () => {
    const { spool, begin, purse } = leased(100n);
    spool.end(begin(30n), 30n, 0, ending);
    const { upto } = spool.nextTick(0);
    expect(purse.freeNanos()).toBe(70n);
    spool.learn(answer({ tick: 2, posted: upto, lease: 70n, applied: false }), 0, 0);
    expect(purse.freeNanos()).toBe(70n);
    expect(spool.unpostedCount).toBe(0);
  });

  it("posts the rest of a tick of which others have posted a part, once they have closed the spool", () => {
    const { spool, begin, purse } = leased(100n);
    const holds = [begin(10n), begin(10n), begin(10n)];
    for (const hold of holds) spool.end(hold, 10n, 0, ending);
    const { lines, upto } = spool.nextTick(0);
    expect([lines.numbers, upto]).toEqual([[4, 5, 6], 6]);
    spool.learn(answer({ tick: 5, posted: 5, lease: 0n, applied: false, closed: true }), 0, 0);
    expect([spool.unpostedCount, spool.neededFrom()]).toEqual([3, 1]);
    expect(spool.nextTick(0)).toMatchObject({ tick: 5, upto: 6, lines: { numbers: [4, 5, 6] }, asks: [] });
    spool.learn(answer({ tick: 6, posted: 6, lease: 0n, closed: true }), 0, 0);
    expect([spool.unpostedCount, spool.neededFrom(), purse.unpostedNanos]).toEqual([0, 7, 0n]);
  });

  it("takes no answer for fresh that was sent for long ago", () => {
    const { spool } = leased(100n);
    spool.nextTick(1_000);
    spool.learn(answer({ tick: 2, posted: 0, lease: 100n }), 1_000, 91_000);
    expect(spool.isFresh(91_000)).toBe(false);
  });

  it("keeps the lines of open and unposted requests, and carries those of long ones", () => {
    const { spool, begin } = leased(100n);
    const long = begin(1n);
    const short = begin(1n);
    expect(spool.neededFrom()).toBe(1);
    expect(spool.carry(3)).toEqual([long, short]);
    expect([long.neededFrom, short.neededFrom]).toEqual([3, 3]);
    spool.end(short, 1n, 0, ending);
    expect(spool.carry(100), "an ended one is soon posted").toEqual([long]);
    expect(spool.neededFrom()).toBe(3);
    const { upto } = spool.nextTick(0);
    spool.learn(answer({ tick: 2, posted: upto, lease: 99n }), 0, 0);
    expect(spool.neededFrom()).toBe(4);
  });

  it("gives back what is idle for 10 s, and everything not held when it is recalled", () => {
    const { spool, begin } = leased(100n);
    begin(40n);
    spool.recall(LEDGER.id);
    expect(spool.nextTick(0).asks).toMatchObject([{ giveNanos: 60n, recallSeen: true }]);
    const idle = leased(100n).spool;
    expect(idle.nextTick(9_000).asks).toEqual([]);
    idle.learn(answer({ tick: 2, posted: 0, lease: 100n }), 9_000, 9_000);
    expect(idle.nextTick(10_001).asks).toMatchObject([{ giveNanos: 100n, recallSeen: false }]);
  });
});

const line = (number: number) => lineOf(`{"n":${number}}`);
const ending = (number: number) => ({ line: line(number), row: undefined });

/** A spool with one purse that has been leased so much. */
function leased(nanos: bigint): {
  spool: Spool;
  purse: Purse;
  begin: (nanos: bigint, encode?: typeof line) => Hold;
} {
  const spool = new Spool("s");
  const purses = spool.purses.of([LEDGER], 0);
  const [purse] = purses;
  if (!purse) throw new Error("unreachable");
  purse.waiting += 1; // as if somebody waited: an empty purse is forgotten
  spool.nextTick(0);
  spool.learn(answer({ tick: 1, posted: 0, lease: nanos }), 0, 0);
  purse.waiting -= 1;
  const begin = (amount: bigint, encode = line): Hold => {
    expect(spool.purses.take(purses, amount, 0)).toBe(true);
    return spool.begin(purses, amount, encode);
  };
  return { spool, purse, begin };
}

function answer(given: {
  tick: number;
  posted: number;
  lease: bigint;
  applied?: boolean;
  closed?: boolean;
}): TickAnswer {
  const { tick, posted, lease, applied = true, closed = false } = given;
  return {
    tick,
    posted,
    closed,
    applied,
    purses: [{ ledger: LEDGER.id, leaseNanos: lease, recalled: false, totalNanos: lease }],
  };
}
