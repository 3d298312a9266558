import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { allEnded, Lifecycle, runAllInOrder, withLifecycle } from "./lifecycle.ts";

/** The fault of each step of a list: none, its start, its stop. */
const fates = fc.array(fc.constantFrom("fine", "start", "stop"), { maxLength: 12 });

const startFailure = (index: number) => new Error(`step ${index} does not start`);
const stopFailure = (index: number) => new Error(`step ${index} does not stop`);

describe("a lifecycle", () => {
  it("stops what was started and nothing else, in reverse, whichever steps fail, and tells the first failure", async () => {
    await fc.assert(
      fc.asyncProperty(fates, async (list) => {
        const log = { error: vi.fn() };
        const stopped: number[] = [];
        const told = await withLifecycle(log, async (lifecycle) => {
          for (const [index, fate] of list.entries())
            await lifecycle.start(
              `step ${index}`,
              async () => {
                if (fate === "start") throw startFailure(index);
                return index;
              },
              async (started) => {
                stopped.push(started);
                if (fate === "stop") throw stopFailure(started);
              },
            );
        }).catch((error: unknown) => error);

        const broken = list.indexOf("start");
        const started = [...list.keys()].slice(0, broken < 0 ? list.length : broken);
        const deaf = started.filter((index) => list[index] === "stop").toReversed();
        expect(stopped).toEqual(started.toReversed());
        const first = broken < 0 ? deaf.map(stopFailure)[0] : startFailure(broken);
        expect(told).toEqual(first);
        expect(log.error.mock.calls.map(([fields]) => fields)).toEqual(
          deaf.map((index) => ({ err: stopFailure(index), step: `step ${index}` })),
        );
      }),
    );
  });

  it("drains everything at once within one grace before it stops the first part, even where a drain fails", async () => {
    const events: string[] = [];
    const lifecycle = new Lifecycle({ error: () => undefined });
    await lifecycle.start(
      "journal",
      () => "journal",
      (name) => events.push(`${name} closed`),
    );
    for (const name of ["tasks", "requests"])
      lifecycle.drain(name, async (graceMs) => {
        events.push(`${name} told ${graceMs}`);
        await Promise.resolve();
        events.push(`${name} ended`);
        if (name === "requests") throw new Error("cut");
      });
    await expect(lifecycle.stop(30_000)).rejects.toThrow("cut");
    expect(events).toEqual([
      ...["requests told 30000", "tasks told 30000", "requests ended", "tasks ended"],
      "journal closed",
    ]);
  });

  it("stops once, however often it is told", async () => {
    const stop = vi.fn();
    await withLifecycle({ error: () => undefined }, async (lifecycle) => {
      await lifecycle.start("part", () => 1, stop);
      await Promise.all([lifecycle.stop(5), lifecycle.stop(0)]);
    });
    expect(stop.mock.calls).toEqual([[1, 5]]);
  });
});

describe("several ends", () => {
  it("are all tried, one after the other or together, and the first failure is told", async () => {
    const tried: number[] = [];
    const fail = (index: number) => async () => {
      tried.push(index);
      if (index > 0) throw new Error(`end ${index}`);
    };
    await expect(runAllInOrder(fail(0), fail(1), fail(2))).rejects.toThrow("end 1");
    await expect(allEnded([fail(0)(), undefined, fail(1)(), fail(2)()])).rejects.toThrow("end 1");
    expect(tried).toEqual([0, 1, 2, 0, 1, 2]);
  });
});
