import type { Timers } from "../../../src/base/async/timers.ts";
import type { Clock } from "../../../src/base/clock.ts";
import { createLargeJson } from "../../../src/base/json/large-json.ts";
import { createTaskBilling } from "../../../src/billing/task-billing.ts";
import type { Catalog } from "../../../src/catalog/catalog.ts";
import { DEFAULT_WAIT_LIMITS } from "../../../src/catalog/settings.ts";
import { silentLog } from "../../../src/observe/log.ts";
import { createRouting } from "../../../src/routing/routing.ts";
import type { TaskStore } from "../../../src/tasks/store/task-store.ts";
import { createSubmitter, type Submitter } from "../../../src/tasks/submit.ts";
import { createFinisher } from "../../../src/tasks/work/finish.ts";
import {
  BATCHLESS_MS,
  createNamedCounter,
  createRecentFailures,
  REFUSED_MS,
} from "../../../src/tasks/work/recent-failures.ts";
import { createWorker, type Worker } from "../../../src/tasks/work/worker.ts";
import type { World } from "../money/world.ts";
import { fakeApi, fakeFind } from "../tasks.ts";
import type { ModelStore } from "./model-board.ts";
import type { ModelVendor } from "./model-vendor.ts";

/** The faults between a process and the database. */
export interface StoreFaults {
  outage: boolean;
  lostCommit: number;
  lostStatement: number;
  longestPauseMs: number;
  pauseAtCommit: number;
}

export interface ProcessParts {
  readonly world: World;
  readonly store: ModelStore;
  readonly vendors: ReadonlyMap<bigint, ModelVendor>;
  readonly catalog: Catalog;
  readonly faults: StoreFaults;
  /** The vendors have lists in which a task of ours can be found. */
  readonly findable?: boolean;
}

/** A gateway process as far as tasks go: the real code on simulated time, board and vendors. */
export class TaskProcess {
  alive = true;
  readonly submitter: Submitter;
  private readonly worker: Worker;
  private readonly world: World;
  private readonly faults: StoreFaults;
  private pausedUntilMs = 0;

  constructor({ world, store, vendors, catalog, faults, findable = false }: ProcessParts) {
    this.world = world;
    this.faults = faults;
    const reached = this.distant(store);
    const api = { ...fakeApi(), ...(findable && { find: fakeFind }) };
    const random = (): number => world.random();
    const shared = {
      store: reached,
      apiOf: () => api,
      clock: this.clock,
      timers: this.timers,
      log: silentLog,
    };
    this.submitter = createSubmitter({
      ...shared,
      billing: createTaskBilling({
        clock: this.clock,
        timers: this.timers,
        waitLimits: () => DEFAULT_WAIT_LIMITS,
        lacking: () => Promise.resolve(undefined),
      }),
      catalog: { current: () => catalog },
      limits: {
        admit: () => undefined,
        admitCount: () => Promise.resolve({}),
        close: () => Promise.resolve(),
      },
    });
    this.worker = createWorker({
      ...shared,
      random,
      finisher: createFinisher(reached, () => Promise.resolve(undefined), random),
      faults: createRecentFailures(this.clock, REFUSED_MS),
      batchless: createRecentFailures(this.clock, BATCHLESS_MS),
      resultless: createNamedCounter(),
      unknownFates: createNamedCounter(),
      unusablePolls: createNamedCounter(),
      pollAlarms: createNamedCounter(),
      health: createRouting({ clock: this.clock, log: silentLog, inFlight: () => 0, random }).places,
      largeJson: createLargeJson(),
      scrub: (text) => text,
      ask: (asked) =>
        new Promise((resolve) => {
          vendors.get(asked.upstream.id)?.response(asked, (outcome) => this.run(() => resolve(outcome)));
        }),
      serving: () => catalog.upstreams,
      at: (place) => {
        const found = catalog.placed(place.upstreamId, place.credentialId);
        return found && { ...found, api, model: place.model, place };
      },
      resolveAssets: () => Promise.resolve({ type: "free" }),
      inline: (order) => Promise.resolve({ type: "inlined", order }),
      stopped: () => !this.alive,
    });
  }

  kill(): void {
    this.alive = false;
  }

  /** SIGSTOP for so long: nothing runs, then everything that was due at once. */
  pause(forMs: number): void {
    this.pausedUntilMs = Math.max(this.pausedUntilMs, this.world.nowMs + forMs);
  }

  get isPaused(): boolean {
    return this.world.nowMs < this.pausedUntilMs;
  }

  wake(): void {
    this.run(() => this.worker.wake());
  }

  /** Runs a callback in this process: not at all when it is dead, later when it is paused. */
  run(callback: () => void): void {
    if (!this.alive) return;
    if (this.isPaused) this.world.after(this.pausedUntilMs - this.world.nowMs, () => this.run(callback));
    else callback();
  }

  private readonly clock: Clock = {
    nowMs: () => 1_790_000_000_000 + this.world.nowMs,
    monotonicMs: () => this.world.nowMs,
  };

  private readonly timers: Timers = {
    after: (delayMs, callback) => {
      let wanted = true;
      this.world.after(delayMs, () =>
        this.run(() => {
          if (wanted) callback();
        }),
      );
      return () => {
        wanted = false;
      };
    },
    defer: (callback) => this.world.after(0, () => this.run(callback)),
  };

  /** Each statement travels, takes effect at once, and its response travels back; each leg may fail. */
  private distant({ statements }: ModelStore): TaskStore {
    const { world, faults } = this;
    const call = <T>(statement: () => T): Promise<T> =>
      new Promise((resolve, reject) => {
        const lost = (): void =>
          world.after(world.chance(0.5) ? world.between(0, 100) : 35_000, () =>
            this.run(() => reject(new Error("Connection terminated"))),
          );
        world.after(world.between(0, 5), () => {
          if (faults.outage || world.chance(faults.lostStatement)) return lost();
          let result: T;
          try {
            result = statement();
          } catch (error) {
            world.after(1, () => this.run(() => reject(error)));
            return;
          }
          if (world.chance(faults.pauseAtCommit)) this.pause(world.between(1, faults.longestPauseMs));
          if (world.chance(faults.lostCommit)) return lost();
          world.after(world.between(0, 5), () => this.run(() => resolve(result)));
        });
      });
    return {
      accept: (task) => call(() => statements.accept(task)),
      find: (_, id) => call(() => statements.find(id)),
      findByIdempotencyKey: () => Promise.resolve(undefined),
      claim: (wanted, claimMs) => call(() => statements.claim(wanted, claimMs)),
      keep: (claims, claimMs) => call(() => statements.keep(claims, claimMs)),
      release: (claims, dueMs) => call(() => statements.release(claims, dueMs)),
      order: (id) => call(() => statements.order(id)),
      intend: (claim, place) => call(() => statements.intend(claim, place)),
      requeue: (...told) => call(() => statements.requeue(...told)),
      submitted: (...told) => call(() => statements.submitted(...told)),
      polled: (polls) => call(() => statements.polled(polls)),
      finish: (claim, ending) => call(() => statements.finish(claim, ending)),
      keepLateResult: (claim, result) => call(() => statements.keepLateResult(claim, result)),
      cool: (place, forMs) => call(() => statements.cool(place, forMs)),
      coolings: () => call(() => statements.listCoolings()),
      nextDueMs: (maxMs) => call(() => statements.nextDueMs(maxMs)),
      clampDueTimes: () => Promise.resolve(0),
      countOpen: () => Promise.resolve(new Map()),
      dropOld: () => Promise.resolve(0),
    };
  }
}
