import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../../../test/support/billing.ts";
import { storeAccount, storeTask } from "../../../test/support/stored-tasks.ts";
import {
  askVendors,
  createTaskRig,
  expectCharged,
  expectCleanBooks,
  type FakeVendor,
  fakeApi,
  fakeVendor,
  SECOND_NANOS,
  shortenDeadline,
  type TaskRig,
  untilOver,
  videoRequest,
} from "../../../test/support/tasks.ts";
import { createLog } from "../../observe/log.ts";
import type { AskOutcome, UpstreamAsk } from "../../upstreams/call.ts";
import type { PollOutcome, TaskApi } from "../../upstreams/task-apis/task-api.ts";
import type { TaskEngine } from "../engine.ts";
import { createTasksStore } from "../store/tasks-store.ts";
import type { Task } from "../tasks.ts";
import { CLAIM_MS } from "./worker.ts";

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

describe("a poll that breaks off", () => {
  it("is made again soon, not when the claim is over", async () => {
    const polls: number[] = [];
    vendor.onPoll = () => {
      polls.push(performance.now());
      if (polls.length === 1) throw new Error("a bug of ours");
      return { type: "succeeded", result: { outputs: [{ url: "http://v.test/1" }] } };
    };
    const caller = await rig.account(DOLLAR);
    const engine = await rig.startEngine();
    const { id } = await engine.submit(videoRequest(caller));
    expect(await untilOver(engine, caller, id)).toMatchObject({ state: "SUCCESS" });
    const [first = 0, second = 0] = polls;
    expect(second - first).toBeLessThan(CLAIM_MS - 5_000);
    await expectCharged(rig, caller, PRICE);
  });
});

