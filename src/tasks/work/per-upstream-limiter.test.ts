import { describe, expect, it } from "vitest";
import { createPerUpstreamLimiter } from "./per-upstream-limiter.ts";

const VENDOR = 1n;
const MAX = 2;

/** A limiter of one vendor, whose jobs are answered when the test says so. */
function rig() {
  const limiter = createPerUpstreamLimiter(MAX);
  const running: ((response: string | undefined) => void)[] = [];
  const job = (): Promise<string | undefined> => new Promise((resolve) => running.push(resolve));
  return {
    limiter,
    running,
    /** Asks for so many jobs; those that may begin have begun. */
    async poll(times: number) {
      const polls = Array.from({ length: times }, () => limiter.run(VENDOR, job));
      await settle();
      return polls;
    },
    /** Ends the job that began first, and lets what waited begin. */
    async end(response: string | undefined): Promise<void> {
      running.shift()?.(response);
      await settle();
    },
  };
}

/** Lets what was resolved run its course. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await undefined;
}

describe("what runs at one upstream at once", () => {
  it("lets who waits have a turn where one of several says nothing", async () => {
    const { limiter, running, poll, end } = rig();
    const polls = await poll(MAX + 2);
    expect([running.length, limiter.full()]).toEqual([MAX, [VENDOR]]);
    for (const response of [undefined, "b", undefined, "d"]) await end(response);
    expect(await Promise.all(polls)).toEqual([undefined, "b", undefined, "d"]);
  });

  it("sends home who would wait once as many in a row as may run heard nothing, until somebody hears", async () => {
    const { limiter, running, poll, end } = rig();
    const polls = await poll(MAX + 2);
    for (let silence = 0; silence < MAX; silence += 1) await end(undefined);
    // The third had begun in the place of the first; the fourth was sent home.
    expect(running).toHaveLength(1);
    expect(await polls[3]).toBeUndefined();
    const more = await poll(2);
    expect([running.length, limiter.full()]).toEqual([MAX, []]);
    expect(await more[1]).toBeUndefined();
    await end("c");
    expect(await polls[2]).toBe("c");
    const waits = await poll(2);
    expect(limiter.full()).toEqual([VENDOR]);
    for (const response of ["e", "f", "g"]) await end(response);
    expect(await Promise.all([more[0], ...waits])).toEqual(["e", "f", "g"]);
  });
});
