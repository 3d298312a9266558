import type { AccountId, Caller } from "../../accounts/caller.ts";
import type { ChargeReason, FrozenMediaPrice } from "../../billing/billing.ts";
import type { LedgerRef } from "../../billing/leases/ledger-ref.ts";
import type { HoldShortage } from "../../billing/task-billing.ts";
import type { MediaOrder } from "../../families/family.ts";
import type { QueueStore } from "../../queue/durable-queue.ts";
import type { QueueClaim } from "../../queue/held.ts";
import type { TaskResult } from "../../upstreams/task-apis/task-api.ts";
import type { MediaUnits } from "../../usage/usage.ts";
import type { Task, TaskState } from "../tasks.ts";

/**
 * The durable queue of tasks, from which any worker of any process claims. Each function is one statement, so it takes
 * effect as a whole or not at all. `tasks-store.ts` is the real store; tests have one in memory. Times are relative and
 * measured by the database's clock, so that machines' clocks do not matter.
 */
export interface TaskStore extends QueueStore<Claim, ClaimOptions> {
  /** Inserts the task, its frozen price and its hold, or nothing. */
  accept(task: NewTask): Promise<Acceptance | HoldShortage>;
  find(accountId: bigint, id: string): Promise<FoundTask | undefined>;
  findByIdempotencyKey(accountId: bigint, key: string): Promise<FoundTask | undefined>;

  order(id: string): Promise<MediaOrder>;

  /** Records the place to which the task is about to be submitted. False = the claim is over: do not submit. */
  intend(claim: Claim, place: TaskPlace): Promise<boolean>;
  /**
   * Returns a task that no upstream accepted to the queue. `refused` = upstreams refused it for reasons of their own,
   * which counts as a submit attempt. Ends the claim.
   */
  requeue(claim: Claim, dueMs: number, refused: boolean): Promise<void>;
  /**
   * Stores the upstream's response to the submit: an id or the result itself. It is stored once, even if the claim is
   * over, because no other process can learn it. Ends any claim; the task is due again in `dueMs`.
   */
  submitted(id: string, upstreamId: bigint, response: SubmitResponse, dueMs: number): Promise<void>;
  /**
   * Records the results of polls and schedules the next ones. Ends the claims; polls of ended claims change nothing.
   */
  polled(polls: readonly PollResult[]): Promise<void>;
  /**
   * Records final state, money, usage log and webhook in one statement. False = the claim is over, or the task had
   * ended before.
   */
  finish(claim: Claim, ending: TaskEnd): Promise<boolean>;
  /** Stores the late result of a failed task. Nothing else about the task changes. */
  keepLateResult(claim: Claim, result: TaskResult): Promise<void>;

  /** The upstream responded with 429: no process asks it before this time. */
  cool(place: TaskPlace, forMs: number): Promise<void>;
  coolings(): Promise<readonly Cooling[]>;
  /** Tasks that are not over, by state. */
  countOpen(): Promise<ReadonlyMap<string, number>>;
  /**
   * Deletes at most `max` tasks that ended so many days ago both by the database's clock and by the caller's (`nowMs`),
   * and returns their number. A single clock may be far ahead for an hour.
   */
  dropOld(days: number, nowMs: number, max: number): Promise<number>;
}

export interface NewTask {
  readonly id: string;
  readonly requestId: string;
  readonly caller: Caller;
  readonly model: string;
  readonly action: Task["action"];
  readonly order: MediaOrder;
  /** Units that the hold covers. */
  readonly units: MediaUnits;
  readonly violation: string | null;
  readonly deadlineMs: number;
  readonly price: FrozenMediaPrice;
  readonly holdNanos: bigint;
  /** The balance comes first. */
  readonly ledgers: readonly [LedgerRef, ...LedgerRef[]];
  readonly idempotency: { readonly key: string; readonly bodyDigest: string } | null;
  readonly webhookUrl: string | null;
  readonly tags: readonly string[] | undefined;
  /** Maximum number of tasks of this model that may wait for an upstream. */
  readonly maxWaiting: number;
}

/**
 * `accepted`: the time, in Unix seconds. `existing`: the task that has this id or idempotency key already. `full`: too
 * many tasks wait for this model.
 */
export type Acceptance =
  | { readonly outcome: "accepted"; readonly acceptedAt: number }
  | { readonly outcome: "full" }
  | { readonly outcome: "existing"; readonly taskId: string };

export interface FoundTask {
  readonly task: Task;
  readonly medium: "image" | "video";
  readonly bodyDigest: string | null;
}

/** A credential of an upstream, and the upstream's name of the model. */
export interface TaskPlace {
  readonly upstreamId: bigint;
  readonly upstreamName: string;
  readonly credentialId: bigint;
  readonly model: string;
}

export interface Cooling {
  readonly upstreamId: bigint;
  readonly credentialId: bigint;
  readonly model: string;
  readonly leftMs: number;
}

export interface ClaimOptions {
  /** Maximum numbers of tasks to claim, not yet submitted and submitted. */
  readonly fresh: number;
  readonly submitted: number;
  /** Upstreams that have no free slots. */
  readonly busy: readonly bigint[];
  /** Accounts whose unsubmitted tasks come after all others'. */
  readonly lastAccounts: readonly bigint[];
}

/** A worker's right to a task. A statement with an outdated `fence` changes neither the task's state nor its money. */
export interface Claim extends QueueClaim {
  readonly id: string;
  readonly requestId: string;
  readonly accountId: AccountId;
  readonly group: string;
  readonly medium: "image" | "video";
  readonly model: string;
  readonly units: MediaUnits;
  /** True if the model chooses the duration. */
  readonly openEnded: boolean;
  readonly violation: string | null;
  readonly state: TaskState;
  readonly progressPercent: number;
  readonly submitAttempts: number;
  readonly polls: number;
  readonly msToDeadline: number;
  readonly msSinceFinished: number | null;
  /** Time since the submit was about to be sent; null = it was not. */
  readonly msSinceIntended: number | null;
  /**
   * The place of the submit. If it is set while `upstreamTask` and `immediateResult` aren't, the outcome of the submit is
   * unknown.
   */
  readonly place: TaskPlace | null;
  readonly upstreamTask: string | null;
  readonly immediateResult: TaskResult | null;
  readonly price: FrozenMediaPrice;
  readonly holdNanos: bigint;
}

export type SubmitResponse = { readonly upstreamTask: string } | { readonly immediateResult: TaskResult };

export interface PollResult {
  readonly claim: Claim;
  readonly state: TaskState;
  readonly progressPercent: number;
  /** null = no further poll. */
  readonly dueMs: number | null;
}

export interface TaskEnd {
  readonly state: "SUCCESS" | "FAILURE";
  readonly failReason: string;
  readonly reason: ChargeReason;
  /** Charge of a success; a failure releases the whole hold. */
  readonly chargeNanos: bigint;
  /** Units that were used; {} = nothing is charged. */
  readonly used: MediaUnits;
  /** True if the length of the video is unknown, so that the seconds of the hold are charged. */
  readonly estimated: boolean;
  readonly result: TaskResult | null;
  /** Time until the poll for a late success; null = none. */
  readonly latePollMs: number | null;
}
