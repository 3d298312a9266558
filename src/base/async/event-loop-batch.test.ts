import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { deferToBatch, deferToBatchEnd, runInOwnTurn } from "./event-loop-batch.ts";

describe("the end of a turn", () => {
  it("does work in order, then what follows from it, then what comes last", async () => {
    const done: string[] = [];
    deferToBatchEnd(() => done.push("last"));
    deferToBatch(() => {
      done.push("one");
      void Promise.resolve().then(() => {
        done.push("after one");
        deferToBatchEnd(() => done.push("last of what follows"));
      });
    });
    deferToBatch(() => done.push("two"));
    expect(done).toEqual([]);
    await nextTurn();
    await nextTurn();
    expect(done).toEqual(["one", "two", "after one", "last", "last of what follows"]);
  });

  it("comes for work that is given while it is there", async () => {
    const done: string[] = [];
    deferToBatch(() => {
      done.push("one");
      deferToBatch(() => done.push("two"));
      deferToBatchEnd(() => deferToBatchEnd(() => done.push("next turn")));
    });
    await nextTurn();
    await nextTurn();
    await nextTurn();
    expect(done).toEqual(["one", "two", "next turn"]);
  });

  it("does the rest where one work throws", async () => {
    const uncaught: unknown[] = [];
    process.setUncaughtExceptionCaptureCallback((error) => uncaught.push(error));
    const done: string[] = [];
    deferToBatch(() => {
      throw new Error("a bug");
    });
    deferToBatch(() => done.push("two"));
    await nextTurn();
    await nextTurn();
    process.setUncaughtExceptionCaptureCallback(null);
    expect([done, uncaught]).toEqual([["two"], [new Error("a bug")]]);
  });
});

describe("work that has a turn of its own", () => {
  it("is done one piece a turn, in order, whoever asks and whenever", async () => {
    const done: string[] = [];
    const again = (name: string, left: number): void => {
      done.push(name);
      if (left > 0) runInOwnTurn(() => again(name, left - 1));
    };
    for (const name of ["a", "b", "c"]) runInOwnTurn(() => again(name, 2));
    expect(done).toEqual([]);
    for (let turn = 1; turn <= 9; turn += 1) {
      await nextTurn();
      expect(done.length).toBeLessThanOrEqual(turn);
    }
    for (let turn = 0; turn < 9; turn += 1) await nextTurn();
    expect(done.join("")).toBe("abcabcabc");
  });
});
