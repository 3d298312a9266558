import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MemoryBudget, type MemoryLease, SMALL_BYTES } from "./memory-budget.ts";
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

/** How a wait ended so far: "waits", "has", or why it was refused. */
function outcomeOf(asked: ReturnType<MemoryLease["await"]>): { now: string } {
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
    const whole = budget.lease(first);
    expect(whole.growTo(2 * LIMIT)).toBeUndefined();
    expect(budget.lease(third).growTo(100 * KB)).toBe("total");
    whole.release();
    expect(budget.lease(first).growTo(0.2 * LARGE)).toBeUndefined();
    expect(budget.lease(first).growTo(0.1 * LARGE)).toBe("key");
    expect(budget.lease(second).growTo(0.29 * LARGE)).toBeUndefined();
    expect(budget.lease(second).growTo(0.02 * LARGE)).toBe("key");
    expect(budget.lease(first).growTo(0.04 * LARGE)).toBe("account");
    expect(budget.lease(third).growTo(0.5 * LARGE)).toBeUndefined();
    expect(Object.fromEntries(budget.refused())).toEqual({ total: 1, key: 2, account: 1, queue: 0 });
  });

  it("keeps a tenth for what is small, which takes of the rest when that is used up", () => {
    const { budget, first, second, third, fourth } = world();
    budget.lease(first).growTo(0.9 * LARGE);
    const small = [third, third, third, fourth, fourth, fourth].map((owner) =>
      budget.lease(owner).growTo(0.08 * SMALL),
    );
    expect(small).toEqual(small.map(() => undefined));
    const held = Object.fromEntries(budget.heldBytes());
    expect(held["small"]).toBeGreaterThan(0);
    expect(budget.lease(second).growTo(SMALL_BYTES)).toBeUndefined();
  });

  it("lets wait what is told beforehand, each account in its turn", async () => {
    const { budget, timers, first, third } = world();
    const full = budget.lease(third);
    full.growTo(LARGE);
    const size = 0.2 * LARGE;
    const leases = [first, first, third].map((owner) => budget.lease(owner));
    const outcomes = leases.map((lease) => outcomeOf(lease.await(size)));
    expect(budget.waitingCount()).toBe(3);
    full.release();
    await settled();
    // The second of one key is above its share, which holds up nobody else.
    expect(outcomes.map(({ now }) => now)).toEqual(["has", "waits", "has"]);
    leases[0]?.release();
    await settled();
    expect(outcomes.map(({ now }) => now)).toEqual(["has", "has", "has"]);
    const late = budget.lease(first);
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
    const held = budget.lease(fourth);
    held.growTo(0.8 * LARGE);
    const large = outcomeOf(budget.lease(first).await(0.3 * LARGE));
    const behind = outcomeOf(budget.lease(third).await(0.1 * LARGE));
    const small = outcomeOf(budget.lease(third).await(10 * KB));
    await settled();
    expect([large.now, behind.now, small.now]).toEqual(["waits", "waits", "has"]);
    held.release();
    await settled();
    expect([large.now, behind.now]).toEqual(["has", "has"]);
  });

  it("refuses at once where too many wait, and forgets who leaves before their turn", async () => {
    const { budget, first, third } = world();
    const full = budget.lease(first);
    full.growTo(LARGE);
    const leases = Array.from({ length: 257 }, () => budget.lease(third));
    const outcomes = leases.map((lease) => outcomeOf(lease.await(100 * KB)));
    await settled();
    expect(outcomes.filter(({ now }) => now === "queue")).toHaveLength(1);
    for (const lease of leases) lease.release();
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
        const leases: MemoryLease[] = [];
        const waits: { now: string }[] = [];
        const open = (nth: number): MemoryLease | undefined => leases[nth % Math.max(1, leases.length)];
        for (const each of steps) {
          if (each.kind === "await" || each.kind === "grow") {
            const lease = budget.lease(all[each.who] as MemoryOwner);
            leases.push(lease);
            if (each.kind === "await") waits.push(outcomeOf(lease.await(each.bytes)));
            else lease.growTo(each.bytes);
          } else if (each.kind === "more") {
            const lease = open(each.nth);
            if (lease?.waiter === undefined) lease?.growTo(2 * lease.bytes);
          } else if (each.kind === "release") open(each.nth)?.release();
          else timers.advance(each.ms);
          expectBounds(budget, all, leases);
        }
        timers.advance(2_000);
        await settled();
        expect(waits.filter(({ now }) => now === "waits")).toEqual([]);
        expect(budget.waitingCount()).toBe(0);
        for (const lease of leases) lease.release();
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
  leases: readonly MemoryLease[],
): void {
  const held = Object.fromEntries(budget.heldBytes());
  for (const [pool, limit] of [
    ["small", SMALL],
    ["large", LARGE],
  ] as const) {
    const of = (holds: (owner: MemoryOwner) => boolean): { bytes: number; leases: number } => {
      const found = leases.filter(
        (lease) => lease.pool?.name === pool && lease.bytes > 0 && holds(lease.owner),
      );
      return { bytes: found.reduce((sum, lease) => sum + lease.bytes, 0), leases: found.length };
    };
    const total = of(() => true);
    expect(total.bytes).toBe(held[pool]);
    if (total.leases > 1) expect(total.bytes).toBeLessThanOrEqual(limit);
    for (const owner of all) {
      const ofKey = of(({ key }) => key === owner.key);
      const ofAccount = of(({ account }) => account === owner.account);
      expect([ofKey.bytes, ofAccount.bytes]).toEqual([owner.key[pool], owner.account[pool]]);
      if (ofKey.leases > 1) expect(ofKey.bytes).toBeLessThanOrEqual(0.25 * limit);
      if (ofAccount.leases > 1) expect(ofAccount.bytes).toBeLessThanOrEqual(0.5 * limit);
    }
  }
}
