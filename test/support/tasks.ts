import { expect } from "vitest";
import type { Caller } from "../../src/accounts/caller.ts";
import { systemTimers } from "../../src/base/async/timers.ts";
import { systemClock } from "../../src/base/clock.ts";
import { createLargeJson, type LargeJson } from "../../src/base/json/large-json.ts";
import { openTaskBilling } from "../../src/billing/task-billing.ts";
import type { Catalog, Model, Upstream } from "../../src/catalog/catalog.ts";
import { DEFAULT_WAIT_LIMITS, decodeSettings } from "../../src/catalog/settings.ts";
import type { Submission, VideoOrder } from "../../src/families/family.ts";
import { createLog, silentLog } from "../../src/observe/log.ts";
import { createRouting } from "../../src/routing/routing.ts";
import { createTaskEngine, type TaskEngine, type TaskEngineOptions } from "../../src/tasks/engine.ts";
import { isFinal, type Task, type TaskRequest } from "../../src/tasks/tasks.ts";
import type { AskOutcome, UpstreamAsk } from "../../src/upstreams/call.ts";
import type {
  FindOutcome,
  PollOutcome,
  SubmitOutcome,
  TaskApi,
  TaskApiResponse,
} from "../../src/upstreams/task-apis/task-api.ts";
import { bareUpstream } from "./bare-upstream.ts";
import { type BillingRig, createBillingRig } from "./billing.ts";
import { waitFor } from "./wait.ts";

/** A second of 720p, and of 1080p. */
export const SECOND_NANOS = { "720p": 100_000_000n, "1080p": 250_000_000n } as const;

export const MODEL: Model = {
  id: "videoa-2.5",
  family: "videoa",
  variant: "2.5",
  ownedBy: "test",
  created: 1,
  endpoints: ["videos"],
  groups: null,
  contextTokens: null,
  maxOutputTokens: null,
  quirks: {},
  price: { id: 7n, rates: {}, media: { perSecond: SECOND_NANOS } },
};

/** A vendor in memory, driven by functions that a test may replace; `asked` is its journal. */
export interface FakeVendor {
  readonly asked: { readonly kind: "submit" | "find" | "poll"; readonly taskId: string }[];
  /** The number of submits of this task. */
  submits(taskId: string): number;
  onSubmit: (taskId: string) => SubmitOutcome | "lost" | "unreachable" | Promise<SubmitOutcome | "lost">;
  onFind: (taskId: string) => FindOutcome | "lost";
  onPoll: (upstreamTask: string) => PollOutcome;
  readonly upstream: Upstream;
}

export function fakeVendor(id = 1n, given: Partial<Upstream> = {}): FakeVendor {
  const asked: FakeVendor["asked"] = [];
  return {
    asked,
    submits: (taskId) => asked.filter((each) => each.kind === "submit" && each.taskId === taskId).length,
    onSubmit: (taskId) => ({ type: "accepted", upstreamId: `v-${taskId}` }),
    onFind: () => ({ type: "unknown" }),
    onPoll: () => ({ type: "succeeded", result: { outputs: [{ url: "http://vendor.test/v.mp4" }] } }),
    upstream: bareUpstream({
      id,
      name: `vendor ${id}`,
      kind: "sandbox",
      baseUrl: "http://vendor.test",
      models: new Map([[MODEL.id, "theirs"]]),
      credentials: [{ id: id * 10n, name: "1", secret: "s" }],
      ...given,
    }),
  };
}

/** The vendor's API: requests and answers carry what the functions above say. */
export function fakeApi(idempotent = false): TaskApi {
  const read = <T>(response: TaskApiResponse): T => JSON.parse(new TextDecoder().decode(response.body)) as T;
  return {
    name: "fake",
    idempotent,
    submit: (_order, { taskId }) => ({ method: "POST", path: `/submit/${taskId}` }),
    readSubmit: (response) => read<SubmitOutcome>(response),
    poll: (upstreamId) => ({ method: "GET", path: `/poll/${upstreamId}` }),
    readPoll: (response) => read<PollOutcome>(response),
  };
}

