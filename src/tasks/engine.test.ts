import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../../test/support/billing.ts";
import {
  createTaskRig,
  expectCharged,
  expectCleanBooks,
  type FakeVendor,
  fakeVendor,
  SECOND_NANOS,
  type TaskRig,
  untilOver,
  videoRequest,
} from "../../test/support/tasks.ts";
import type { Caller } from "../accounts/caller.ts";
import { createReceiptReader } from "../billing/usage-log/receipts.ts";
import { GatewayError } from "../errors.ts";
import type { Task } from "./tasks.ts";

const DOLLAR = 1_000_000_000n;
/** Five seconds of 720p. */
const PRICE = 5n * SECOND_NANOS["720p"];

let vendor: FakeVendor;
let other: FakeVendor;
let rig: TaskRig;
beforeEach(async () => {
  vendor = fakeVendor(1n);
  other = fakeVendor(2n, { priority: 1 });
  rig = await createTaskRig([vendor, other]);
});
afterEach(() => rig.close());

describe("a task", () => {
  it("is accepted, held, made, settled and shown", async () => {
    const caller = await rig.account(DOLLAR);
    const gateway = await rig.startEngine({ works: false });
    const task = await gateway.submit(videoRequest(caller));
    expect(task).toMatchObject({ state: "NOT_START", progressPercent: 0, model: "videoa-2.5", result: null });
    expect(await rig.balance(caller)).toEqual({ balanceNanos: DOLLAR, availableNanos: DOLLAR - PRICE });
    await expectCleanBooks(rig);

    await rig.startEngine();
    const done = await untilOver(gateway, caller, task.id);
    expect(done).toMatchObject({ state: "SUCCESS", progressPercent: 100, failReason: "" });
    expect(done?.result?.outputs).toEqual([{ url: "http://vendor.test/v.mp4" }]);
    expect(vendor.submits(task.id)).toBe(1);
    await expectCharged(rig, caller, PRICE);
  });

  it("that fails is refunded in full, with the vendor's reason", async () => {
    vendor.onPoll = () => ({ type: "failed", reason: "too dull \u0000\ud800" });
    const { task, caller } = await run();
    expect(task).toMatchObject({ state: "FAILURE", progressPercent: 100, result: null });
    expect(task.failReason).toMatch(/^too dull/);
    await expectCharged(rig, caller, 0n);
  });

  it("moves forward only, whatever the vendor says", async () => {
    const words = [
      { type: "running", progressPercent: 40 },
      { type: "queued" },
      { type: "running", progressPercent: 10 },
      { type: "running", progressPercent: 1e9 },
      { type: "succeeded", result: { outputs: [{ url: "http://vendor.test/v.mp4" }] } },
    ] as const;
    let polls = 0;
    vendor.onPoll = () => words[Math.min(polls++, words.length - 1)] ?? { type: "queued" };
    const caller = await rig.account(DOLLAR);
    const engine = await rig.startEngine();
    const { id } = await engine.submit(videoRequest(caller));
    const seen: [string, number][] = [];
    await eventually(async () => {
      const task = await engine.find(caller.accountId, "video", id);
      if (task) seen.push([task.state, task.progressPercent]);
      return task?.state === "SUCCESS";
    }, 25_000);
    const ranks = seen.map(([state]) =>
      ["NOT_START", "SUBMITTED", "QUEUED", "IN_PROGRESS", "SUCCESS"].indexOf(state),
    );
    expect(ranks).toEqual([...ranks].sort((a, b) => a - b));
    expect(seen.map(([, percent]) => percent)).toEqual(
      seen.map(([, percent]) => percent).sort((a, b) => a - b),
    );
    expect(seen).toContainEqual(["IN_PROGRESS", 40]);
    expect(seen).toContainEqual(["IN_PROGRESS", 99]);
  });

  it("that is done without a result fails after a few polls, not at its deadline", async () => {
    let polls = 0;
    vendor.onPoll = () => {
      polls += 1;
      return { type: "resultless" };
    };
    const { task, caller } = await run();
    expect(task).toMatchObject({ state: "FAILURE", failReason: expect.stringContaining("no result") });
    expect(polls).toBe(4);
    await expectCharged(rig, caller, 0n);
  });

  it("whose result comes a poll after the word for it succeeds", async () => {
    let polls = 0;
    const made = vendor.onPoll;
    vendor.onPoll = (id) => {
      polls += 1;
      return polls < 3 ? { type: "resultless" } : made(id);
    };
    const { task, caller } = await run();
    expect(task.state).toBe("SUCCESS");
    await expectCharged(rig, caller, PRICE);
  });

  it.each([true, false])(
    "has its last frame where it was asked for, and only there: %s",
    async (returnLastFrame) => {
      const lastFrameUrl = "http://vendor.test/last.png";
      vendor.onPoll = () => ({
        type: "succeeded",
        result: { outputs: [{ url: "http://vendor.test/v.mp4" }], lastFrameUrl },
      });
      const { task } = await run({ order: { returnLastFrame } });
      expect(task.result).toEqual({
        outputs: [{ url: "http://vendor.test/v.mp4" }],
        ...(returnLastFrame && { lastFrameUrl }),
      });
    },
  );

  it("with a violation fails and is refunded without a call to anyone", async () => {
    const { task, caller } = await run({ violation: "duration 31 is more than 30" });
    expect(task).toMatchObject({ state: "FAILURE", failReason: "duration 31 is more than 30" });
    expect(vendor.asked).toEqual([]);
    await expectCharged(rig, caller, 0n);
  });

  it("has a receipt from its acceptance on, by its own id and its request's", async () => {
    const caller = await rig.account(DOLLAR);
    const gateway = await rig.startEngine({ works: false });
    const read = createReceiptReader(rig.database, { findUnposted: () => undefined });
    const { id, requestId } = await gateway.submit(videoRequest(caller));
    expect(await read(caller.accountId, id)).toMatchObject({ state: "running", hold_usd: "0.5" });
    await rig.startEngine();
    await untilOver(gateway, caller, id);
    const receipt = await read(caller.accountId, id);
    expect(receipt).toMatchObject({
      request_id: requestId,
      state: "posted",
      endpoint: "videos",
      reason: "completed",
      charge_usd: "0.5",
      lines: [{ unit: "second", of: "720p", count: 5, usd_each: "0.1", usd: "0.5" }],
      task: { id, state: "SUCCESS" },
    });
    expect(await read(caller.accountId, requestId)).toEqual(receipt);
    const stranger = await rig.account(DOLLAR);
    expect(await read(stranger.accountId, id)).toBeUndefined();
  });

  it("is not found by other accounts, nor as an image", async () => {
    const { task, caller } = await run();
    const stranger = await rig.account(DOLLAR);
    const engine = await rig.startEngine();
    expect(await engine.find(stranger.accountId, "video", task.id)).toBeUndefined();
    expect(await engine.find(caller.accountId, "image", task.id)).toBeUndefined();
  });
});

