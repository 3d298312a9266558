import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lifeAt, reasonOf } from "./life.ts";
import { turnAt } from "./turns.ts";

const STAGES = ["NOT_START", "SUBMITTED", "QUEUED", "IN_PROGRESS", "SUCCESS", "FAILURE"];
const fates = fc.record(
  {
    takesMs: fc.nat({ max: 100_000 }),
    never: fc.boolean(),
    fail: fc.constant("because"),
    moderation: fc.constantFrom("submit" as const, "result" as const),
    recoversMs: fc.nat({ max: 50_000 }),
  },
  { requiredKeys: [] },
);

describe("the life of a task", () => {
  it("never goes back, in stage, percentage or times, except from failure to success", () => {
    fc.assert(
      fc.property(fates, fc.array(fc.nat({ max: 200_000 }), { minLength: 2 }), (fate, ages) => {
        const lives = ages
          .toSorted((left, right) => left - right)
          .map((age) => lifeAt(1_000 + age, 1_000, fate, 5_000));
        lives.reduce((before, life) => {
          const late = before.stage === "FAILURE" && life.stage === "SUCCESS";
          expect(late || STAGES.indexOf(life.stage) >= STAGES.indexOf(before.stage)).toBe(true);
          expect(life.percent).toBeGreaterThanOrEqual(before.percent);
          if (before.startedMs !== undefined) expect(life.startedMs).toBe(before.startedMs);
          if (before.endedMs !== undefined) expect(life.endedMs).toBe(before.endedMs);
          return life;
        });
      }),
    );
  });

  it("ends exactly when its time is over, in failure exactly where it has a reason", () => {
    fc.assert(
      fc.property(fates, fc.nat({ max: 200_000 }), (fate, age) => {
        const { stage, percent } = lifeAt(age, 0, fate, 5_000);
        const ended = stage === "SUCCESS" || stage === "FAILURE";
        expect(ended).toBe(!fate.never && age >= (fate.takesMs ?? 5_000));
        expect(percent === 100).toBe(ended);
        if (stage === "FAILURE") expect(reasonOf(fate)).not.toBe("");
        if (stage === "SUCCESS" && fate.recoversMs === undefined) expect(reasonOf(fate)).toBe("");
      }),
    );
  });
});

describe("what is said in turn", () => {
  it("follows the list with its repeats, then is silent", () => {
    const list = " QUEUED , 503*2,, garbage ,odd word";
    expect(Array.from({ length: 8 }, (_, index) => turnAt(list, index + 1))).toEqual([
      { type: "status", word: "QUEUED" },
      { type: "fault", scenario: { error: 503 } },
      { type: "fault", scenario: { error: 503 } },
      undefined,
      { type: "nonsense", body: expect.any(String) },
      { type: "status", word: "odd word" },
      undefined,
      undefined,
    ]);
    expect(turnAt(undefined, 1)).toBeUndefined();
    expect(turnAt("503*99999999999", 1_000_001)).toBeUndefined();
  });
});
