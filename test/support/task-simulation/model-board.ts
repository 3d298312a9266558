import type { HoldShortage } from "../../../src/billing/task-billing.ts";
import type { MediaOrder } from "../../../src/families/family.ts";
import type {
  Acceptance,
  Claim,
  Cooling,
  FoundTask,
  NewTask,
  TaskPlace,
  TaskStore,
} from "../../../src/tasks/store/task-store.ts";
import { TASK_STATES, type TaskState } from "../../../src/tasks/tasks.ts";
import type { TaskResult } from "../../../src/upstreams/task-apis/task-api.ts";
import type { World } from "../money/world.ts";

/** Rules of the database that a test may break, to show that the simulation would notice. */
export const STORE_MUTANTS = [
  "finishes without a fence",
  "forgets the intent",
  "releases what it settles",
  "hands out what is in other hands",
  "forgets when a task is due",
  "accepts beyond the balance",
] as const;
export type StoreMutant = (typeof STORE_MUTANTS)[number];

export interface ModelTask {
  readonly wanted: NewTask;
  readonly acceptedAtMs: number;
  readonly deadlineMs: number;
  state: TaskState;
  progressPercent: number;
  dueMs: number | null;
  fence: bigint;
  submitAttempts: number;
  polls: number;
  place: TaskPlace | null;
  intendedAtMs: number | null;
  upstreamTask: string | null;
  immediateResult: TaskResult | null;
  finishedAtMs: number | null;
  result: TaskResult | null;
  lateResult: TaskResult | null;
  /** Each settlement or release there was. */
  readonly resolutions: { readonly charge: bigint }[];
}

/** The table of tasks and one wallet an account, in memory; one statement at a time, as in the database. */
export class ModelStore {
  readonly tasks = new Map<string, ModelTask>();
  readonly wallets = new Map<bigint, { wallet: bigint; held: bigint; revenue: bigint }>();
  readonly breaches: string[] = [];
  private readonly coolings = new Map<string, { place: TaskPlace; untilMs: number }>();
  private readonly world: World;
  private readonly mutant: StoreMutant | undefined;

  constructor(world: World, mutant?: StoreMutant) {
    this.world = world;
    this.mutant = mutant;
  }