describe("the money of a task", () => {
  it.each([
    ["the vendor's seconds, a part of one rounded up", { durationSeconds: 7.2 }, undefined, 8n],
    ["the file's, where the vendor says nothing", {}, 11.0, 11n],
    ["what is held, where nobody can tell", {}, undefined, 30n],
    ["no more than what is held", { durationSeconds: 44 }, undefined, 30n],
  ])("of open duration is settled by %s", async (_, stated, probed, seconds) => {
    vendor.onPoll = () => ({
      type: "succeeded",
      result: { outputs: [{ url: "http://v.test/1" }], ...stated },
    });
    const caller = await rig.account(10n * DOLLAR);
    const engine = await rig.startEngine({ probe: () => Promise.resolve(probed) });
    const { id } = await engine.submit(videoRequest(caller, { order: { durationSeconds: -1 } }));
    await untilOver(engine, caller, id);
    await expectCharged(rig, caller, seconds * SECOND_NANOS["720p"], 10n * DOLLAR);
    const { estimated } = await rig.database.one<{ estimated: boolean }>("select estimated from usage");
    expect(estimated).toBe(probed === undefined && !("durationSeconds" in stated));
  });

  it("is refused when the account has less, and nothing is kept", async () => {
    const caller = await rig.account(PRICE - 1n);
    const engine = await rig.startEngine();
    await expect(engine.submit(videoRequest(caller))).rejects.toMatchObject({
      reason: "insufficient_user_quota",
    });
    expect(await rig.database.query("select from tasks")).toEqual([]);
    expect(await rig.balance(caller)).toEqual({ balanceNanos: PRICE - 1n, availableNanos: PRICE - 1n });
  });

  it("is never taken twice: of many at once exactly as many are accepted as can be paid", async () => {
    const caller = await rig.account(7n * PRICE + 1n);
    const engines = await Promise.all([rig.startEngine({ works: false }), rig.startEngine({ works: false })]);
    const told = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => engines[index % 2]?.submit(videoRequest(caller))),
    );
    expect(told.filter(({ status }) => status === "fulfilled")).toHaveLength(7);
    expect(await rig.balance(caller)).toEqual({ balanceNanos: 7n * PRICE + 1n, availableNanos: 1n });
    await expectCleanBooks(rig);
  });

  it("counts against the key's spending limit too", async () => {
    const caller = await rig.account(10n * DOLLAR, { amountNanos: PRICE, period: "month" });
    const engine = await rig.startEngine();
    const { id } = await engine.submit(videoRequest(caller));
    await expect(engine.submit(videoRequest(caller))).rejects.toMatchObject({
      reason: "insufficient_user_quota",
      message: expect.stringContaining("spending limit"),
    });
    await untilOver(engine, caller, id);
    await expect(engine.submit(videoRequest(caller))).rejects.toMatchObject({ status: 403 });
    await expectCharged(rig, caller, PRICE, 10n * DOLLAR);
  });

  it("is fetched back from text requests' budget leases", async () => {
    const caller = await rig.account(DOLLAR);
    const text = await rig.start("text");
    const { order, completed } = await import("../../test/support/billing.ts");
    await (await text.take(order(caller, DOLLAR))).settle(completed(0));
    const engine = await rig.startEngine();
    const { id } = await engine.submit(videoRequest(caller, { order: { durationSeconds: 10 } }));
    await untilOver(engine, caller, id);
    await text.drain();
    await expectCharged(rig, caller, 2n * PRICE);
  });

  it("keeps the price of its acceptance", async () => {
    const caller = await rig.account(DOLLAR);
    const engine = await rig.startEngine({ works: false });
    const { id } = await engine.submit(videoRequest(caller));
    const dearer = await rig.startEngine({
      catalog: { current: () => expect.fail("a price was looked up after acceptance") },
      works: false,
    });
    expect(await dearer.find(caller.accountId, "video", id)).toBeDefined();
    await rig.startEngine();
    await untilOver(engine, caller, id);
    await expectCharged(rig, caller, PRICE);
  });
});

