import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MemoryBudget, type MemoryGrant, SMALL_BYTES } from "./memory-budget.ts";
import type { Held, MemoryOwner } from "./memory-pool.ts";
import type { Timers } from "./timers.ts";

const KB = 1024;
const LIMIT = 4_000 * KB;
const LARGE = 0.9 * LIMIT;
const SMALL = 0.1 * LIMIT;

/** Timers of a time that stands still until it is moved. */
function handTimers(): Timers & { advance(ms: number): void } {
  let nowMs = 0;
  const due = new Map<object, { readonly atMs: number; readonly callback: () => void }>();
  return {
    after(delayMs, callback) {
      const timer = {};
      due.set(timer, { atMs: nowMs + delayMs, callback });
      return () => void due.delete(timer);
    },
    defer: (callback) => callback(),
    advance(ms) {
      nowMs += ms;
      for (const [timer, { atMs, callback }] of [...due]) {
        if (atMs > nowMs || !due.delete(timer)) continue;
        callback();
      }
    },
  };
}

function nothing(): Held {
  return { small: 0, large: 0 };
}

/** Two accounts with two keys each. */
function owners(): MemoryOwner[] {
  return [nothing(), nothing()].flatMap((account) => [
    { key: nothing(), account },
    { key: nothing(), account },
  ]);
}

function world() {
  const timers = handTimers();
  const budget = new MemoryBudget(() => LIMIT, timers);
  const [first, second, third, fourth] = owners() as [MemoryOwner, MemoryOwner, MemoryOwner, MemoryOwner];
  return { timers, budget, first, second, third, fourth };
}

