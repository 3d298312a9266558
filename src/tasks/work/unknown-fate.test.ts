import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../../../test/support/billing.ts";
import {
  askVendors,
  comeUpNow,
  createTaskRig,
  expectCharged,
  type FakeVendor,
  fakeApi,
  fakeFind,
  fakeVendor,
  SECOND_NANOS,
  type TaskRig,
  untilOver,
  videoRequest,
} from "../../../test/support/tasks.ts";
import type { Caller } from "../../accounts/caller.ts";
import type { TaskEngine, TaskEngineOptions } from "../engine.ts";

const DOLLAR = 1_000_000_000n;
/** Five seconds of 720p. */
const PRICE = 5n * SECOND_NANOS["720p"];
const LOST = /^The vendor's response to the submit was lost/;

let vendor: FakeVendor;
let other: FakeVendor;
let rig: TaskRig;
beforeEach(async () => {
  vendor = fakeVendor(1n);
  other = fakeVendor(2n, { priority: 1 });
  rig = await createTaskRig([vendor, other]);
});
afterEach(() => rig.close());

interface Begun {
  readonly id: string;
  readonly caller: Caller;
  readonly engine: TaskEngine;
}

async function begin(options?: Partial<TaskEngineOptions> & { idempotent?: boolean }): Promise<Begun> {
  const caller = await rig.account(DOLLAR);
  const engine = await rig.startEngine(options);
  const { id } = await engine.submit(videoRequest(caller));
  return { id, caller, engine };
}

/** Milliseconds until the task comes up again. */
async function dueMs(id: string): Promise<number> {
  const { ms } = await rig.database.one<{ ms: number }>(
    "select (extract(epoch from due_at - now()) * 1000)::float8 as ms from tasks where id = $1",
    [id],
  );
  return ms;
}

describe("a submit whose fate is unknown", () => {
  it.each([
    ["its answer was lost", "lost"],
    ["its answer says nothing", { type: "unclear", reason: "The response is not JSON." }],
  ] as const)(
    "fails at once with its refund, and is sent nowhere again, where nothing can be learnt: %s",
    async (_, outcome) => {
      vendor.onSubmit = () => outcome;
      const { id, caller, engine } = await begin();
      const task = await untilOver(engine, caller, id);
      expect(task).toMatchObject({ state: "FAILURE", failReason: expect.stringMatching(LOST), result: null });
      expect(task.finishTime - task.submitTime).toBeLessThan(30);
      expect([vendor.submits(id), other.submits(id)]).toEqual([1, 0]);
      expect([...engine.unknownFates()]).toEqual([["vendor 1", 1]]);
      await expectCharged(rig, caller, 0n);
    },
  );

  it("is looked for after 5, 15, 45 and 120 seconds where the vendor has a list, then fails with its refund", async () => {
    vendor.onSubmit = () => "lost";
    const { id, caller, engine } = await begin({ apiOf: () => ({ ...fakeApi(), find: fakeFind }) });
    for (const [index, seconds] of [5, 10, 30, 75].entries()) {
      await eventually(async () => {
        const row = await rig.database.one<{ polls: number }>("select polls from tasks where id = $1", [id]);
        return row.polls === index + 1;
      });
      const pauseMs = await dueMs(id);
      expect(pauseMs).toBeLessThanOrEqual(seconds * 1_000);
      expect(pauseMs).toBeGreaterThan(seconds * 1_000 - 4_000);
      expect(await engine.find(caller.accountId, "video", id)).toMatchObject({ state: "NOT_START" });
      await comeUpNow(rig, id, index + 1);
    }
    expect(await untilOver(engine, caller, id)).toMatchObject({
      state: "FAILURE",
      failReason: expect.stringMatching(LOST),
    });
    expect(vendor.asked.map(({ kind }) => kind)).toEqual(["submit", "find", "find", "find", "find"]);
    expect(other.asked).toEqual([]);
    await expectCharged(rig, caller, 0n);
  });

  it("goes on as if nothing had been lost once it is found", async () => {
    vendor.onSubmit = () => "lost";
    vendor.onFind = (taskId) => ({ type: "found", upstreamId: `v-${taskId}` });
    const { id, caller, engine } = await begin({ apiOf: () => ({ ...fakeApi(), find: fakeFind }) });
    await comeUpNow(rig, id, 1);
    expect(await untilOver(engine, caller, id)).toMatchObject({ state: "SUCCESS" });
    expect(vendor.submits(id)).toBe(1);
    expect([...engine.unknownFates()]).toEqual([]);
    await expectCharged(rig, caller, PRICE);
  });

  it("is followed by the same submit where the vendor makes one task of both", async () => {
    vendor.onSubmit = (taskId) =>
      vendor.submits(taskId) === 1 ? "lost" : { type: "accepted", upstreamId: `v-${taskId}` };
    const { id, caller, engine } = await begin({ idempotent: true });
    await comeUpNow(rig, id, 1);
    expect(await untilOver(engine, caller, id)).toMatchObject({ state: "SUCCESS" });
    expect([vendor.submits(id), other.submits(id)]).toEqual([2, 0]);
    await expectCharged(rig, caller, PRICE);
  });
});