  /** The functions as they take effect; the caller adds distance and faults. */
  readonly statements = {
    accept: (wanted: NewTask): Acceptance | HoldShortage => {
      const { caller, holdNanos, id, idempotency } = wanted;
      for (const [known, task] of this.tasks) {
        const same =
          idempotency !== null &&
          task.wanted.caller.accountId === caller.accountId &&
          task.wanted.idempotency?.key === idempotency.key;
        if (known === id || same) return { outcome: "existing", taskId: known };
      }
      const money = this.moneyOf(caller.accountId);
      if (money.wallet < holdNanos && this.mutant !== "accepts beyond the balance")
        return { outcome: "insufficient", ledger: `account:${caller.accountId}` };
      money.wallet -= holdNanos;
      money.held += holdNanos;
      this.tasks.set(id, {
        wanted,
        acceptedAtMs: this.world.nowMs,
        deadlineMs: this.world.nowMs + wanted.deadlineMs,
        state: "NOT_START",
        progressPercent: 0,
        dueMs: this.world.nowMs,
        fence: 0n,
        submitAttempts: 0,
        polls: 0,
        place: null,
        intendedAtMs: null,
        upstreamTask: null,
        immediateResult: null,
        finishedAtMs: null,
        result: null,
        lateResult: null,
        resolutions: [],
      });
      return { outcome: "accepted", acceptedAt: 0 };
    },
    find: (id: string): FoundTask => {
      const { wanted, state, progressPercent } = this.taskOf(id);
      const { requestId, model, action, order } = wanted;
      return {
        medium: order.medium,
        bodyDigest: wanted.idempotency?.bodyDigest ?? null,
        task: {
          id,
          requestId,
          model,
          action,
          family: order.family,
          state,
          progressPercent,
          failReason: "",
          submitTime: 0,
          startTime: 0,
          finishTime: 0,
          result: null,
        },
      };
    },
    claim: (...[{ fresh, submitted, busy }, claimMs]: Parameters<TaskStore["claim"]>): Claim[] => {
      const left = { fresh, submitted };
      const claims: Claim[] = [];
      for (const task of this.tasks.values()) {
        if (task.dueMs === null || task.dueMs > this.world.nowMs) continue;
        const kind = task.place === null ? "fresh" : "submitted";
        if (left[kind] === 0 || (task.place !== null && busy.includes(task.place.upstreamId))) continue;
        left[kind] -= 1;
        if (this.mutant !== "hands out what is in other hands") {
          task.fence += 1n;
          task.dueMs = this.world.nowMs + claimMs;
        }
        claims.push(this.claimOf(task));
      }
      return claims;
    },
    keep: (claims: readonly Claim[], claimMs: number): ReadonlySet<string> =>
      new Set(
        claims.flatMap((claim) => {
          const task = this.held(claim);
          if (task) task.dueMs = this.world.nowMs + claimMs;
          return task ? [claim.id] : [];
        }),
      ),
    release: (claims: readonly Claim[], dueMs = 0): void => {
      for (const claim of claims) this.end(claim, this.dueBy(this.taskOf(claim.id), dueMs));
    },
    order: (id: string): MediaOrder => this.taskOf(id).wanted.order,
    intend: (claim: Claim, place: TaskPlace): boolean => {
      const task = this.held(claim);
      if (!task || task.finishedAtMs !== null || task.upstreamTask !== null || task.immediateResult !== null)
        return false;
      if (this.mutant !== "forgets the intent") task.place = place;
      task.intendedAtMs = this.world.nowMs;
      return true;
    },
    requeue: (claim: Claim, dueMs: number, refused: boolean): void => {
      const task = this.held(claim);
      if (!task || task.upstreamTask !== null || task.immediateResult !== null) return;
      task.place = null;
      task.intendedAtMs = null;
      if (refused) task.submitAttempts += 1;
      this.end(claim, this.dueBy(task, dueMs));
    },
    submitted: (...[id, upstreamId, response, dueMs]: Parameters<TaskStore["submitted"]>): void => {
      const task = this.taskOf(id);
      if (
        task.place?.upstreamId !== upstreamId ||
        task.upstreamTask !== null ||
        task.immediateResult !== null
      )
        return;
      task.fence += 1n;
      if (task.state === "NOT_START") task.state = "SUBMITTED";
      if ("upstreamTask" in response) task.upstreamTask = response.upstreamTask;
      else if (task.finishedAtMs === null) task.immediateResult = response.immediateResult;
      else task.lateResult = response.immediateResult;
      task.dueMs =
        "immediateResult" in response && task.finishedAtMs !== null ? null : this.world.nowMs + dueMs;
    },
    polled: (polls: Parameters<TaskStore["polled"]>[0]): void => {
      for (const { claim, state, progressPercent, dueMs } of polls) {
        const task = this.held(claim);
        if (!task) continue;
        this.forward(task, state, progressPercent);
        task.polls += 1;
        const forgets = this.mutant === "forgets when a task is due" && this.world.chance(0.1);
        this.end(claim, dueMs === null || forgets ? null : this.dueBy(task, dueMs));
      }
    },
    finish: (...[claim, ending]: Parameters<TaskStore["finish"]>): boolean => {
      const unfenced = this.mutant === "finishes without a fence";
      const task = unfenced ? this.taskOf(claim.id) : this.held(claim);
      if (!task || (task.finishedAtMs !== null && !unfenced)) return false;
      this.forward(task, ending.state, 100);
      task.finishedAtMs = this.world.nowMs;
      task.result = ending.result;
      task.polls = 0;
      task.fence += 1n;
      task.dueMs = ending.latePollMs === null ? null : this.world.nowMs + ending.latePollMs;
      const { caller, holdNanos } = task.wanted;
      const money = this.moneyOf(caller.accountId);
      const charge = ending.state === "SUCCESS" ? ending.chargeNanos : 0n;
      money.held -= holdNanos;
      money.wallet += this.mutant === "releases what it settles" ? holdNanos : holdNanos - charge;
      money.revenue += charge;
      task.resolutions.push({ charge });
      return true;
    },
    keepLateResult: (claim: Claim, result: TaskResult): void => {
      const task = this.held(claim);
      if (!task) return;
      task.lateResult = result;
      this.end(claim, null);
    },
    cool: (place: TaskPlace, forMs: number): void => {
      this.coolings.set(`${place.upstreamId}`, { place, untilMs: this.world.nowMs + forMs });
    },
    listCoolings: (): Cooling[] =>
      [...this.coolings.values()].flatMap(({ place, untilMs }) => {
        const leftMs = untilMs - this.world.nowMs;
        return leftMs > 0 ? [{ ...place, leftMs }] : [];
      }),
    nextDueMs: (maxMs: number): number => {
      // This runs twenty times a second of simulated time, so nothing is copied.
      let nextMs = this.world.nowMs + maxMs;
      for (const { dueMs } of this.tasks.values()) if (dueMs !== null && dueMs < nextMs) nextMs = dueMs;
      return Math.max(0, nextMs - this.world.nowMs);
    },
  };

