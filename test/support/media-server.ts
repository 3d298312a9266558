import type { AccountId, Caller, KeyId } from "../../src/accounts/caller.ts";
import { systemTimers } from "../../src/base/async/timers.ts";
import { systemClock } from "../../src/base/clock.ts";
import { createLargeJson } from "../../src/base/json/large-json.ts";
import { buildCatalog } from "../../src/catalog/build-catalog.ts";
import type { Model } from "../../src/catalog/catalog.ts";
import { decodeSettings } from "../../src/catalog/settings.ts";
import type { GatewayError } from "../../src/errors.ts";
import { FAMILY_NAMES } from "../../src/families/family.ts";
import { BodyMemory } from "../../src/http/body/body-memory.ts";
import type { HttpDeps } from "../../src/http/deps.ts";
import { createHttpServer } from "../../src/http/server.ts";
import { silentLog } from "../../src/observe/log.ts";
import type { Task, TaskRequest, Tasks } from "../../src/tasks/tasks.ts";

/** The time of every submit. */
export const NOW = 1_800_000_000;

/** Tasks in memory: accepts everything, finishes when told. */
export type MemoryTasks = ReturnType<typeof createMemoryTasks>;

function createMemoryTasks() {
  const tasks = new Map<string, { task: Task; accountId: bigint; medium: string }>();
  const submitted: TaskRequest[] = [];
  const waits: (number | undefined)[] = [];
  let refusal: GatewayError | undefined;
  const api: Tasks = {
    async submit(request) {
      if (refusal) throw refusal;
      submitted.push(request);
      const { order, action } = request.submission;
      const task: Task = {
        id: `task-${submitted.length}`,
        requestId: request.requestId,
        model: request.model.id,
        action,
        family: order.family,
        state: "NOT_START",
        progressPercent: 0,
        failReason: "",
        submitTime: NOW,
        startTime: 0,
        finishTime: 0,
        result: null,
      };
      tasks.set(task.id, { task, accountId: request.caller.accountId, medium: order.medium });
      return task;
    },
    preview: () => 1_500_000_000n,
    async find(accountId, medium, id, waitMs) {
      waits.push(waitMs);
      const found = tasks.get(id);
      return found?.accountId === accountId && found.medium === medium ? found.task : undefined;
    },
  };
  return {
    api,
    submitted,
    waits,
    refuse(error: GatewayError) {
      refusal = error;
    },
    move(id: string, changes: Partial<Task>) {
      const known = tasks.get(id);
      if (known === undefined) throw new Error(`no task ${id}`);
      tasks.set(id, { ...known, task: { ...known.task, ...changes } });
    },
  };
}

const model = (id: string, family: string | null): Model => ({
  id,
  family,
  variant: null,
  ownedBy: "faregate",
  created: 0,
  groups: null,
  contextTokens: null,
  maxOutputTokens: null,
  quirks: {},
  price: { id: 1n, rates: {}, media: {} },
  endpoints: family === null ? ["chat-completions"] : [family === "imagegen" ? "images" : "videos"],
});

export const MODELS = [
  model("text", null),
  model("imagegen-2", "imagegen"),
  model("videoa-2.0", "videoa"),
  model("videoa-2.5", "videoa"),
  model("videob-3.0-video", "videob"),
  model("videoc-H3-Comfy", "videoc"),
];

const catalog = buildCatalog(
  {
    version: 1n,
    groups: [{ name: "default", factorPpm: 1_000_000n }],
    models: MODELS,
    settings: decodeSettings({}),
    accounts: new Map(),
    upstreams: [
      {
        id: 1n,
        name: "all",
        kind: "all",
        baseUrl: "http://127.0.0.1:1",
        protocols: null,
        groups: null,
        priority: 0,
        weight: 1,
        maxConcurrency: 1,
        timeouts: {},
        probe: false,
        preset: null,
        signer: null,
        unaskedTiers: [],
        region: null,
        cost: null,
        enabled: true,
        credentials: [],
        models: new Map(MODELS.map(({ id }) => [id, id])),
        sharedIds: [],
      },
    ],
  },
  () => ({ protocols: ["chat-completions"], families: FAMILY_NAMES, needsKey: false }),
);

const callerOf = (accountId: bigint): Caller => ({
  accountId: accountId as AccountId,
  accountName: "acme",
  group: "default",
  keyId: accountId as KeyId,
  keyName: "main",
  models: null,
  spendingLimit: null,
  budgets: [],
  tagKeys: [],
  rateLimits: null,
  allowedAddresses: null,
});

export interface MediaServer {
  readonly tasks: MemoryTasks;
  /** Aborted as when the gateway stops. */
  readonly stopping: AbortController;
  /** POSTs where there is a body, else GETs; as the first of two accounts (`sk-one`, `sk-two`). */
  ask(
    path: string,
    body?: object | string,
    headers?: Readonly<Record<string, string>>,
    // biome-ignore lint/suspicious/noExplicitAny: tests reach deep into wire forms
  ): Promise<{ status: number; headers: Headers; json: any }>;
  close(): Promise<void>;
}

/** The real server on tasks in memory: what the routes make of requests, without an engine and a database. */
export async function startMediaServer(): Promise<MediaServer> {
  const tasks = createMemoryTasks();
  const stopping = new AbortController();
  const largeJson = createLargeJson();
  const callers: Record<string, Caller> = { "sk-one": callerOf(1n), "sk-two": callerOf(2n) };
  const http = createHttpServer({
    stopping: stopping.signal,
    clock: systemClock,
    errorType: "gateway_error",
    version: "0",
    log: silentLog,
    entrance: { admit: () => undefined },
    bodies: new BodyMemory({ limitBytes: () => 256 * 1024 * 1024, clock: systemClock, timers: systemTimers }),
    authenticator: { authenticate: (key: string) => callers[key], endOf: () => undefined },
    catalog: { current: () => catalog },
    tasks: tasks.api,
    largeJson,
    console: { operations: [] },
  } as unknown as HttpDeps);
  const base = `http://127.0.0.1:${await http.listen("127.0.0.1", 0)}`;
  return {
    tasks,
    stopping,
    async ask(path, body, headers = {}) {
      const response = await fetch(`${base}${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: { authorization: "Bearer sk-one", ...headers },
        ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      return { status: response.status, headers: response.headers, json: await response.json() };
    },
    async close() {
      http.cut();
      await http.close();
      await largeJson.close();
    },
  };
}
