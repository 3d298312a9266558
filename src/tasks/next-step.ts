import { assert } from "../base/assert.ts";
import type { TaskResult } from "../upstreams/task-apis/task-api.ts";
import { waitForPredecessorMs } from "./schedule.ts";
import { isFinal } from "./state.ts";
import type { Claim, TaskPlace } from "./task-store.ts";

/** What a worker does with a task that it has claimed. */
export type NextStep =
  /** The order breaks its family's rules: fail without asking anyone. */
  | { readonly do: "refuse"; readonly reason: string }
  | { readonly do: "submit" }
  /** It was submitted and nobody knows what came of it: that place can tell. */
  | { readonly do: "find"; readonly place: TaskPlace }
  /** The same where nobody can tell: never again, but whoever submitted it may still come to its answer. */
  | { readonly do: "wait"; readonly ms: number }
  /** Nor did they. */
  | { readonly do: "give-up"; readonly place: TaskPlace }
  | { readonly do: "time-out" }
  /** The upstream answered the submit with the result itself. */
  | { readonly do: "succeed"; readonly result: TaskResult }
  | { readonly do: "poll"; readonly place: TaskPlace; readonly upstreamTask: string }
  | { readonly do: "poll-late"; readonly place: TaskPlace; readonly upstreamTask: string };

/** Decides by the row alone; `canFind` says whether that place can tell what came of a submit. */
export function nextStep(claim: Claim, canFind: (place: TaskPlace) => boolean): NextStep {
  const { place, upstreamTask, immediateResult } = claim;
  if (isFinal(claim.state)) {
    assert(place !== null && upstreamTask !== null, "a task that is over and was never submitted is due");
    return { do: "poll-late", place, upstreamTask };
  }
  if (claim.violation !== null) return { do: "refuse", reason: claim.violation };
  if (immediateResult !== null) return { do: "succeed", result: immediateResult };
  // At its deadline too: that poll is the last one.
  if (place !== null && upstreamTask !== null) return { do: "poll", place, upstreamTask };
  if (claim.msToDeadline <= 0) return { do: "time-out" };
  if (place === null) return { do: "submit" };
  if (canFind(place)) return { do: "find", place };
  const ms = waitForPredecessorMs(claim.msSinceIntended ?? 0);
  return ms > 0 ? { do: "wait", ms } : { do: "give-up", place };
}