describe("a submit", () => {
  it("with one idempotency key makes one task, however often and wherever it is sent", async () => {
    const caller = await rig.account(10n * DOLLAR);
    const engines = await Promise.all([rig.startEngine(), rig.startEngine()]);
    const idempotency = { key: "k", bodyDigest: "d" };
    const tasks = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        engines[index % 2]?.submit(videoRequest(caller, { idempotency })),
      ),
    );
    expect(new Set(tasks.map((task) => task?.id)).size).toBe(1);
    const another = videoRequest(caller, { idempotency: { key: "k", bodyDigest: "e" } });
    await expect(engines[0].submit(another)).rejects.toMatchObject({
      reason: "idempotency_conflict",
      status: 409,
    });
    const stranger = await rig.account(DOLLAR);
    const theirs = await engines[0].submit(videoRequest(stranger, { idempotency }));
    expect(theirs.id).not.toBe(tasks[0]?.id);
    await expectCleanBooks(rig);
  });

  it("is refused with 429 while too many tasks wait for the model", async () => {
    rig.catalog.settings = {
      ...rig.catalog.settings,
      queues: { ...rig.catalog.settings.queues, tasksPerModel: 2 },
    };
    const caller = await rig.account(10n * DOLLAR);
    const engine = await rig.startEngine({ works: false });
    await engine.submit(videoRequest(caller));
    await engine.submit(videoRequest(caller));
    await expect(engine.submit(videoRequest(caller))).rejects.toMatchObject({
      reason: "upstream_saturated",
      status: 429,
      retryAfterSeconds: expect.any(Number),
    });
    expect(await rig.balance(caller)).toMatchObject({ availableNanos: 10n * DOLLAR - 2n * PRICE });
    const poor = await rig.account(PRICE - 1n);
    await expect(engine.submit(videoRequest(poor))).rejects.toMatchObject({
      reason: "insufficient_user_quota",
      status: 403,
    });
    const limited = { ...caller, spendingLimit: { amountNanos: PRICE - 1n, period: "day" as const } };
    await expect(engine.submit(videoRequest(limited))).rejects.toMatchObject({ status: 403 });
    const able = { ...caller, spendingLimit: { amountNanos: PRICE, period: "month" as const } };
    await expect(engine.submit(videoRequest(able))).rejects.toMatchObject({ status: 429 });
  });

  it("is refused with 403 before anything is said about a rate, where the money would not do", async () => {
    const admit = () =>
      Promise.reject(new GatewayError("rate_limit_exceeded", "One a minute.", { retryAfterSeconds: 60 }));
    const engine = await rig.startEngine({
      limits: { admit, admitCount: () => Promise.resolve({}), close: () => Promise.resolve() },
    });
    const [poor, rich] = [await rig.account(PRICE - 1n), await rig.account(PRICE)];
    await expect(engine.submit(videoRequest(poor))).rejects.toMatchObject({ status: 403 });
    await expect(engine.submit(videoRequest(rich))).rejects.toMatchObject({
      status: 429,
      reason: "rate_limit_exceeded",
    });
  });

  it("is refused with 429 while every upstream has said it is saturated; what was accepted waits", async () => {
    let refusals = 0;
    const saturated = () =>
      ({ type: "refused", next: "later", reason: "busy", retryAfterSeconds: 3 }) as const;
    vendor.onSubmit = other.onSubmit = () => {
      refusals += 1;
      return saturated();
    };
    const caller = await rig.account(10n * DOLLAR);
    const engine = await rig.startEngine();
    const { id } = await engine.submit(videoRequest(caller));
    await eventually(() => refusals === 2);
    await eventually(async () =>
      engine.submit(videoRequest(caller)).then(
        () => false,
        (error: { reason: string }) => error.reason === "upstream_saturated",
      ),
    );
    vendor.onSubmit = (taskId) => ({ type: "accepted", upstreamId: `v-${taskId}` });
    expect(await untilOver(engine, caller, id)).toMatchObject({ state: "SUCCESS" });
  });
});

