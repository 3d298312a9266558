import type { Caller } from "../accounts/caller.ts";
import type { Model } from "../catalog/catalog.ts";
import type { GatewayError } from "../errors.ts";
import type { Submission } from "../families/family.ts";
import type { Admission } from "../limits/admission.ts";
import type { PollOutcome, TaskResult } from "../upstreams/task-apis/task-api.ts";

/** Images and videos: accepted tasks that always end, and money that always fits. */
export interface Tasks {
  /**
   * Accepts a task: one transaction inserts it, its frozen price and its hold. Throws GatewayError
   * (insufficient_user_quota, rate_limit_exceeded, upstream saturated, idempotency conflict) with nothing kept.
   */
  submit(request: TaskRequest): Promise<Task>;
  /** Returns the hold that the request would need, in nanos; nothing is stored. */
  preview(request: TaskRequest): bigint;
  /** The account's task; undefined = unknown or another's. With `waitMs`, once it is final or the time is over. */
  find(accountId: bigint, medium: "image" | "video", id: string, waitMs?: number): Promise<Task | undefined>;
}

export interface TaskRequest {
  readonly requestId: string;
  readonly caller: Caller;
  readonly model: Model;
  readonly submission: Submission;
  /** `Idempotency-Key`, with a digest of the body it came with. */
  readonly idempotency?: { readonly key: string; readonly bodyDigest: string } | undefined;
  readonly webhookUrl?: string | undefined;
  /**
   * How its key was let in before the body came, or why it was not, which is told once the money is looked at; the submit
   * asks itself where this is undefined. Whoever gives an admission finishes it.
   */
  readonly admission?: Admission | GatewayError;
}

export const TASK_STATES = ["NOT_START", "SUBMITTED", "QUEUED", "IN_PROGRESS", "SUCCESS", "FAILURE"] as const;
/** A state only moves rightwards; images say FAILED for FAILURE on the wire. */
export type TaskState = (typeof TASK_STATES)[number];

/** A task as its account sees it. Times are Unix seconds, 0 = not yet. */
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

/** SUCCESS and FAILURE stay forever. */
export function isFinal(state: TaskState): boolean {
  return state === "SUCCESS" || state === "FAILURE";
}

/** The further of two states: a vendor whose word flaps takes nothing back. */
function further(one: TaskState, other: TaskState): TaskState {
  return TASK_STATES.indexOf(other) > TASK_STATES.indexOf(one) ? other : one;
}

/** The state and progress of a task that is not over, after a poll. Neither ever goes back. */
export function advance(
  known: { readonly state: TaskState; readonly progressPercent: number },
  outcome: Extract<PollOutcome, { type: "queued" | "running" | "resultless" }>,
): { readonly state: TaskState; readonly progressPercent: number } {
  if (outcome.type === "queued") return { ...known, state: further(known.state, "QUEUED") };
  // 100 % is said with the result, not before. A vendor that says none leaves it where it is.
  const progress = outcome.type === "resultless" ? 99 : (outcome.progressPercent ?? 0);
  const said = Number.isFinite(progress) ? Math.floor(progress) : 0;
  return {
    state: further(known.state, "IN_PROGRESS"),
    progressPercent: Math.max(known.progressPercent, Math.min(99, said)),
  };
}