describe("a vendor that takes a minute for each submit", () => {
  it("keeps other accounts' tasks waiting for one place, not for all that an account has sent before", async () => {
    const [many, one] = [await rig.account(100n * DOLLAR), await rig.account(DOLLAR)];
    const slow = new Set<string>();
    const waiting: (() => void)[] = [];
    vendor.onSubmit = (taskId) => {
      const outcome = { type: "accepted", upstreamId: `v-${taskId}` } as const;
      if (!slow.has(taskId)) return outcome;
      return new Promise((resolve) => waiting.push(() => resolve(outcome)));
    };
    const front = await rig.startEngine({ works: false });
    for (let count = 0; count < 100; count += 1) slow.add((await front.submit(videoRequest(many))).id);
    await rig.startEngine();
    await eventually(() => waiting.length >= 64);
    const { id } = await front.submit(videoRequest(one));
    waiting.shift()?.();
    await eventually(() => vendor.submits(id) === 1);
    while (vendor.asked.filter(({ kind }) => kind === "submit").length <= 100) {
      for (const response of waiting.splice(0)) response();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    for (const response of waiting) response();
  });
});

describe("tasks of a vendor that has batches", () => {
  const SUCCESS = { type: "succeeded", result: { outputs: [{ url: "http://v.test/1" }] } } as const;
  const RUNNING: PollOutcome = { type: "running" };
  /** Batches that were asked for, each with the ids in it. */
  let batches: string[][];
  beforeEach(() => {
    batches = [];
  });

  /** Two tasks that the vendor has and that are due together again and again; it answers batches of them so. */
  async function runTwo(
    read: (ids: readonly string[]) => ReadonlyMap<string, PollOutcome> | undefined,
  ): Promise<{ readonly ids: readonly string[]; readonly until: (id: string) => Promise<Task> }> {
    vendor.onPoll = () => RUNNING;
    const ask = askVendors([vendor, other]);
    const batch: TaskApi["batch"] = {
      max: 20,
      request: (upstreamIds) => ({ method: "POST", path: "/batch", json: upstreamIds }),
      read: ({ body }) => read(JSON.parse(Buffer.from(body).toString()) as string[]),
    };
    const caller = await rig.account(10n * DOLLAR);
    const engine = await rig.startEngine({
      apiOf: () => ({ ...fakeApi(), batch }),
      random: () => 0.5,
      async ask(asked) {
        const { path, json } = asked.request;
        if (path !== "/batch") return ask(asked);
        batches.push(json as string[]);
        return {
          type: "answered",
          response: { status: 200, headers: {}, body: Buffer.from(JSON.stringify(json)) },
        };
      },
    });
    const [one, two] = await Promise.all([1, 2].map(() => engine.submit(videoRequest(caller))));
    const ids = [one?.id ?? "", two?.id ?? ""];
    await eventually(() => ids.every((id) => vendor.submits(id) === 1));
    await eventually(async () => {
      await rig.database.execute("update tasks set due_at = now(), fence = fence + 1");
      return batches.length > 0;
    });
    return { ids, until: (id) => untilOver(engine, caller, id) };
  }

  it("are asked for alone where a batch leaves them out", async () => {
    let leftOut = "";
    const { ids, until } = await runTwo((asked) => {
      leftOut ||= asked[1] ?? "";
      return new Map(asked.filter((id) => id !== leftOut).map((id) => [id, RUNNING]));
    });
    vendor.onPoll = () => SUCCESS;
    const left = ids.find((id) => leftOut.endsWith(id)) ?? "";
    expect(await until(left)).toMatchObject({ state: "SUCCESS" });
  });

  it("are asked for alone, and in no batch for a while, where it answers batches with nothing", async () => {
    const { ids, until } = await runTwo(() => new Map());
    await eventually(() => vendor.asked.filter(({ kind }) => kind === "poll").length >= 6);
    vendor.onPoll = () => SUCCESS;
    for (const id of ids) expect(await until(id)).toMatchObject({ state: "SUCCESS" });
    expect(batches).toHaveLength(1);
  });

  it("are not asked for alone where it says that it has too much to do", async () => {
    let ready = false;
    const { ids, until } = await runTwo((asked) =>
      ready ? new Map(asked.map((id) => [id, SUCCESS])) : undefined,
    );
    const before = vendor.asked.length;
    await eventually(() => batches.length >= 3);
    ready = true;
    for (const id of ids) expect(await until(id)).toMatchObject({ state: "SUCCESS" });
    expect(vendor.asked).toHaveLength(before);
  });
});

describe("tasks whose upstream was removed", () => {
  it("all end at their deadline, not one of them in each claim", async () => {
    vendor.onPoll = () => ({ type: "running" });
    const caller = await rig.account(10n * DOLLAR);
    const engine = await rig.startEngine();
    const tasks = await Promise.all([1, 2, 3].map(() => engine.submit(videoRequest(caller))));
    await eventually(() => tasks.every(({ id }) => vendor.asked.some((each) => each.taskId === `v-${id}`)));
    rig.catalog.removed.add(1n);
    await rig.database.execute(
      "update tasks set deadline_at = now() + interval '1 s', due_at = now() + interval '1 s', fence = fence + 1",
    );
    const sinceMs = performance.now();
    for (const { id } of tasks)
      expect(await untilOver(engine, caller, id)).toMatchObject({ state: "FAILURE" });
    expect(performance.now() - sinceMs).toBeLessThan(CLAIM_MS);
    await expectCharged(rig, caller, 0n, 10n * DOLLAR);
  });
});

describe("a task at its deadline", () => {
  it("is looked at once more, and has failed if it still runs; a late success changes no money", async () => {
    vendor.onPoll = () => ({ type: "running", progressPercent: 50 });
    const caller = await rig.account(DOLLAR);
    const engine = await rig.startEngine();
    const { id } = await engine.submit(videoRequest(caller));
    await eventually(() => vendor.asked.some(({ kind }) => kind === "poll"));
    await shortenDeadline(rig, id, 1_500);
    const task = await untilOver(engine, caller, id);
    expect(task).toMatchObject({ state: "FAILURE", failReason: "The task did not finish in time." });
    await expectCharged(rig, caller, 0n);

    vendor.onPoll = () => ({ type: "succeeded", result: { outputs: [{ url: "http://v.test/late" }] } });
    await rig.database.execute("update tasks set due_at = now()");
    await eventually(async () => {
      const row = await rig.database.one<{ late: string | null }>("select late_result as late from tasks");
      return row.late?.includes("http://v.test/late") ?? false;
    });
    expect(await engine.find(caller.accountId, "video", id)).toMatchObject({
      state: "FAILURE",
      result: null,
    });
    await expectCharged(rig, caller, 0n);
  });
});

describe("a vendor whose answers are above what the gateway accepts", () => {
  const refused = { kind: "protocol", phase: "body", message: "vendor1 returned more than 4 MB." } as const;

  it.each(["poll", "submit"])(
    "leaves a task that ends with its refund, and an alarm that says why: %s",
    async (kind) => {
      const lines: { readonly alarm?: boolean; readonly reason?: string }[] = [];
      const log = createLog({
        level: "info",
        destination: { write: (line) => void lines.push(JSON.parse(line)) },
      });
      const ask = (about: UpstreamAsk): Promise<AskOutcome> =>
        about.request.path.startsWith(`/${kind}`)
          ? Promise.resolve({ type: "failed", failure: refused })
          : askVendors([vendor])(about);
      rig.catalog.serving.pop();
      const caller = await rig.account(DOLLAR);
      const engine = await rig.startEngine({ ask, log });
      const { id } = await engine.submit(videoRequest(caller));
      await eventually(() => lines.some(({ alarm, reason }) => alarm === true && reason === refused.message));
      if (kind === "poll") await shortenDeadline(rig, id, 1_000);
      expect(await untilOver(engine, caller, id)).toMatchObject({ state: "FAILURE" });
      await expectCharged(rig, caller, 0n);
      await expectCleanBooks(rig);
    },
  );
});

describe("a vendor that gives an unusable answer to every poll", () => {
  const failing = (): AskOutcome => ({
    type: "failed",
    failure: { kind: "protocol", phase: "body", message: "no HTTP" },
  });
  const answering = (text: string) => (): AskOutcome => ({
    type: "answered",
    response: { status: 200, headers: {}, body: Buffer.from(text) },
  });

  it.each([
    ["about another task", answering('{"type":"running","otherTask":"v-2"}')],
    ["that can't be read", answering("{")],
    ["that is no HTTP", failing],
  ])("raises one alarm for a task, and is counted each time: %s", async (_, outcome) => {
    const lines: { readonly alarm?: boolean; readonly task?: string }[] = [];
    const log = createLog({
      level: "info",
      destination: { write: (line) => void lines.push(JSON.parse(line)) },
    });
    const ask = async (about: UpstreamAsk): Promise<AskOutcome> =>
      about.request.path.startsWith("/poll") ? outcome() : askVendors([vendor])(about);
    rig.catalog.serving.pop();
    const caller = await rig.account(DOLLAR);
    const engine = await rig.startEngine({ ask, log });
    const { id } = await engine.submit(videoRequest(caller));
    await eventually(() => (engine.unusablePolls().get("vendor 1") ?? 0) >= 3);
    expect(lines.filter(({ alarm }) => alarm === true).map(({ task }) => task)).toEqual([id]);
  });
});

describe("tasks past retention", () => {
  it("are dropped, open ones and young ones never, and the books stay right", async () => {
    const caller = await rig.account(10n * DOLLAR);
    const engine = await rig.startEngine();
    const [old, young] = await Promise.all([1, 2].map(() => engine.submit(videoRequest(caller))));
    for (const task of [old, young]) await untilOver(engine, caller, task?.id ?? "");
    await engine.stop(1_000);
    const gateway = await rig.startEngine({ works: false });
    const open = await gateway.submit(videoRequest(caller));
    await rig.database.execute("update tasks set finished_at = now() - interval '31 days' where id = $1", [
      old?.id,
    ]);
    const store = createTasksStore(rig.database, rig.largeJson);
    // Old by the database's clock alone: it may be the one that is wrong.
    expect(await store.dropOld(30, Date.now() - 2 * 86_400_000, 10)).toBe(0);
    expect(await store.dropOld(30, Date.now(), 10)).toBe(1);
    const left = await rig.database.query<{ id: string }>("select id from tasks");
    expect(left.map(({ id }) => id).sort()).toEqual([young?.id, open.id].sort());
    expect(await store.countOpen()).toEqual(new Map([["NOT_START", 1]]));
    await expectCleanBooks(rig);
  });
});

describe("tasks that the database's clock left behind by going back", () => {
  it("are due at once, but those that wait for a late success", async () => {
    const account = await storeAccount(rig.database, "own");
    const [soon, later] = await rig.database.query<{ at: Date }>(
      "select now() + m * interval '1 minute' as at from unnest(array[8, 180]) as m",
    );
    const placed = { upstream_id: 1n, credential_id: 1n, upstream_name: "vendor", upstream_model: "m" };
    const sent = { ...placed, intended_at: soon?.at, due_at: later?.at };
    const task = (id: string, given: object) => storeTask(rig.database, { id, account, ...given });
    await task("waiting", { due_at: later?.at });
    await task("waiting soon", { due_at: soon?.at });
    await task("submitted", { ...sent, upstream_task: "u1" });
    await task("made", { ...sent, immediate_result: "{}" });
    await task("unclear", sent);
    const failed = { state: "FAILURE", finished_at: soon?.at, charge_nanos: 0n };
    await task("late", { ...sent, upstream_task: "u2", ...failed });
    const store = createTasksStore(rig.database, rig.largeJson);
    expect(await store.clampDueTimes()).toBe(4);
    const due = await rig.database.query<{ id: string }>(
      "select id from tasks where due_at <= now() order by id",
    );
    expect(due.map(({ id }) => id)).toEqual(["made", "submitted", "unclear", "waiting"]);
    expect(await store.clampDueTimes()).toBe(0);
  });

  it("are not kept from upstreams that were cooling", async () => {
    const store = createTasksStore(rig.database, rig.largeJson);
    const place = { upstreamId: 1n, upstreamName: "vendor", credentialId: 1n, model: "m" };
    await store.cool(place, 60_000);
    expect(await store.coolings()).toHaveLength(1);
    await rig.database.execute("update task_coolings set until = until + interval '3 hours'");
    expect(await store.coolings()).toEqual([]);
  });
});

describe("several processes", () => {
  it("make each task once, and refund each failure once", async () => {
    vendor.onPoll = (id) =>
      id.charCodeAt(id.length - 1) % 2 === 0
        ? { type: "failed", reason: "no" }
        : { type: "succeeded", result: { outputs: [{ url: "http://v.test/1" }] } };
    const caller = await rig.account(100n * DOLLAR);
    const engines = await Promise.all([rig.startEngine(), rig.startEngine(), rig.startEngine()]);
    const tasks = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        (engines[index % 3] as TaskEngine).submit(videoRequest(caller)),
      ),
    );
    const ended = await Promise.all(tasks.map(({ id }) => untilOver(engines[0], caller, id)));
    const made = ended.filter((task) => task?.state === "SUCCESS").length;
    expect(ended.every((task) => task?.state === "SUCCESS" || task?.state === "FAILURE")).toBe(true);
    for (const { id } of tasks) expect(vendor.submits(id)).toBe(1);
    await expectCharged(rig, caller, BigInt(made) * PRICE, 100n * DOLLAR);
  });

  it("take over from one that stands still, whose late answers are kept and whose other words count for nothing", async () => {
    let response: (() => void) | undefined;
    const ask = askVendors([vendor, other]);
    const standing = await rig.startEngine({
      ask: async (asked) => {
        const outcome = await ask(asked);
        if (asked.request.method === "POST") {
          await new Promise<void>((resolve) => {
            response = resolve;
          });
        }
        return outcome;
      },
    });
    const caller = await rig.account(DOLLAR);
    const { id } = await standing.submit(videoRequest(caller));
    await eventually(() => response !== undefined);
    // Its claim is over, and another process takes the task.
    await rig.database.execute("update tasks set due_at = now()");
    const second = await rig.startEngine();
    await eventually(async () => {
      const { fence } = await rig.database.one<{ fence: bigint }>("select fence from tasks");
      return fence >= 3n;
    });
    expect(vendor.submits(id)).toBe(1);
    response?.();
    expect(await untilOver(second, caller, id)).toMatchObject({ state: "SUCCESS" });
    expect(vendor.submits(id)).toBe(1);
    await expectCharged(rig, caller, PRICE);
  });
});