describe("upstreams", () => {
  it("are asked in order until one takes the task", async () => {
    vendor.onSubmit = () => ({ type: "refused", next: "another", reason: "no credit" });
    const { task } = await run();
    expect(task.state).toBe("SUCCESS");
    expect([vendor.submits(task.id), other.submits(task.id)]).toEqual([1, 1]);
  });

  it("that cannot be reached have not been sent anything, so another one is", async () => {
    vendor.onSubmit = () => "unreachable" as never;
    const { task } = await run();
    expect(task.state).toBe("SUCCESS");
    expect(other.submits(task.id)).toBe(1);
  });

  it("that did the work and gave nothing that can be used end the task, and nobody is asked again", async () => {
    vendor.onSubmit = () => ({ type: "failed", reason: "no image" });
    const { task, caller } = await run();
    expect(task).toMatchObject({ state: "FAILURE", failReason: "no image" });
    expect([vendor.submits(task.id), other.submits(task.id)]).toEqual([1, 0]);
    await expectCharged(rig, caller, 0n);
  });

  it("that refuse the order end the task with their reason", async () => {
    vendor.onSubmit = () => ({ type: "refused", next: "fail", reason: "moderation" });
    const { task, caller } = await run();
    expect(task).toMatchObject({ state: "FAILURE", failReason: "moderation" });
    expect(other.submits(task.id)).toBe(0);
    await expectCharged(rig, caller, 0n);
  });

  it("are asked for what they have although they are disabled meanwhile", async () => {
    const caller = await rig.account(DOLLAR);
    const engine = await rig.startEngine();
    vendor.onPoll = () => ({ type: "running" });
    const { id } = await engine.submit(videoRequest(caller));
    await eventually(() => vendor.asked.some(({ kind }) => kind === "poll"));
    rig.catalog.serving = [other];
    vendor.onPoll = () => ({ type: "succeeded", result: { outputs: [{ url: "http://v.test/1" }] } });
    expect(await untilOver(engine, caller, id)).toMatchObject({ state: "SUCCESS" });
    expect(other.asked).toEqual([]);
  });
});

async function run(given?: Parameters<typeof videoRequest>[1]): Promise<{ task: Task; caller: Caller }> {
  const caller = await rig.account(DOLLAR);
  const engine = await rig.startEngine();
  const { id } = await engine.submit(videoRequest(caller, given));
  const task = await untilOver(engine, caller, id);
  if (task === undefined) throw new Error(`task ${id} is gone`);
  return { task, caller };
}
