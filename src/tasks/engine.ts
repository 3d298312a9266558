import type { Assets } from "../assets/assets.ts";
import type { Clock } from "../base/clock.ts";
import type { LargeJson } from "../base/large-json.ts";
import { allEnded, inTurnAll } from "../base/lifecycle.ts";
import type { Timers } from "../base/timers.ts";
import type { TaskBilling } from "../billing/task-billing.ts";
import type { Catalog, Upstream } from "../catalog/catalog.ts";
import type { Limits } from "../limits/limits.ts";
import type { Log } from "../observe/log.ts";
import type { PlaceHealth } from "../routing/routing.ts";
import type { Database } from "../storage/database.ts";
import type { Transport } from "../upstreams/call.ts";
import { scrubberOf } from "../upstreams/scrubber.ts";
import { inlineImages, type ReadFile } from "../upstreams/task-apis/inline-images.ts";
import type { TaskApi } from "../upstreams/task-apis/task-api.ts";
import { createFinder } from "./find.ts";
import { createFinisher, type KeepFiles, type ProbeSeconds } from "./finish.ts";
import {
  BATCHLESS_MS,
  createRecentFailures,
  createTally,
  REFUSED_MS,
  type Tally,
} from "./recent-failures.ts";
import { createSubmitter } from "./submit.ts";
import type { Acceptance, FoundTask, TaskStore } from "./task-store.ts";
import type { Tasks } from "./tasks.ts";
import { createTasksStore } from "./tasks-store.ts";
import { createUpkeep } from "./upkeep.ts";
import type { WorkDeps } from "./work-deps.ts";
import { createWorker, type Worker } from "./worker.ts";

export interface TaskEngineOptions {
  readonly database: Database;
  readonly catalog: { current(): Catalog };
  readonly limits: Limits;
  readonly billing: TaskBilling<Acceptance>;
  readonly ask: Transport["ask"];
  readonly apiOf: (upstream: Upstream) => TaskApi | undefined;
  readonly assets: Pick<Assets, "resolve">;
  readonly health: PlaceHealth;
  readonly probe: ProbeSeconds;
  readonly largeJson: LargeJson;
  /** Copies results; absent = they stay where the vendor has them. */
  readonly keepFiles?: KeepFiles;
  /** Fetches reference images for vendors that want files; absent = only what is inline can go there. */
  readonly readFile?: ReadFile;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: () => number;
  readonly log: Log;
  /** Whether this process makes tasks, or only accepts and shows them. */
  readonly works: boolean;
}

export interface TaskEngine extends Tasks {
  /** The account's task of either medium. */
  read(accountId: bigint, id: string): Promise<FoundTask | undefined>;
  /** Tasks that this process has claimed. */
  inFlight(): number;
  /** Tasks of all processes that are not over, by state, as of some seconds ago; where this one makes tasks. */
  openByState(): ReadonlyMap<string, number>;
  /** By upstream, the tasks that this process gave up because nobody knows whether it has them. */
  unknownFates(): ReadonlyMap<string, number>;
  /** Takes no more tasks; what it has claimed is finished within `graceMs` or left to other processes. */
  stop(graceMs: number): Promise<void>;
}

/** The task engine of one process; any number of them share one database. */
export async function createTaskEngine(options: TaskEngineOptions): Promise<TaskEngine> {
  const { database, timers, largeJson } = options;
  const store = createTasksStore(database, largeJson);
  const finder = createFinder(store, timers);
  const submitter = createSubmitter({ store, ...options });
  let stopped = false;
  const unknownFates = createTally();
  const worker: Worker | undefined = options.works
    ? createWorker(workDeps(store, options, { stopped: () => stopped, unknownFates }))
    : undefined;
  const upkeep = options.works
    ? createUpkeep({
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
    openByState: () => upkeep?.openByState() ?? new Map(),
    unknownFates: unknownFates.counts,
    async stop(graceMs) {
      await inTurnAll(
        () => allEnded([worker?.stop(graceMs), upkeep?.stop()]),
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
  shared: Pick<WorkDeps, "stopped"> & { readonly unknownFates: Tally },
): WorkDeps {
  const { catalog, apiOf, ask, clock, timers, random, log, probe, assets, keepFiles, largeJson } = options;
  const { health } = options;
  return {
    ...{ health, store, ask, apiOf, clock, timers, random, log, largeJson, ...shared },
    resultless: createTally(),
    finisher: createFinisher(store, probe, random, keepFiles),
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
  return Promise.reject(new Error("this gateway fetches no links; send it as a data URL."));
}