describe("a process that ended between the intent and the answer", () => {
  /** A task that some process was about to send so long ago, and none holds. */
  async function orphan(secondsAgo: number): Promise<{ readonly id: string; readonly caller: Caller }> {
    const { id, caller, engine } = await begin({ works: false });
    await engine.stop(0);
    await intendedAgo(id, secondsAgo);
    return { id, caller };
  }
  async function intendedAgo(id: string, seconds: number): Promise<void> {
    await rig.database.execute(
      `update tasks set upstream_id = 1, upstream_name = 'vendor 1', credential_id = 10, upstream_model = 'theirs',
              intended_at = now() - $2 * interval '1 s', due_at = now(), fence = fence + 1 where id = $1`,
      [id, seconds],
    );
  }

  it("leaves a task that waits two minutes for its answer, and then fails with its refund", async () => {
    const { id, caller } = await orphan(10);
    const engine = await rig.startEngine();
    await eventually(async () => (await dueMs(id)) > 60_000);
    expect(await dueMs(id)).toBeLessThanOrEqual(110_000);
    expect(await engine.find(caller.accountId, "video", id)).toMatchObject({ state: "NOT_START" });
    await intendedAgo(id, 121);
    expect(await untilOver(engine, caller, id)).toMatchObject({ state: "FAILURE" });
    expect([...vendor.asked, ...other.asked]).toEqual([]);
    expect([...engine.unknownFates()]).toEqual([["vendor 1", 1]]);
    await expectCharged(rig, caller, 0n);
  });

  it("leaves a task that is looked for at once where the vendor has a list", async () => {
    vendor.onFind = (taskId) => ({ type: "found", upstreamId: `v-${taskId}` });
    const { id, caller } = await orphan(10);
    const engine = await rig.startEngine({ apiOf: () => ({ ...fakeApi(), find: fakeFind }) });
    expect(await untilOver(engine, caller, id)).toMatchObject({ state: "SUCCESS" });
    expect(vendor.submits(id)).toBe(0);
    await expectCharged(rig, caller, PRICE);
  });

  it("or was only cut off: its late answer is kept, and the task stays failed and free", async () => {
    let response: (() => void) | undefined;
    const ask = askVendors([vendor, other]);
    const { id, caller, engine } = await begin({
      ask: async (asked) => {
        const outcome = await ask(asked);
        if (asked.request.method === "POST")
          await new Promise<void>((resolve) => {
            response = resolve;
          });
        return outcome;
      },
    });
    await eventually(() => response !== undefined);
    const second = await rig.startEngine();
    await intendedAgo(id, 121);
    expect(await untilOver(second, caller, id)).toMatchObject({ state: "FAILURE" });
    await expectCharged(rig, caller, 0n);
    response?.();
    await eventually(async () => {
      await rig.database.execute("update tasks set due_at = now() where due_at > now() + interval '31 s'");
      const row = await rig.database.one<{ late: string | null }>("select late_result as late from tasks");
      return row.late?.includes("http://vendor.test/v.mp4") ?? false;
    });
    expect(vendor.submits(id)).toBe(1);
    expect(await engine.find(caller.accountId, "video", id)).toMatchObject({
      state: "FAILURE",
      result: null,
    });
    await expectCharged(rig, caller, 0n);
  });
});
