import type { Assets } from "../assets/assets.ts";
import { allEnded, runAllInOrder } from "../base/async/lifecycle.ts";
import { runRepeatedly, type Timers } from "../base/async/timers.ts";
import type { Clock } from "../base/clock.ts";
import type { LargeJson } from "../base/json/large-json.ts";
import type { TaskBilling } from "../billing/task-billing.ts";
import type { Catalog, Upstream } from "../catalog/catalog.ts";
import type { Limits } from "../limits/limits.ts";
import type { Log } from "../observe/log.ts";
import { fromZero } from "../observe/metrics.ts";
import type { PlaceHealth } from "../routing/routing.ts";
import type { Database } from "../storage/database.ts";
import type { Transport } from "../upstreams/call.ts";
import { scrubberOf } from "../upstreams/scrub/scrubber.ts";
import { inlineImages, type ReadFile } from "../upstreams/task-apis/inline-images.ts";
import type { TaskApi } from "../upstreams/task-apis/task-api.ts";
import type { Acceptance, FoundTask, TaskStore } from "./store/task-store.ts";
import { createTasksStore } from "./store/tasks-store.ts";
import { createSubmitter } from "./submit.ts";
import { isFinal, TASK_STATES, type Task, type Tasks } from "./tasks.ts";
import { createFinisher, type KeepFiles, type ReadDuration } from "./work/finish.ts";
import {
  BATCHLESS_MS,
  createNamedCounter,
  createRecentFailures,
  REFUSED_MS,
} from "./work/recent-failures.ts";
import type { WorkDeps } from "./work/work-deps.ts";
import { createWorker, type Worker } from "./work/worker.ts";

export interface TaskEngineOptions {
  readonly database: Database;
  readonly catalog: { current(): Catalog };
  readonly limits: Limits;
  readonly billing: TaskBilling<Acceptance>;
  readonly ask: Transport["ask"];
  readonly apiOf: (upstream: Upstream) => TaskApi | undefined;
  readonly assets: Pick<Assets, "resolve">;
  readonly health: PlaceHealth;
  readonly probe: ReadDuration;
  readonly largeJson: LargeJson;
  /** Copies results; absent = results stay with the vendor. */
  readonly keepFiles?: KeepFiles;
  /** Fetches reference images for vendors that require files; absent = such vendors get inline images only. */
  readonly readFile?: ReadFile;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: () => number;
  readonly log: Log;
  /** True if this process works on tasks; otherwise it only accepts and shows them. */
  readonly works: boolean;
}

export interface TaskEngine extends Tasks {
  /** Returns the account's task of either medium. */
  read(accountId: bigint, id: string): Promise<FoundTask | undefined>;
  /** Number of tasks that this process has claimed. */
  inFlight(): number;
  /** Open tasks of all processes by state, a few seconds old; only in a process that works on tasks. */
  openByState(): ReadonlyMap<string, number>;
  /** Number of tasks by upstream that this process failed because their submit has no known outcome. */
  unknownFates(): ReadonlyMap<string, number>;
  /** Number of unusable poll responses by upstream in this process. */
  unusablePolls(): ReadonlyMap<string, number>;
  /** Claims no more tasks. Claimed ones are finished within `graceMs` or left to other processes. */
  stop(graceMs: number): Promise<void>;
}

/** The task engine of one process; any number of them share one database. */
export async function createTaskEngine(options: TaskEngineOptions): Promise<TaskEngine> {
  const { database, timers, largeJson } = options;
  const store = createTasksStore(database, largeJson);
  const finder = createFinder(store, timers);
  const submitter = createSubmitter({ store, ...options });
  let stopped = false;
  const unknownFates = createNamedCounter();
  const unusablePolls = createNamedCounter();
  const worker: Worker | undefined = options.works
    ? createWorker(workDeps(store, options, { stopped: () => stopped, unknownFates, unusablePolls }))
    : undefined;
  const maintenance = options.works
    ? createMaintenance({
        store,
        ...options,
        retentionDays: () => options.catalog.current().settings.taskRetentionDays,
      })
    : undefined;
  const unlisten = await database.listen({
    channel: "tasks",
    onMessage: (payload) => {
      if (payload === "due") worker?.wake();
      else if (payload.startsWith("done ")) finder.ended(payload.slice("done ".length));
    },
  });
  return {
    submit: submitter.submit,
    preview: submitter.preview,
    find: finder.find,
    read: (accountId, id) => store.find(accountId, id),
    inFlight: () => worker?.inFlight() ?? 0,
    openByState: () => maintenance?.openByState() ?? new Map(),
    unknownFates: unknownFates.counts,
    unusablePolls: unusablePolls.counts,
    async stop(graceMs) {
      await runAllInOrder(
        () => allEnded([worker?.stop(graceMs), maintenance?.stop()]),
        () => {
          stopped = true;
        },
        unlisten,
      );
    },
  };
}

