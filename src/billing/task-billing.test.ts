import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { World } from "../../test/support/money/world.ts";
import type { Timers } from "../base/async/timers.ts";
import type { Clock } from "../base/clock.ts";
import { DEFAULT_WAIT_LIMITS } from "../catalog/settings.ts";
import { GatewayError } from "../errors.ts";
import { createTaskBilling, type HoldShortage, type TaskHoldOrder } from "./task-billing.ts";

const BALANCE = { id: "account:1", accountId: 1n, allowanceNanos: null };
const LIMIT = { id: "limit:1:day:2026-11-27", accountId: 1n, allowanceNanos: 5n };
const LARGE_LIMIT = { ...LIMIT, allowanceNanos: 2_000_000_000n };
const ENDLESS: HoldShortage = { outcome: "reclaiming" };

type Answer = "taken" | HoldShortage | Error;

/** Billing on simulated time; each order's statement gives these answers, the last one forever. */
function rig(
  waitLimits = DEFAULT_WAIT_LIMITS,
  limit = LIMIT,
): {
  world: World;
  take(...answers: readonly Answer[]): Promise<{ ended: unknown; atMs: number; attempts: number }>;
} {
  const world = new World(1);
  const clock: Clock = { nowMs: () => world.nowMs, monotonicMs: () => world.nowMs };
  const timers: Timers = {
    after(delayMs, callback) {
      world.after(delayMs, callback);
      return () => undefined;
    },
    defer: (callback) => world.after(0, callback),
  };
  const lacking = (): Promise<string | undefined> => Promise.resolve(undefined);
  const billing = createTaskBilling<"taken">({ clock, timers, lacking, waitLimits: () => waitLimits });
  return {
    world,
    async take(...answers) {
      let attempts = 0;
      const order: TaskHoldOrder<"taken"> = {
        ledgers: [BALANCE, limit],
        amountNanos: 1_250_000_000n,
        attempt() {
          const answer = answers[Math.min(attempts, answers.length - 1)] ?? "taken";
          attempts += 1;
          return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
        },
      };
      const ended = await Promise.resolve(billing.take(order)).catch((error: unknown) => error);
      return { ended, atMs: world.nowMs, attempts };
    },
  };
}

/** Lets simulated time pass until nothing is left to happen. */
async function settle(world: World): Promise<void> {
  for (let idle = 0; idle < 5; ) {
    await new Promise((resolve) => setImmediate(resolve));
    idle = world.step(world.nowMs + 60_000) ? 0 : idle + 1;
  }
}

describe("a task's hold", () => {
  it("is taken as soon as the money is back, within ten seconds, or refused as busy", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 130 }), async (reclaims) => {
        const { world, take } = rig();
        const taking = take(...Array.from({ length: reclaims }, () => ENDLESS), "taken");
        await settle(world);
        const { ended, atMs, attempts } = await taking;
        if (reclaims <= 100) expect([ended, atMs, attempts]).toEqual(["taken", reclaims * 100, reclaims + 1]);
        else {
          expect(ended).toMatchObject({ reason: "balance_busy", retryAfterSeconds: 2 });
          expect(atMs).toBe(10_000);
        }
      }),
      { numRuns: 30 },
    );
  });

  it("waits with at most a thousand others of its account, and frees its place when it ends", async () => {
    const { world, take } = rig();
    const waiting = Array.from({ length: 1_001 }, () => take(ENDLESS));
    await settle(world);
    const ends = await Promise.all(waiting);
    expect(ends.filter(({ atMs }) => atMs === 0)).toHaveLength(1);
    for (const { ended } of ends) expect(ended).toMatchObject({ reason: "balance_busy" });
    const next = take(ENDLESS, "taken");
    await settle(world);
    expect((await next).ended).toBe("taken");
  });

  it("waits as long and with as many as the settings say", async () => {
    const { world, take } = rig({ balanceWaiting: 2, balanceWaitMs: 3_000 });
    const waiting = Array.from({ length: 3 }, () => take(ENDLESS));
    await settle(world);
    const ends = await Promise.all(waiting);
    expect(ends.map(({ atMs }) => atMs).toSorted()).toEqual([0, 3_000, 3_000]);
    for (const { ended } of ends)
      expect(ended).toMatchObject({ message: expect.stringContaining("none was released within 3 s") });
  });

  it("names the ledger that is too low, and what may be done about it", async () => {
    const messages: string[] = [];
    for (const [{ id }, limit] of [[BALANCE], [LIMIT], [LARGE_LIMIT, LARGE_LIMIT]] as const) {
      const { take } = rig(undefined, limit);
      const { ended } = await take({ outcome: "insufficient", ledger: id });
      expect(ended).toMatchObject({ reason: "insufficient_user_quota" });
      if (ended instanceof GatewayError) messages.push(ended.message);
    }
    expect(messages).toEqual([
      "This request may cost up to $1.25, which is more than the account's balance. Top up the account.",
      "This request may cost up to $1.25, which is more than the API key's spending limit of $0.000000005 leaves. Use another key.",
      "This request may cost up to $1.25, which is more than the API key's spending limit of $2 leaves. Wait until 2026-11-28T00:00:00Z, when the limit resets, or use another key.",
    ]);
  });

  it("outlives a short loss of the connection, and passes a longer one on within a second", async () => {
    const lost = new Error("Connection terminated");
    const { world, take } = rig();
    const short = take(lost, lost, lost, "taken");
    await settle(world);
    expect((await short).ended).toBe("taken");
    const beganMs = world.nowMs;
    const long = take(lost);
    await settle(world);
    const { ended, atMs } = await long;
    expect(ended).toBe(lost);
    expect(atMs - beganMs).toBeLessThan(1_000);
  });
});
