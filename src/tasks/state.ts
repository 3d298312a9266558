import type { PollOutcome } from "../upstreams/task-apis/task-api.ts";
import { TASK_STATES, type TaskState } from "./tasks.ts";

/** SUCCESS and FAILURE stay for ever. */
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