function workDeps(
  store: TaskStore,
  options: TaskEngineOptions,
  shared: Pick<WorkDeps, "stopped" | "unknownFates" | "unusablePolls">,
): WorkDeps {
  const { catalog, apiOf, ask, clock, timers, random, log, probe, assets, keepFiles, largeJson } = options;
  const { health } = options;
  return {
    health,
    store,
    ask,
    apiOf,
    clock,
    timers,
    random,
    log,
    largeJson,
    ...shared,
    resultless: createNamedCounter(),
    pollAlarms: createNamedCounter(),
    finisher: createFinisher(store, probe, random, keepFiles, log),
    faults: createRecentFailures(clock, REFUSED_MS),
    batchless: createRecentFailures(clock, BATCHLESS_MS),
    serving: ({ model, group, medium }) => catalog.current().serving(model, group, `${medium}s`),
    at(place) {
      const found = catalog.current().placed(place.upstreamId, place.credentialId);
      const api = found && apiOf(found.upstream);
      return found && api && { ...found, api, model: place.model, place };
    },
    inline: (order, withinMs) => inlineImages(order, options.readFile ?? readNothing, { withinMs, clock }),
    resolveAssets: (claim, order) => assets.resolve(claim, order),
    scrub: (text) => scrubberOf(catalog.current()).text(text),
  };
}

function readNothing(): Promise<never> {
  return Promise.reject(new Error("this gateway doesn't fetch URLs. Send it as a data URL."));
}

interface Finder {
  find(accountId: bigint, medium: "image" | "video", id: string, waitMs?: number): Promise<Task | undefined>;
  /** Reports that some process ended the task. */
  ended(id: string): void;
}

/** A notification may be lost, so waiting readers read the task again at this interval. */
const POLL_RETRY_DELAY_MS = 2_000;

/** Reads tasks, at once or when they have ended. */
function createFinder(store: TaskStore, timers: Timers): Finder {
  const waiting = new Map<string, Set<() => void>>();

  /** Resolves when the end of the task is reported, or after this time. */
  const pause = (id: string, ms: number): Promise<void> =>
    new Promise((resolve) => {
      const wakers = waiting.get(id) ?? new Set();
      waiting.set(id, wakers);
      const wake = (): void => {
        cancel();
        wakers.delete(wake);
        if (wakers.size === 0) waiting.delete(id);
        resolve();
      };
      const cancel = timers.after(ms, wake);
      wakers.add(wake);
    });

  return {
    async find(accountId, medium, id, waitMs = 0) {
      for (let leftMs = waitMs; ; leftMs -= POLL_RETRY_DELAY_MS) {
        const found = await store.find(accountId, id);
        if (found === undefined || found.medium !== medium) return undefined;
        if (isFinal(found.task.state) || leftMs <= 0) return found.task;
        await pause(id, Math.min(leftMs, POLL_RETRY_DELAY_MS));
      }
    },
    ended(id) {
      for (const wake of [...(waiting.get(id) ?? [])]) wake();
    },
  };
}

interface Maintenance {
  /** Open tasks by state, a few seconds old. */
  openByState(): ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

interface MaintenanceOptions {
  readonly store: TaskStore;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** How long ended tasks are kept. It is a setting, so it is read at every run. */
  readonly retentionDays: () => number;
}

const COUNT_INTERVAL_MS = 10_000;
const RETENTION_INTERVAL_MS = 3_600_000;
/** The statements are short, because workers need the rows that they lock. */
const MAX_DROPPED_AT_ONCE = 500;

/** States without tasks are reported as 0: an alert on an increase needs a sample from before the first task. */
const OPEN_STATES = TASK_STATES.filter((state) => !isFinal(state));

/** Counts open tasks for the metrics, and deletes those past retention. */
function createMaintenance({ store, clock, timers, log, retentionDays }: MaintenanceOptions): Maintenance {
  let open: ReadonlyMap<string, number> = new Map();
  const count = async (): Promise<void> => {
    open = fromZero<string>(OPEN_STATES, await store.countOpen());
  };
  const drop = async (): Promise<void> => {
    let dropped = MAX_DROPPED_AT_ONCE;
    while (dropped === MAX_DROPPED_AT_ONCE)
      dropped = await store.dropOld(retentionDays(), clock.nowMs(), MAX_DROPPED_AT_ONCE);
  };
  const counting = runRepeatedly(timers, COUNT_INTERVAL_MS, count, (err) => {
    log.warn({ err }, "count of open tasks failed; retrying");
  });
  const dropping = runRepeatedly(timers, RETENTION_INTERVAL_MS, drop, (err) => {
    log.warn({ err }, "deletion of expired tasks failed; retrying");
  });
  return {
    openByState: () => open,
    async stop() {
      await Promise.all([counting.stop(), dropping.stop()]);
    },
  };
}
