import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Semaphore } from "./semaphore.ts";

const turnOfLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("a semaphore", () => {
  it("runs a few jobs at a time, and refuses who comes when as many wait as may", async () => {
    const semaphore = new Semaphore({ maxRunning: 2, maxWaiting: 3 });
    let running = 0;
    let most = 0;
    const ends: (() => void)[] = [];
    const work = async (): Promise<void> => {
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => ends.push(resolve));
      running -= 1;
    };
    const taken = Array.from({ length: 6 }, () => semaphore.run(work));
    expect([semaphore.hasRoom(), semaphore.hasRoom(true)]).toEqual([false, true]);
    await expect(taken.pop()).rejects.toThrow("no turn");
    while (running > 0) {
      ends.shift()?.();
      await turnOfLoop();
    }
    await Promise.all(taken);
    expect(most).toBe(2);
    await expect(semaphore.run(() => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
    expect(await semaphore.run(() => Promise.resolve("the place is free again"))).toBeDefined();
  });

  it("runs what goes first before all others, however many those are", async () => {
    const semaphore = new Semaphore({ maxRunning: 1, maxWaiting: 3 });
    const order: string[] = [];
    const note = (name: string, first: boolean) =>
      semaphore.run(async () => void order.push(name), { first });
    const others = ["a", "b", "c", "d", "e"].map((name) => note(name, false));
    const known = ["x", "y"].map((name) => note(name, true));
    const ends = await Promise.allSettled([...others, ...known]);
    expect(ends.filter(({ status }) => status === "rejected")).toHaveLength(1);
    expect(order).toEqual(["a", "x", "y", "b", "c", "d"]);
  });

  it("forgets who gives up before its turn, and runs what is left in order", async () => {
    const semaphore = new Semaphore({ maxRunning: 1 });
    const order: string[] = [];
    const leaving = new AbortController();
    const first = semaphore.run(turnOfLoop);
    const left = semaphore.run(async () => void order.push("left"), { signal: leaving.signal });
    const stayed = semaphore.run(async () => void order.push("stayed"), {
      signal: AbortSignal.timeout(60_000),
    });
    leaving.abort(new Error("too late"));
    await expect(left).rejects.toThrow("too late");
    await Promise.all([first, stayed]);
    await expect(semaphore.run(turnOfLoop, { signal: leaving.signal })).rejects.toThrow("too late");
    expect([order, semaphore.running]).toEqual([["stayed"], 0]);
  });

  it("never runs more than it may, loses no place, and answers everybody, whatever happens", async () => {
    const step = fc.constantFrom("enter", "enter first", "enter with signal", "leave", "abort", "send away");
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        fc.array(step, { maxLength: 60 }),
        async (max, steps) => {
          const semaphore = new Semaphore({ maxRunning: max });
          const aborts: AbortController[] = [];
          let running = 0;
          let open = 0;
          const enter = (first: boolean, signal?: AbortSignal): void => {
            open += 1;
            void Promise.resolve(semaphore.enter({ first, signal })).then(
              (mayRun) => {
                open -= 1;
                if (mayRun) running += 1;
              },
              () => {
                open -= 1;
              },
            );
          };
          for (const each of steps) {
            if (each === "leave" && running > 0) {
              running -= 1;
              semaphore.leave();
            } else if (each === "abort") aborts.pop()?.abort();
            else if (each === "send away") semaphore.sendAway();
            else if (each === "enter with signal") {
              const abort = new AbortController();
              aborts.push(abort);
              enter(false, abort.signal);
            } else if (each !== "leave") enter(each === "enter first");
            await turnOfLoop();
            expect(running).toBeLessThanOrEqual(max);
            expect(semaphore.running).toBe(running);
            // Nobody waits while there is a place.
            if (open > 0) expect(running).toBe(max);
          }
          while (running > 0) {
            running -= 1;
            semaphore.leave();
            await turnOfLoop();
          }
          expect([open, semaphore.running]).toEqual([0, 0]);
        },
      ),
      { numRuns: 100 },
    );
  });
});