  fund(accountId: bigint, nanos: bigint): void {
    this.moneyOf(accountId).wallet += nanos;
  }

  private moneyOf(accountId: bigint): { wallet: bigint; held: bigint; revenue: bigint } {
    const money = this.wallets.get(accountId) ?? { wallet: 0n, held: 0n, revenue: 0n };
    this.wallets.set(accountId, money);
    return money;
  }

  private taskOf(id: string): ModelTask {
    const task = this.tasks.get(id);
    if (task === undefined) throw new Error(`there is no task ${id}`);
    return task;
  }

  /** The task, if the claim is not over. */
  private held({ id, fence }: Claim): ModelTask | undefined {
    const task = this.taskOf(id);
    return task.fence === fence ? task : undefined;
  }

  /** An open task at its deadline at the latest, however long the statement was under way. */
  private dueBy({ finishedAtMs, deadlineMs }: ModelTask, dueMs: number): number {
    const due = this.world.nowMs + dueMs;
    return finishedAtMs === null ? Math.min(due, Math.max(deadlineMs, this.world.nowMs)) : due;
  }

  private end(claim: Claim, dueMs: number | null): void {
    const task = this.held(claim);
    if (!task) return;
    task.dueMs = dueMs;
    task.fence += 1n;
  }

  /** The rule that the trigger on the table enforces. */
  private forward(task: ModelTask, state: TaskState, progressPercent: number): void {
    const back =
      TASK_STATES.indexOf(state) < TASK_STATES.indexOf(task.state) ||
      progressPercent < task.progressPercent ||
      (task.finishedAtMs !== null && state !== task.state);
    if (back)
      this.breaches.push(
        `${task.wanted.id} went from ${task.state} ${task.progressPercent} to ${state} ${progressPercent}`,
      );
    task.state = state;
    task.progressPercent = progressPercent;
  }

  private claimOf(task: ModelTask): Claim {
    const {
      wanted,
      fence,
      state,
      progressPercent,
      submitAttempts,
      polls,
      place,
      upstreamTask,
      immediateResult,
    } = task;
    return {
      id: wanted.id,
      fence,
      requestId: wanted.requestId,
      accountId: wanted.caller.accountId,
      group: wanted.caller.group,
      medium: wanted.order.medium,
      model: wanted.model,
      units: wanted.units,
      openEnded: false,
      violation: wanted.violation,
      state,
      progressPercent,
      submitAttempts,
      polls,
      msToDeadline: task.deadlineMs - this.world.nowMs,
      msSinceFinished: task.finishedAtMs === null ? null : this.world.nowMs - task.finishedAtMs,
      msSinceIntended: task.intendedAtMs === null ? null : this.world.nowMs - task.intendedAtMs,
      place,
      upstreamTask,
      immediateResult,
      price: wanted.price,
      holdNanos: wanted.holdNanos,
    };
  }
}
