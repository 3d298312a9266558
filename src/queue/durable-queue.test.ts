import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { World } from "../../test/support/money/world.ts";
import type { Timers } from "../base/async/timers.ts";
import type { Clock } from "../base/clock.ts";
import { silentLog } from "../observe/log.ts";
import { createDurableQueue, type DurableQueue, type QueueStore } from "./durable-queue.ts";
import type { Held } from "./held.ts";

const CLAIM_MS = 30_000;
const AT_ONCE = 3;

type Claim = { readonly id: bigint; readonly fence: bigint };

/** A table that is a queue, as any number of workers share it. */
class Table implements QueueStore<Claim, number> {
  readonly rows = new Map<bigint, { dueMs: number | null; fence: bigint; done: number }>();
  private readonly world: World;

  constructor(world: World, rows: number) {
    this.world = world;
    for (let id = 1n; id <= rows; id += 1n) this.rows.set(id, { dueMs: 0, fence: 0n, done: 0 });
  }

  /** Does a row's work for good, unless the claim is over. */
  finish({ id, fence }: Claim): void {
    const row = this.rows.get(id);
    if (row?.fence !== fence) return;
    row.fence += 1n;
    row.dueMs = null;
    row.done += 1;
  }

  claim(max: number, claimMs: number): Promise<readonly Claim[]> {
    const due = [...this.rows].filter(([, { dueMs }]) => dueMs !== null && dueMs <= this.world.nowMs);
    return this.answer(
      due.slice(0, max).map(([id, row]) => {
        row.fence += 1n;
        row.dueMs = this.world.nowMs + claimMs;
        return { id, fence: row.fence };
      }),
    );
  }

  keep(claims: readonly Claim[], claimMs: number): Promise<ReadonlySet<bigint>> {
    const kept = claims.filter(({ id, fence }) => this.rows.get(id)?.fence === fence);
    for (const { id } of kept) this.due(id, claimMs);
    return this.answer(new Set(kept.map(({ id }) => id)));
  }

  release(claims: readonly Claim[], dueMs = 0): Promise<void> {
    for (const { id, fence } of claims) {
      const row = this.rows.get(id);
      if (row?.fence !== fence) continue;
      row.fence += 1n;
      this.due(id, dueMs);
    }
    return this.answer(undefined);
  }

  nextDueMs(maxMs: number): Promise<number> {
    const dues = [...this.rows.values()].flatMap(({ dueMs }) => (dueMs === null ? [] : [dueMs]));
    return this.answer(Math.min(maxMs, Math.max(0, Math.min(...dues) - this.world.nowMs)));
  }

  clampDueTimes(): Promise<number> {
    return this.answer(0);
  }

  private due(id: bigint, inMs: number): void {
    const row = this.rows.get(id);
    if (row) row.dueMs = this.world.nowMs + inMs;
  }

  private answer<T>(value: T): Promise<T> {
    return new Promise((resolve) => this.world.after(this.world.between(0, 20), () => resolve(value)));
  }
}

/** A process with a worker: it may be killed, or paused, which it does not notice. */
class Worker {
  readonly queue: DurableQueue<Claim>;
  alive = true;
  most = 0;
  private pausedUntilMs = 0;
  private readonly world: World;

  constructor(world: World, table: Table, job: (held: Held<Claim>, worker: Worker) => Promise<void>) {
    this.world = world;
    const clock: Clock = { nowMs: () => world.nowMs, monotonicMs: () => world.nowMs };
    this.queue = createDurableQueue<Claim, number>({
      name: "rows",
      store: table,
      clock,
      timers: this.timers,
      log: silentLog,
      claimMs: CLAIM_MS,
      keepIntervalMs: 8_000,
      clampIntervalMs: 10_000,
      intervalMs: 1_000,
      shortestIntervalMs: 50,
      brokenOffMs: 3_000,
      wanted: (held) => AT_ONCE - held.size,
      begin: (claimed) => {
        this.most = Math.max(this.most, this.queue.inFlight());
        for (const held of claimed)
          void this.queue.work([held], () => job(held, this)).then(() => this.queue.wake());
      },
      brokeOff: () => undefined,
    });
  }

  readonly timers: Timers = {
    after: (delayMs, callback) => {
      let wanted = true;
      this.world.after(delayMs, () => this.run(() => wanted && callback()));
      return () => {
        wanted = false;
      };
    },
    defer: (callback) => this.world.after(0, callback),
  };

  pause(ms: number): void {
    this.pausedUntilMs = this.world.nowMs + ms;
  }

  private run(callback: () => void): void {
    if (!this.alive) return;
    const leftMs = this.pausedUntilMs - this.world.nowMs;
    if (leftMs > 0) this.world.after(leftMs, () => this.run(callback));
    else callback();
  }
}

async function pass(world: World, ms: number): Promise<void> {
  const untilMs = world.nowMs + ms;
  do for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  while (world.step(untilMs));
}

describe("a durable queue", () => {
  it("has each row done once, whatever workers break off, are paused for or die of", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const world = new World(seed);
        const table = new Table(world, 12);
        const workers: Worker[] = [];
        const job = async (held: Held<Claim>, { timers }: Worker): Promise<void> => {
          await new Promise<void>((resolve) => timers.after(world.between(0, 5_000), resolve));
          if (world.chance(0.2)) throw new Error("it broke off");
          if (held.mayBegin()) table.finish(held.claim);
        };
        const start = (): number => workers.push(new Worker(world, table, job));
        start();
        start();
        for (let step = 0; step < 10; step += 1) {
          const victim = world.pick(workers);
          if (world.chance(0.3)) victim.pause(world.between(1_000, 60_000));
          if (world.chance(0.1)) {
            victim.alive = false;
            start();
          }
          await pass(world, world.between(100, 5_000));
        }
        start();
        await pass(world, 200_000);
        expect([...table.rows.values()].map(({ done }) => done)).toEqual(Array(12).fill(1));
        for (const { most } of workers) expect(most).toBeLessThanOrEqual(AT_ONCE);
        for (const worker of workers) worker.alive = false;
      }),
      { numRuns: 15 },
    );
  });

  it("keeps claims while their work lasts, and has no other worker begin it", async () => {
    const world = new World(1);
    const table = new Table(world, 1);
    let begun = 0;
    const job = async (held: Held<Claim>, { timers }: Worker): Promise<void> => {
      begun += 1;
      await new Promise<void>((resolve) => timers.after(120_000, resolve));
      expect(held.mayBegin()).toBe(true);
      table.finish(held.claim);
    };
    const workers = [new Worker(world, table, job), new Worker(world, table, job)];
    await pass(world, 130_000);
    expect([begun, table.rows.get(1n)?.done]).toEqual([1, 1]);
    for (const worker of workers) worker.alive = false;
  });

  it("waits for work when it is stopped, and leaves to others at once what is not done in time", async () => {
    const world = new World(1);
    const table = new Table(world, 2);
    const job = async ({ claim }: Held<Claim>, { timers }: Worker): Promise<void> => {
      await new Promise<void>((resolve) => timers.after(claim.id === 1n ? 500 : 60_000, resolve));
      table.finish(claim);
    };
    const worker = new Worker(world, table, job);
    await pass(world, 200);
    const stopping = worker.queue.stop(2_000);
    await pass(world, 3_000);
    await stopping;
    expect(world.nowMs).toBeLessThan(4_000);
    expect(
      [...table.rows.values()].map(({ done, dueMs }) => [done, dueMs !== null && dueMs <= world.nowMs]),
    ).toEqual([
      [1, false],
      [0, true],
    ]);
    worker.alive = false;
  });
});
