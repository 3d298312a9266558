import { expect, it } from "vitest";
import { BodyPace } from "./body-pace.ts";

const KB = 1024;

/** A pace whose looks are made by hand, and whose time is moved by hand. */
function world() {
  let nowMs = 0;
  let due: (() => void) | undefined;
  const pace = new BodyPace(
    { monotonicMs: () => nowMs, nowMs: () => 0 },
    {
      after(_delayMs, callback) {
        expect(due).toBeUndefined();
        due = callback;
        return () => undefined;
      },
      defer: () => undefined,
    },
  );
  const body = { socket: { bytesRead: 0 }, readableLength: 0 };
  let slow = 0;
  const unwatch = pace.watch(body, () => {
    slow += 1;
  });
  return {
    pace,
    body,
    unwatch,
    slow: () => slow,
    looks: () => due !== undefined,
    /** Goes on for so many seconds, in each of which so much comes. */
    pass(seconds: number, kilobytes: number, lookEverySeconds = 1) {
      for (let second = 1; second <= seconds; second += 1) {
        nowMs += 1_000;
        body.socket.bytesRead += kilobytes * KB;
        if (second % lookEverySeconds > 0) continue;
        const look = due;
        due = undefined;
        look?.();
      }
    },
  };
}

it("tells of a body once that has come too slowly for five seconds, however much came before", () => {
  const { pass, slow, looks } = world();
  pass(60, 33);
  pass(4, 0);
  expect(slow()).toBe(0);
  pass(6, 0);
  expect(slow()).toBe(1);
  expect(looks()).toBe(false);
});

it("blames nobody for what it has not taken itself, or for a time in which it was held up", () => {
  const { body, pass, slow } = world();
  body.readableLength = 10;
  pass(30, 0);
  body.readableLength = 0;
  pass(4, 0);
  pass(10, 0, 10);
  expect(slow()).toBe(0);
  pass(5, 31);
  expect(slow()).toBe(1);
});

it("looks no more once nothing is being read", () => {
  const { unwatch, pass, slow, looks } = world();
  unwatch();
  pass(20, 0);
  expect([slow(), looks()]).toEqual([0, false]);
});
