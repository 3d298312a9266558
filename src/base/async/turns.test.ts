import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { inTurnOfItsOwn } from "./turns.ts";

describe("work that has a turn of its own", () => {
  it("is done one piece a turn, in order, whoever asks and whenever", async () => {
    const done: string[] = [];
    const again = (name: string, left: number): void => {
      done.push(name);
      if (left > 0) inTurnOfItsOwn(() => again(name, left - 1));
    };
    for (const name of ["a", "b", "c"]) inTurnOfItsOwn(() => again(name, 2));
    expect(done).toEqual([]);
    for (let turn = 1; turn <= 9; turn += 1) {
      await nextTurn();
      expect(done.length).toBeLessThanOrEqual(turn);
    }
    for (let turn = 0; turn < 9; turn += 1) await nextTurn();
    expect(done.join("")).toBe("abcabcabc");
  });
});
