import { assert } from "../base/assert.ts";
import type { TaskResult } from "../upstreams/task-apis/task-api.ts";
import type { Claim, Place } from "./board.ts";
import { isFinal } from "./state.ts";

/** What a worker does with a task it has taken down. */
export type NextStep =
  /** The order breaks its family's rules: fail without asking anyone. */
  | { readonly do: "refuse"; readonly reason: string }
  | { readonly do: "submit" }
  /** Again at the same place, which makes one task of any number of submits. */
  | { readonly do: "repeat"; readonly place: Place }
  /** It was submitted and nobody knows what came of it: never again, so only the deadline ends it. */
  | { readonly do: "wait" }
  | { readonly do: "time-out" }
  /** The upstream answered the submit with the result itself. */
  | { readonly do: "succeed"; readonly result: TaskResult }
  | { readonly do: "look"; readonly place: Place; readonly upstreamTask: string }
  | { readonly do: "look-late"; readonly place: Place; readonly upstreamTask: string };

/** Decides by the row alone; `idempotent` says whether that place's submits may be repeated. */
export function nextStep(claim: Claim, idempotent: (place: Place) => boolean): NextStep {
  const { place, upstreamTask, made } = claim;
  if (isFinal(claim.state)) {
    assert(place !== null && upstreamTask !== null, "a task that is over and was never submitted is due");
    return { do: "look-late", place, upstreamTask };
  }
  if (claim.violation !== null) return { do: "refuse", reason: claim.violation };
  if (made !== null) return { do: "succeed", result: made };
  // At its deadline too: that look is the last one.
  if (place !== null && upstreamTask !== null) return { do: "look", place, upstreamTask };
  if (claim.msToDeadline <= 0) return { do: "time-out" };
  if (place === null) return { do: "submit" };
  return idempotent(place) ? { do: "repeat", place } : { do: "wait" };
}
