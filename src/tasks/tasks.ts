import type { Caller } from "../accounts/caller.ts";
import type { Model } from "../catalog/catalog.ts";
import type { GatewayError } from "../errors.ts";
import type { Submission } from "../families/family.ts";
import type { Admission } from "../limits/admission.ts";
import type { PollOutcome, TaskResult } from "../upstreams/task-apis/task-api.ts";

/** Orders of images and videos. Every accepted task ends, and is settled when it does. */
export interface Tasks {
  /**
   * Accepts a task: one transaction inserts it, its frozen price and its hold. Throws GatewayError
   * (insufficient_user_quota, rate_limit_exceeded, upstream saturated, idempotency conflict); then nothing is stored.
   */
  submit(request: TaskRequest): Promise<Task>;
  /** Returns the hold that the request would need, in nanos; nothing is stored. */
  preview(request: TaskRequest): bigint;
  /**
   * Returns the account's task; undefined = unknown, or another account's. With `waitMs` it resolves when the task is
   * final or the time is over.
   */
  find(accountId: bigint, medium: "image" | "video", id: string, waitMs?: number): Promise<Task | undefined>;
}

export interface TaskRequest {
  readonly requestId: string;
  readonly caller: Caller;
  readonly model: Model;
  readonly submission: Submission;
  /** The header `Idempotency-Key`, with a digest of the request's body. */
  readonly idempotency?: { readonly key: string; readonly bodyDigest: string } | undefined;
  readonly webhookUrl?: string | undefined;
  /** What the caller counts it as, `key=value`; absent = nothing. */
  readonly tags?: readonly string[] | undefined;
  /**
   * Result of the key's admission before the body came. An error is thrown only after money was checked. If this is
   * undefined, the submit asks for admission itself. The caller finishes an admission that it passes.
   */
  readonly admission?: Admission | GatewayError;
}

export const TASK_STATES = ["NOT_START", "SUBMITTED", "QUEUED", "IN_PROGRESS", "SUCCESS", "FAILURE"] as const;
/** A state only moves to one further right; images show FAILED for FAILURE. */
export type TaskState = (typeof TASK_STATES)[number];

/** A task as its account sees it. Times are Unix seconds; 0 = not yet. */
export interface Task {
  readonly id: string;
  readonly requestId: string;
  /** The requested model. */
  readonly model: string;
  readonly family: Submission["order"]["family"];
  readonly action: Submission["action"];
  readonly state: TaskState;
  readonly progressPercent: number;
  readonly failReason: string;
  readonly submitTime: number;
  readonly startTime: number;
  readonly finishTime: number;
  /** Set once the task has succeeded. */
  readonly result: TaskResult | null;
}

/** True for SUCCESS and FAILURE, which never change. */
export function isFinal(state: TaskState): boolean {
  return state === "SUCCESS" || state === "FAILURE";
}

/** Returns the later of two states, so that a vendor whose reports alternate does not move a task back. */
function further(one: TaskState, other: TaskState): TaskState {
  return TASK_STATES.indexOf(other) > TASK_STATES.indexOf(one) ? other : one;
}

/** Returns state and progress of an open task after a poll. Neither ever decreases. */
export function advance(
  known: { readonly state: TaskState; readonly progressPercent: number },
  outcome: Extract<PollOutcome, { type: "queued" | "running" | "resultless" }>,
): { readonly state: TaskState; readonly progressPercent: number } {
  if (outcome.type === "queued") return { ...known, state: further(known.state, "QUEUED") };
  // 100 % is reported only with the result. A poll without progress leaves it unchanged.
  const progress = outcome.type === "resultless" ? 99 : (outcome.progressPercent ?? 0);
  const said = Number.isFinite(progress) ? Math.floor(progress) : 0;
  return {
    state: further(known.state, "IN_PROGRESS"),
    progressPercent: Math.max(known.progressPercent, Math.min(99, said)),
  };
}
