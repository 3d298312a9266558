import { afterAll, describe, expect, it } from "vitest";
import type { Obeyed, Order } from "../../../test/support/ordered-worker.ts";
import { createWorkerPool, type Job, type WorkerPool } from "./worker-pool.ts";

const WAITING = 2;

/** Longer than any test: only closing the pool ends it. */
const FOREVER_MS = 3_600_000;

/** The duties of any pool of threads for the bodies of strangers, be it the gateway's or a library's. */
describe("a pool of one worker", () => {
  const pool = openPool();
  afterAll(() => pool.close());
  const ask = (order: Order, moved: Job["moved"] = []) => pool.run(() => ({ message: order, moved }));

  it("moves bytes there and back, and copies none", async () => {
    const bytes = new Uint8Array([1, 2, 3]);
    const obeyed = await ask({ bytes }, [bytes.buffer]);
    expect(bytes.byteLength).toBe(0);
    expect(obeyed.bytes).toEqual(new Uint8Array([1, 2, 3]));
  });

  it.each(["throw", "exit", "memory"] as const)(
    "loses the job whose worker ends by itself (%s) and no other",
    async (end) => {
      const [lost, next] = await Promise.allSettled([ask({ end }), ask({})]);
      expect(lost).toMatchObject({ status: "rejected", reason: { name: "WorkerLost" } });
      expect(next.status).toBe("fulfilled");
    },
  );

  it.each<[string, () => Job | Promise<Job>]>([
    ["made in time", () => Promise.reject(new RangeError("Array buffer allocation failed"))],
    [
      "made",
      () => {
        throw new RangeError("Array buffer allocation failed");
      },
    ],
    ["copied", () => ({ message: { run: () => undefined }, moved: [] })],
  ])("loses the job that cannot be %s and no other", async (_, makeJob) => {
    const jobs = [ask({}), pool.run(makeJob), ask({})];
    const [before, lost, after] = await Promise.allSettled(jobs);
    expect(lost).toMatchObject({ status: "rejected", reason: { name: "WorkerLost" } });
    expect([before?.status, after?.status]).toEqual(["fulfilled", "fulfilled"]);
  });

  it("refuses more jobs than may wait, and makes a job only when its turn has come", async () => {
    const made: number[] = [];
    const jobs = [0, 1, 2, 3].map((number) =>
      pool.run(() => {
        made.push(number);
        return { message: {} satisfies Order, moved: [] };
      }),
    );
    expect(made).toEqual([0]);
    const settled = await Promise.allSettled(jobs);
    expect(settled.slice(0, 3).map(({ status }) => status)).toEqual(Array(3).fill("fulfilled"));
    expect(settled[3]).toMatchObject({ status: "rejected", reason: { name: "PoolFull" } });
    expect(made).toEqual([0, 1, 2]);
  });

  it("ends a worker that takes too long", async () => {
    const hasty = openPool(100);
    const lost = hasty.run(() => ({ message: { forMs: FOREVER_MS } satisfies Order, moved: [] }));
    await expect(lost).rejects.toMatchObject({ name: "WorkerLost" });
    await hasty.close();
  });

  it("loses what runs and what waits when it closes, and takes nothing more", async () => {
    const closing = openPool();
    const order = (forMs: number) => closing.run(() => ({ message: { forMs } satisfies Order, moved: [] }));
    await order(0);
    const jobs = Promise.allSettled([order(FOREVER_MS), order(0)]);
    await closing.close();
    for (const job of [...(await jobs), ...(await Promise.allSettled([order(0)]))])
      expect(job).toMatchObject({ status: "rejected", reason: { name: "WorkerLost" } });
  });
});

function openPool(limitMs?: number): WorkerPool<Obeyed> {
  return createWorkerPool<Obeyed>({
    limitMs,
    entry: new URL("../../../test/support/ordered-worker.ts", import.meta.url),
    workers: 1,
    waiting: WAITING,
    limits: { maxOldGenerationSizeMb: 64 },
  });
}
