import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ExpiringValue } from "./expiring-value.ts";

/** A clock that tests turn. */
function turnedClock() {
  let ms = 0;
  return { clock: { nowMs: () => ms, monotonicMs: () => ms }, turn: (by: number) => (ms += by) };
}

describe("a value that expires", () => {
  it("is asked for once by all who wait, and read without a promise while it is held", async () => {
    const { clock } = turnedClock();
    let asked = 0;
    const value = new ExpiringValue(async () => ({ value: `token-${++asked}`, lifeMs: 60_000 }), clock);
    expect(value.current()).toBeUndefined();
    expect(await Promise.all([value.get(), value.get(), value.get()])).toEqual([
      "token-1",
      "token-1",
      "token-1",
    ]);
    expect(value.current()).toBe("token-1");
    expect(asked).toBe(1);
  });

  it("is asked for ahead of its end, while the one at hand is given", async () => {
    const { clock, turn } = turnedClock();
    let asked = 0;
    const value = new ExpiringValue(async () => ({ value: ++asked, lifeMs: 60_000 }), clock);
    await value.get();
    turn(50_000);
    expect(value.current()).toBe(1);
    expect(await settled(value)).toBe(2);
    expect(asked).toBe(2);
  });

  it("is never given after its end, and asked for once per life, whenever anybody asks", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1_000, max: 100_000 }),
        fc.array(fc.integer({ min: 1, max: 5_000 }), { maxLength: 200 }),
        async (lifeMs, steps) => {
          const { clock, turn } = turnedClock();
          let asked = 0;
          const ends: number[] = [];
          const value = new ExpiringValue(async () => {
            ends.push(clock.monotonicMs() + lifeMs);
            return { value: asked++, lifeMs };
          }, clock);
          for (const step of steps) {
            turn(step);
            expect(ends[await value.get()]).toBeGreaterThan(clock.monotonicMs());
          }
          // The last fifth of each life may overlap with the next one.
          expect(asked).toBeLessThanOrEqual(Math.ceil(clock.monotonicMs() / (lifeMs * 0.8)) + 1);
        },
      ),
    );
  });

  it("is not asked for again for a while after a failure, which everybody is told", async () => {
    const { clock, turn } = turnedClock();
    let asked = 0;
    const value = new ExpiringValue<string>(async () => {
      asked += 1;
      if (asked < 3) throw new Error(`failure ${asked}`);
      return { value: "token", lifeMs: 60_000 };
    }, clock);
    await expect(value.get()).rejects.toThrow("failure 1");
    await expect(value.get()).rejects.toThrow("failure 1");
    turn(500);
    await expect(value.get()).rejects.toThrow("failure 2");
    turn(500);
    await expect(value.get()).rejects.toThrow("failure 2");
    turn(500);
    expect(await value.get()).toBe("token");
  });

  it("is given on to its end where no next one is to be had", async () => {
    const { clock, turn } = turnedClock();
    let asked = 0;
    const value = new ExpiringValue<string>(async () => {
      asked += 1;
      if (asked > 1) throw new Error("away");
      return { value: "token", lifeMs: 60_000 };
    }, clock);
    await value.get();
    for (let second = 0; second < 8; second += 1) {
      turn(7_000);
      expect(value.current()).toBe("token");
      await Promise.resolve();
    }
    turn(4_000);
    expect(value.current()).toBeUndefined();
  });

  it("that was refused is asked for anew, once for all who were refused with it, and not where it came just now", async () => {
    const { clock, turn } = turnedClock();
    let asked = 0;
    const value = new ExpiringValue(async () => ({ value: ++asked, lifeMs: 60_000 }), clock);
    await value.get();
    expect(value.refuse(1)).toBe(false);
    turn(2_000);
    expect(value.refuse(1)).toBe(true);
    expect(value.refuse(1)).toBe(true);
    expect(await Promise.all([value.get(), value.get()])).toEqual([2, 2]);
    expect(value.refuse(1)).toBe(true);
    expect(value.refuse(2)).toBe(false);
    expect(asked).toBe(2);
  });
});

/** What is given once what is under way has come. */
async function settled<Value>(value: ExpiringValue<Value>): Promise<Value | undefined> {
  await new Promise((resolve) => setImmediate(resolve));
  return value.current();
}