/** The state of a wait: "waits", "has", or the reason of its refusal. */
function outcomeOf(asked: ReturnType<MemoryGrant["await"]>): { now: string } {
  const outcome = { now: asked === undefined ? "has" : "waits" };
  void asked?.then((refusal) => {
    outcome.now = refusal ?? "has";
  });
  return outcome;
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("a budget of memory", () => {
  it("gives a key a quarter, an account half, and one body whatever its size", () => {
    const { budget, first, second, third } = world();
    const whole = budget.grant(first);
    expect(whole.growTo(2 * LIMIT)).toBeUndefined();
    expect(budget.grant(third).growTo(100 * KB)).toBe("total");
    whole.release();
    expect(budget.grant(first).growTo(0.2 * LARGE)).toBeUndefined();
    expect(budget.grant(first).growTo(0.1 * LARGE)).toBe("key");
    expect(budget.grant(second).growTo(0.29 * LARGE)).toBeUndefined();
    expect(budget.grant(second).growTo(0.02 * LARGE)).toBe("key");
    expect(budget.grant(first).growTo(0.04 * LARGE)).toBe("account");
    expect(budget.grant(third).growTo(0.5 * LARGE)).toBeUndefined();
    expect(Object.fromEntries(budget.refused())).toEqual({ total: 1, key: 2, account: 1, queue: 0 });
  });

  it("keeps a tenth for what is small, which takes of the rest when that is used up", () => {
    const { budget, first, second, third, fourth } = world();
    budget.grant(first).growTo(0.9 * LARGE);
    const small = [third, third, third, fourth, fourth, fourth].map((owner) =>
      budget.grant(owner).growTo(0.08 * SMALL),
    );
    expect(small).toEqual(small.map(() => undefined));
    const held = Object.fromEntries(budget.heldBytes());
    expect(held["small"]).toBeGreaterThan(0);
    expect(budget.grant(second).growTo(SMALL_BYTES)).toBeUndefined();
  });

  it("lets wait what is told beforehand, each account in its turn", async () => {
    const { budget, timers, first, third } = world();
    const full = budget.grant(third);
    full.growTo(LARGE);
    const size = 0.2 * LARGE;
    const grants = [first, first, third].map((owner) => budget.grant(owner));
    const outcomes = grants.map((grant) => outcomeOf(grant.await(size)));
    expect(budget.waitingCount()).toBe(3);
    full.release();
    await settled();
    // The second of one key is above its share, which holds up nobody else.
    expect(outcomes.map(({ now }) => now)).toEqual(["has", "waits", "has"]);
    grants[0]?.release();
    await settled();
    expect(outcomes.map(({ now }) => now)).toEqual(["has", "has", "has"]);
    const late = budget.grant(first);
    const refused = outcomeOf(late.await(size));
    timers.advance(1_999);
    await settled();
    expect(refused.now).toBe("waits");
    timers.advance(1);
    await settled();
    expect(refused.now).toBe("key");
    expect([late.bytes, budget.waitingCount()]).toEqual([0, 0]);
  });

  it("lets nobody who asks for less overtake one who waits for what all share", async () => {
    const { budget, first, third, fourth } = world();
    const held = budget.grant(fourth);
    held.growTo(0.8 * LARGE);
    const large = outcomeOf(budget.grant(first).await(0.3 * LARGE));
    const behind = outcomeOf(budget.grant(third).await(0.1 * LARGE));
    const small = outcomeOf(budget.grant(third).await(10 * KB));
    await settled();
    expect([large.now, behind.now, small.now]).toEqual(["waits", "waits", "has"]);
    held.release();
    await settled();
    expect([large.now, behind.now]).toEqual(["has", "has"]);
  });

  it("refuses at once where too many wait, and forgets who leaves before their turn", async () => {
    const { budget, first, third } = world();
    const full = budget.grant(first);
    full.growTo(LARGE);
    const grants = Array.from({ length: 257 }, () => budget.grant(third));
    const outcomes = grants.map((grant) => outcomeOf(grant.await(100 * KB)));
    await settled();
    expect(outcomes.filter(({ now }) => now === "queue")).toHaveLength(1);
    for (const grant of grants) grant.release();
    expect(budget.waitingCount()).toBe(0);
    full.release();
    expect(Object.fromEntries(budget.heldBytes())).toEqual({ small: 0, large: 0 });
  });

  it("holds its bounds, counts right and ends every wait, whatever is asked in whatever order", async () => {
    const bytes = fc
      .oneof(fc.integer({ min: 1, max: 64 }), fc.integer({ min: 65, max: 3_000 }))
      .map((kb) => kb * KB);
    const who = fc.nat(3);
    const step = fc.oneof(
      fc.record({ kind: fc.constant("await" as const), who, bytes }),
      fc.record({ kind: fc.constant("grow" as const), who, bytes }),
      fc.record({ kind: fc.constant("more" as const), nth: fc.nat(20) }),
      fc.record({ kind: fc.constant("release" as const), nth: fc.nat(20) }),
      fc.record({ kind: fc.constant("time" as const), ms: fc.nat(2_500) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const timers = handTimers();
        const budget = new MemoryBudget(() => LIMIT, timers);
        const all = owners();
        const grants: MemoryGrant[] = [];
        const waits: { now: string }[] = [];
        const open = (nth: number): MemoryGrant | undefined => grants[nth % Math.max(1, grants.length)];
        for (const each of steps) {
          if (each.kind === "await" || each.kind === "grow") {
            const grant = budget.grant(all[each.who] as MemoryOwner);
            grants.push(grant);
            if (each.kind === "await") waits.push(outcomeOf(grant.await(each.bytes)));
            else grant.growTo(each.bytes);
          } else if (each.kind === "more") {
            const grant = open(each.nth);
            if (grant?.waiter === undefined) grant?.growTo(2 * grant.bytes);
          } else if (each.kind === "release") open(each.nth)?.release();
          else timers.advance(each.ms);
          expectBounds(budget, all, grants);
        }
        timers.advance(2_000);
        await settled();
        expect(waits.filter(({ now }) => now === "waits")).toEqual([]);
        expect(budget.waitingCount()).toBe(0);
        for (const grant of grants) grant.release();
        expect(Object.fromEntries(budget.heldBytes())).toEqual({ small: 0, large: 0 });
        expect(
          all.flatMap(({ key, account }) => [key, account]).every((held) => held.small + held.large === 0),
        ).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

function expectBounds(
  budget: MemoryBudget,
  all: readonly MemoryOwner[],
  grants: readonly MemoryGrant[],
): void {
  const held = Object.fromEntries(budget.heldBytes());
  for (const [pool, limit] of [
    ["small", SMALL],
    ["large", LARGE],
  ] as const) {
    const of = (holds: (owner: MemoryOwner) => boolean): { bytes: number; grants: number } => {
      const found = grants.filter(
        (grant) => grant.pool?.name === pool && grant.bytes > 0 && holds(grant.owner),
      );
      return { bytes: found.reduce((sum, grant) => sum + grant.bytes, 0), grants: found.length };
    };
    const total = of(() => true);
    expect(total.bytes).toBe(held[pool]);
    if (total.grants > 1) expect(total.bytes).toBeLessThanOrEqual(limit);
    for (const owner of all) {
      const ofKey = of(({ key }) => key === owner.key);
      const ofAccount = of(({ account }) => account === owner.account);
      expect([ofKey.bytes, ofAccount.bytes]).toEqual([owner.key[pool], owner.account[pool]]);
      if (ofKey.grants > 1) expect(ofKey.bytes).toBeLessThanOrEqual(0.25 * limit);
      if (ofAccount.grants > 1) expect(ofAccount.bytes).toBeLessThanOrEqual(0.5 * limit);
    }
  }
}
