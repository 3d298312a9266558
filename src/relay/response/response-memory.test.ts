import fc from "fast-check";
import { expect, it } from "vitest";
import { ResponseMemory, type ResponsePart } from "./response-memory.ts";

const LIMIT = 1_000;

/** An upstream that sends pieces until its response is whole, unless it is paused. */
class Upstream {
  readonly part: ResponsePart;
  readonly size: number;
  paused = false;
  sent = 0;
  constructor(memory: ResponseMemory, accountId: bigint, size: number) {
    this.size = size;
    this.part = memory.open(accountId, {
      pause: () => {
        this.paused = true;
      },
      resume: () => {
        this.paused = false;
      },
    });
  }

  /** True if it could do anything. */
  send(piece: number): boolean {
    if (this.paused || this.sent === this.size) return false;
    this.sent = Math.min(this.size, this.sent + piece);
    this.part.holds(this.sent);
    if (this.sent === this.size) this.part.release();
    return true;
  }
}

it("lets all answers come to their end, the oldest whatever its size, and holds little beyond its limit", () => {
  const responses = fc.array(fc.tuple(fc.bigInt({ min: 1n, max: 3n }), fc.integer({ min: 1, max: 2_000 })), {
    minLength: 1,
    maxLength: 12,
  });
  fc.assert(
    fc.property(responses, fc.integer({ min: 20, max: 200 }), (given, piece) => {
      const memory = new ResponseMemory(() => LIMIT);
      const upstreams = given.map(([account, size]) => new Upstream(memory, account, size));
      for (let left = upstreams; left.length > 0; ) {
        const moved = left.map((upstream) => upstream.send(piece));
        expect(moved).toContain(true);
        // Each may bring a piece before it is paused, and the oldest grows alone.
        expect(memory.heldBytes()).toBeLessThanOrEqual(LIMIT + given.length * piece + 2_000);
        left = left.filter(({ sent, size }) => sent < size);
      }
      expect(memory.heldBytes()).toBe(0);
    }),
  );
});

it("leaves half to the other accounts, however many answers one has", () => {
  const memory = new ResponseMemory(() => LIMIT);
  const oldest = new Upstream(memory, 1n, 10_000);
  const greedy = Array.from({ length: 20 }, () => new Upstream(memory, 1n, 10_000));
  for (let round = 0; round < 30; round += 1) for (const each of greedy) each.send(20);
  oldest.send(1);
  expect(greedy.every(({ paused }) => paused)).toBe(true);
  const other = new Upstream(memory, 2n, 10_000);
  expect([other.send(20), other.paused]).toEqual([true, false]);
});

it("counts the streams that it ends, by what was used up, and each once", () => {
  const memory = new ResponseMemory(() => LIMIT);
  memory.open(1n).holds(300);
  const [same, other] = [memory.open(1n), memory.open(2n)];
  expect([same.holds(100), other.holds(100), same.holds(300)]).toEqual([true, true, false]);
  expect([other.holds(450), same.holds(301)]).toEqual([false, false]);
  new Upstream(memory, 3n, 500).send(500);
  expect([...memory.refused()]).toEqual([
    ["account", 1],
    ["total", 1],
  ]);
});