/** A list in which a task of ours can be found; put into an API with `{ ...fakeApi(), find: fakeFind }`. */
export const fakeFind: NonNullable<TaskApi["find"]> = (_order, { taskId }) => ({
  request: { method: "GET", path: `/find/${taskId}` },
  read: ({ body }) => JSON.parse(new TextDecoder().decode(body)) as FindOutcome,
});

/** Asks these vendors. */
export function askVendors(vendors: readonly FakeVendor[]): (ask: UpstreamAsk) => Promise<AskOutcome> {
  return async ({ upstream, request }) => {
    const vendor = vendors.find((each) => each.upstream.id === upstream.id);
    if (vendor === undefined) throw new Error(`nobody plays ${upstream.name}`);
    const [, kind, taskId = ""] = request.path.split("/");
    vendor.asked.push({ kind: kind === "submit" || kind === "find" ? kind : "poll", taskId });
    const responses = { submit: vendor.onSubmit, find: vendor.onFind, poll: vendor.onPoll };
    const outcome = await responses[kind as keyof typeof responses](taskId);
    if (outcome === "lost" || outcome === "unreachable") {
      const phase = outcome === "lost" ? "first-byte" : "connect";
      return { type: "failed", failure: { kind: "closed", phase, message: outcome } };
    }
    return {
      type: "answered",
      response: { status: 200, headers: {}, body: new TextEncoder().encode(JSON.stringify(outcome)) },
    };
  };
}

export interface TaskRig extends BillingRig {
  readonly largeJson: LargeJson;
  readonly catalog: { settings: Catalog["settings"]; serving: FakeVendor[]; removed: Set<bigint> };
  startEngine(options?: Partial<TaskEngineOptions> & { idempotent?: boolean }): Promise<TaskEngine>;
}

/** Engines over fake vendors on a database of their own. */
export async function createTaskRig(vendors: FakeVendor[]): Promise<TaskRig> {
  const rig = await createBillingRig();
  const engines = new Set<TaskEngine>();
  const largeJson = createLargeJson();
  const state: TaskRig["catalog"] = {
    settings: decodeSettings({}),
    serving: [...vendors],
    removed: new Set(),
  };
  const current = (): Catalog => catalogOf(state, vendors);
  return {
    ...rig,
    largeJson,
    catalog: state,
    async startEngine({ idempotent = false, ...options } = {}) {
      const api = fakeApi(idempotent);
      const engine = await createTaskEngine({
        database: rig.database,
        catalog: { current },
        apiOf: () => api,
        ask: askVendors(vendors),
        largeJson,
        billing: openTaskBilling(rig.database, {
          ...{ clock: systemClock, timers: systemTimers, waitLimits: () => DEFAULT_WAIT_LIMITS },
        }),
        limits: {
          admit: () => undefined,
          admitCount: () => Promise.resolve({}),
          close: () => Promise.resolve(),
        },
        assets: { resolve: () => Promise.resolve({ type: "free" }) },
        health: createRouting({ clock: systemClock, log: silentLog, inFlight: () => 0 }).places,
        probe: () => Promise.resolve(undefined),
        clock: systemClock,
        timers: systemTimers,
        random: Math.random,
        log: process.env["DBG"] ? createLog({ level: "debug" }) : silentLog,
        works: true,
        ...options,
      });
      engines.add(engine);
      return engine;
    },
    async close() {
      await Promise.all([...engines].map((engine) => engine.stop(1_000)));
      await largeJson.close();
      await rig.close();
    },
  };
}

/** A catalog of these upstreams for runs without a database; tasks have an hour. */
export function simulatedCatalog(upstreams: readonly Upstream[]): Catalog {
  const settings = decodeSettings({ task_deadline_minutes: { image: 60, video: 60 } });
  const vendors = upstreams.map((upstream) => ({ ...fakeVendor(upstream.id), upstream }));
  return catalogOf({ settings, serving: vendors, removed: new Set() }, vendors);
}

