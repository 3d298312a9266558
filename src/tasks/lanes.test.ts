import { describe, expect, it } from "vitest";
import { createLanes } from "./lanes.ts";

const VENDOR = 1n;
const MOST = 2;

/** Lanes of one vendor, whose jobs are answered when the test says so. */
function rig() {
  const lanes = createLanes(MOST);
  const running: ((answer: string | undefined) => void)[] = [];
  const job = (): Promise<string | undefined> => new Promise((resolve) => running.push(resolve));
  return {
    lanes,
    running,
    /** Asks for so many jobs; those that may begin have begun. */
    async look(times: number) {
      const looks = Array.from({ length: times }, () => lanes.run(VENDOR, job));
      await settle();
      return looks;
    },
    /** Ends the job that began first, and lets what waited begin. */
    async end(answer: string | undefined): Promise<void> {
      running.shift()?.(answer);
      await settle();
    },
  };
}

/** Lets what was resolved run its course. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await undefined;
}

describe("lanes", () => {
  it("let who waits have a turn where one of several says nothing", async () => {
    const { lanes, running, look, end } = rig();
    const looks = await look(MOST + 2);
    expect([running.length, lanes.full()]).toEqual([MOST, [VENDOR]]);
    for (const answer of [undefined, "b", undefined, "d"]) await end(answer);
    expect(await Promise.all(looks)).toEqual([undefined, "b", undefined, "d"]);
  });

  it("send home who would wait once as many in a row as may run heard nothing, until somebody hears", async () => {
    const { lanes, running, look, end } = rig();
    const looks = await look(MOST + 2);
    for (let silence = 0; silence < MOST; silence += 1) await end(undefined);
    // The third had begun in the place of the first; the fourth was sent home.
    expect(running).toHaveLength(1);
    expect(await looks[3]).toBeUndefined();
    const more = await look(2);
    expect([running.length, lanes.full()]).toEqual([MOST, []]);
    expect(await more[1]).toBeUndefined();
    await end("c");
    expect(await looks[2]).toBe("c");
    const waits = await look(2);
    expect(lanes.full()).toEqual([VENDOR]);
    for (const answer of ["e", "f", "g"]) await end(answer);
    expect(await Promise.all([more[0], ...waits])).toEqual(["e", "f", "g"]);
  });
});
