import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { boundedLog } from "./bounded-log.ts";
import { createLog } from "./log.ts";

let lines: { msg: string; leftOut?: number }[];
const log = () =>
  boundedLog(
    createLog({ level: "info", destination: { write: (line) => void lines.push(JSON.parse(line)) } }),
    {
      isOutage: ({ err }) => err === "away",
    },
  );
beforeEach(() => {
  lines = [];
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

it("writes so many lines of one sentence a minute, and then how many it has left out", () => {
  const { info, child } = log();
  for (let line = 0; line < 100; line += 1) info({ line }, "request refused");
  child({ task: 1 }).warn({}, "something else");
  expect(lines.filter(({ msg }) => msg === "request refused")).toHaveLength(30);
  expect(lines.at(-1)?.msg).toBe("something else");
  vi.advanceTimersByTime(60_000);
  expect(lines.at(-1)).toMatchObject({ msg: "request refused", leftOut: 70 });
  info({}, "request refused");
  expect(lines.at(-1)?.leftOut).toBeUndefined();
});

it("writes the first lines of an outage, then one sum a minute, and begins anew with the next one", () => {
  const { warn } = log();
  const minute = (): number => {
    const before = lines.length;
    for (let line = 0; line < 200; line += 1) warn({ err: "away" }, `sentence ${line % 50}`);
    vi.advanceTimersByTime(60_000);
    return lines.length - before;
  };
  expect([minute(), minute(), minute()]).toEqual([9, 1, 1]);
  expect(lines.at(-1)).toMatchObject({ leftOut: 200, msg: expect.stringContaining("does not respond") });
  vi.advanceTimersByTime(120_000);
  expect(minute()).toBe(9);
});

it("writes every alarm, and holds no more sentences than a thousand", () => {
  const { error } = log();
  for (let line = 0; line < 100; line += 1) error({ alarm: true }, "money is lost");
  expect(lines).toHaveLength(100);
  for (let line = 0; line < 2_500; line += 1) error({}, `sentence ${line}`);
  expect(lines).toHaveLength(2_600);
});