function catalogOf(state: TaskRig["catalog"], vendors: readonly FakeVendor[]): Catalog {
  return {
    version: 1n,
    models: new Map([[MODEL.id, MODEL]]),
    upstreams: vendors.map(({ upstream }) => upstream),
    allUpstreams: vendors.map(({ upstream }) => upstream),
    bodyFields: [],
    groups: new Map([["default", { name: "default", factorPpm: 1_000_000n }]]),
    settings: state.settings,
    serving: () => state.serving.map(({ upstream }) => upstream),
    endpointsOf: () => ["videos"],
    callable: () => MODEL,
    listed: () => [MODEL],
    refusesForeignIds: () => false,
    placed(upstreamId, credentialId) {
      const upstream = vendors.find(({ upstream: { id } }) => id === upstreamId)?.upstream;
      const credential = upstream?.credentials.find(({ id }) => id === credentialId);
      return upstream && credential && !state.removed.has(upstreamId) ? { upstream, credential } : undefined;
    },
  };
}

const ORDER: VideoOrder = {
  medium: "video",
  family: "videoa",
  prompt: "the sea \u0000 \ud800",
  durationSeconds: 5,
  resolution: "720p",
  ratio: "16:9",
  audio: true,
  seed: null,
  watermark: null,
  references: [],
  returnLastFrame: false,
  tools: [],
  promptExtend: null,
  fileUrl: null,
  linkUrl: null,
};

let requests = 0;

/** A request for a video of five seconds in 720p, unless said otherwise. */
export function videoRequest(
  caller: Caller,
  given: Partial<TaskRequest> & { readonly order?: Partial<VideoOrder>; readonly violation?: string } = {},
): TaskRequest {
  requests += 1;
  const { order, violation, ...rest } = given;
  const wanted = { ...ORDER, ...order };
  const seconds = wanted.durationSeconds === -1 ? 30 : wanted.durationSeconds;
  const submission: Submission = {
    order: wanted,
    units: { videoSeconds: { [wanted.resolution]: seconds } },
    action: "textGenerate",
    violation: violation ?? null,
  };
  return { requestId: `video-${process.pid}-${requests}`, caller, model: MODEL, submission, ...rest };
}

/** Lets a task's deadline come near, and its next poll with it. */
export async function shortenDeadline(rig: TaskRig, id: string, ms: number): Promise<void> {
  await rig.database.execute(
    `update tasks set deadline_at = now() + $2 * interval '1 ms', due_at = now() + $2 * interval '1 ms',
            fence = fence + 1 where id = $1`,
    [id, ms],
  );
}

/** Lets a task that has been polled so often come up now and not when it is due. */
export async function comeUpNow(rig: TaskRig, id: string, polls: number): Promise<void> {
  await waitFor(`poll ${polls} of ${id}`, async () => {
    const changed = await rig.database.execute(
      "update tasks set due_at = now(), fence = fence + 1 where id = $1 and polls = $2 and finished_at is null",
      [id, polls],
    );
    return changed > 0;
  });
}

/** The account's video, once it is over; fails only where nothing ends it. */
export async function untilOver(engine: TaskEngine, { accountId }: Caller, id: string): Promise<Task> {
  return waitFor(`the end of ${id}`, async () => {
    const task = await engine.find(accountId, "video", id, 1_000);
    return task !== undefined && isFinal(task.state) && task;
  });
}

/** An account that had so much has paid so much, is held nothing, and the books are right. */
export async function expectCharged(
  rig: TaskRig,
  caller: Caller,
  nanos: bigint,
  had = 1_000_000_000n,
): Promise<void> {
  expect(await rig.balance(caller)).toEqual({ balanceNanos: had - nanos, availableNanos: had - nanos });
  expect(await rig.verify()).toMatchObject({ breaches: [], revenue_nanos: nanos });
}

export async function expectCleanBooks(rig: TaskRig): Promise<void> {
  expect((await rig.verify()).breaches).toEqual([]);
}
