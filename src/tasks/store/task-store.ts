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
 * The durable queue of tasks, which any worker of any process may claim.
 * Each function is one statement: all of it is kept or nothing. `tasks-store.ts` is the real one; tests have one in
 * memory. Every time is relative, told by the database's clock, so that machines' clocks do not matter.
 */
export interface TaskStore extends QueueStore<Claim, ClaimOptions> {
  /** Inserts the task, its frozen price and its hold, or nothing. */
  accept(task: NewTask): Promise<Acceptance | HoldShortage>;
  find(accountId: bigint, id: string): Promise<FoundTask | undefined>;
  findByIdempotencyKey(accountId: bigint, key: string): Promise<FoundTask | undefined>;

  order(id: string): Promise<MediaOrder>;

  /** Notes where the task is about to be submitted, before it is. False = the claim is over: do not. */
  intend(claim: Claim, place: TaskPlace): Promise<boolean>;
  /**
   * Puts a task that no upstream accepted back in the queue. `refused`: upstreams refused it for reasons of their own, which
   * counts as a submit attempt. Ends the claim.
   */
  requeue(claim: Claim, dueMs: number, refused: boolean): Promise<void>;
  /**
   * Keeps the upstream's response to the submit: an id or the result itself. It is kept once, even if the claim is over, since
   * no other process can learn it. Ends any claim; due again in `dueMs`.
   */
  submitted(id: string, upstreamId: bigint, response: SubmitResponse, dueMs: number): Promise<void>;
  /** Records the results of polls; the tasks are due again later. Ends the claims; polls of ended claims change nothing. */
  polled(polls: readonly PollResult[]): Promise<void>;
  /** Final state, money, usage log and webhook in one. False = the claim is over, or it was final before. */
  finish(claim: Claim, ending: TaskEnd): Promise<boolean>;
  /** A task that had failed has a result after all. Nothing else about it changes. */
  keepLateResult(claim: Claim, result: TaskResult): Promise<void>;

  /** The upstream answered 429: no process asks it before then. */
  cool(place: TaskPlace, forMs: number): Promise<void>;
  coolings(): Promise<readonly Cooling[]>;
  /** Tasks that are not over, by state. */
  countOpen(): Promise<ReadonlyMap<string, number>>;
  /**
   * Removes tasks that were over so many days ago, by the database's clock and by the caller's (`nowMs`), at most so many;
   * gives how many. One clock alone may be far ahead for an hour.
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
  /** The balance first. */
  readonly ledgers: readonly [LedgerRef, ...LedgerRef[]];
  readonly idempotency: { readonly key: string; readonly bodyDigest: string } | null;
  readonly webhookUrl: string | null;
  /** How many tasks of this model may wait for an upstream. */
  readonly maxWaiting: number;
}

/** `accepted`: now, in Unix seconds. `existing`: this id or this idempotency key is known, and which task it is. `full`: too many wait for this model. */
export type Acceptance =
  | { readonly outcome: "accepted"; readonly acceptedAt: number }
  | { readonly outcome: "full" }
  | { readonly outcome: "existing"; readonly taskId: string };

export interface FoundTask {
  readonly task: Task;
  readonly medium: "image" | "video";
  readonly bodyDigest: string | null;
}

/** One credential of one upstream, and its name of the model. */
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
  /** At most so many that are not submitted yet, and so many that are. */
  readonly fresh: number;
  readonly submitted: number;
  /** Upstreams that have enough to do. */
  readonly busy: readonly bigint[];
  /** Accounts whose fresh tasks come after all others'. */
  readonly lastAccounts: readonly bigint[];
}

/** A worker's right to a task. Whoever holds an outdated `fence` can change neither its state nor its money. */
export interface Claim extends QueueClaim {
  readonly id: string;
  readonly requestId: string;
  readonly accountId: AccountId;
  readonly group: string;
  readonly medium: "image" | "video";
  readonly model: string;
  readonly units: MediaUnits;
  /** The model chooses the duration. */
  readonly openEnded: boolean;
  readonly violation: string | null;
  readonly state: TaskState;
  readonly progressPercent: number;
  readonly submitAttempts: number;
  readonly polls: number;
  readonly msToDeadline: number;
  readonly msSinceFinished: number | null;
  /** Since the order was about to go out; null = it was not. */
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
  /** null = never again. */
  readonly dueMs: number | null;
}

export interface TaskEnd {
  readonly state: "SUCCESS" | "FAILURE";
  readonly failReason: string;
  readonly reason: ChargeReason;
  /** Charge of a success; a failure releases the whole hold. */
  readonly chargeNanos: bigint;
  /** Units that were used; {} if nothing is charged. */
  readonly used: MediaUnits;
  /** The seconds are the hold's, as nobody could say how long the video is. */
  readonly estimated: boolean;
  readonly result: TaskResult | null;
  /** When to poll whether it succeeds after all; null = never. */
  readonly latePollMs: number | null;
}
