import { unreachable } from "../../base/assert.ts";
import { within } from "../../base/async/timers.ts";
import type { FindOutcome, SubmitOutcome, TaskApi } from "../../upstreams/task-apis/task-api.ts";
import { orderFor, requestFor } from "./fit-order.ts";
import type { TaskCandidate } from "./places.ts";
import { keepResponse, post } from "./post.ts";
import { findDelayMs, TIMED_OUT, UNKNOWN_FATE } from "./schedule.ts";
import { type HeldTask, msToDeadline, type WorkDeps } from "./work-deps.ts";

/** True if the vendor can look up a submit whose response was lost. */
export function canFind({ idempotent, find }: TaskApi): boolean {
  return idempotent || find !== undefined;
}

/**
 * Handles a submit without a known outcome; it is never repeated blindly. If the vendor can find the task it is looked up,
 * otherwise it fails and is refunded now. Ends the claim.
 */
export async function resolveUnknownSubmit(
  held: HeldTask,
  candidate: TaskCandidate,
  reason: string,
  deps: WorkDeps,
): Promise<void> {
  const { claim } = held;
  const dueMs = canFind(candidate.api) ? findDelayMs(claim.polls) : undefined;
  if (dueMs === undefined) return failUnknownSubmit(held, candidate.upstream.name, reason, deps);
  deps.log.warn(
    { task: claim.id, upstream: candidate.upstream.name, reason },
    "task submit has an unknown outcome; looking the task up at the upstream instead of submitting it again",
  );
  const { state, progressPercent } = claim;
  await deps.store.polled([{ claim, state, progressPercent, dueMs }]);
}

/** Fails a task that may have been made. It raises an alarm, because the vendor may bill the task. Ends the claim. */
export function failUnknownSubmit(
  { claim }: HeldTask,
  upstream: string,
  reason: string,
  deps: WorkDeps,
): Promise<void> {
  deps.unknownFates.increment(upstream);
  deps.log.error(
    { task: claim.id, upstream, reason, alarm: true },
    "task submit response was lost; the task failed and was refunded, but the vendor may run and bill it",
  );
  return deps.finisher.fail(claim, { reason: UNKNOWN_FATE, as: "upstream_failed" });
}

/**
 * Fails a task whose result can't be used. No other upstream is asked, because the vendor may bill its work. Ends the
 * claim.
 */
export function failUnusableResult(
  { claim }: HeldTask,
  upstream: string,
  reason: string,
  deps: WorkDeps,
): Promise<void> {
  deps.log.error(
    { task: claim.id, upstream, reason, alarm: true },
    "task result could not be used; the task failed and was refunded, but the vendor may bill it",
  );
  return deps.finisher.fail(claim, { reason, as: "upstream_failed" });
}

/** Looks up a task whose submit has no known outcome. Ends the claim. */
export async function findTask(held: HeldTask, candidate: TaskCandidate, deps: WorkDeps): Promise<void> {
  const found = await (candidate.api.find ? findInList : repeatSubmit)(held, candidate, deps);
  switch (found.type) {
    case "accepted":
      return keepResponse(held, candidate.place, { upstreamTask: found.upstreamId }, deps);
    case "done":
      return keepResponse(held, candidate.place, { immediateResult: found.result }, deps);
    case "refused":
      return deps.finisher.fail(held.claim, { reason: found.reason, as: "rejected" });
    case "overdue":
      return deps.finisher.fail(held.claim, { reason: TIMED_OUT, as: "upstream_timeout" });
    case "too-late":
      return deps.store.release([held.claim]);
    case "unclear":
      return resolveUnknownSubmit(held, candidate, found.reason, deps);
    case "failed":
      return failUnusableResult(held, candidate.upstream.name, found.reason, deps);
    default:
      return unreachable(found);
  }
}

type Found = SubmitOutcome | { readonly type: "too-late" | "overdue" };

/** A list is read in a moment. */
const FIND_MS = 30_000;

async function findInList(held: HeldTask, candidate: TaskCandidate, deps: WorkDeps): Promise<Found> {
  const { claim } = held;
  const { api, place, upstream, credential } = candidate;
  const unclear = (reason: string): Found => ({ type: "unclear", reason });
  const order = await orderFor(held, candidate, deps);
  if (typeof order === "string") return unclear(order);
  const sought = api.find?.(order, { model: place.model, taskId: claim.id });
  if (sought === undefined) return unclear("The vendor's list doesn't distinguish such tasks.");
  const { requestId } = claim;
  const asking = deps.ask({ upstream, credential, requestId, request: sought.request });
  const asked = await within(asking, Math.min(FIND_MS, msToDeadline(held)), deps.timers);
  if (asked?.type !== "answered") return unclear("The vendor's list can't be read.");
  const outcome: FindOutcome = sought.read(asked.response);
  return outcome.type === "found"
    ? { type: "accepted", upstreamId: outcome.upstreamId }
    : unclear("The vendor's list doesn't contain the task.");
}

/** Repeats the same submit at a vendor that deduplicates by idempotency key; a different order would be a new task. */
async function repeatSubmit(held: HeldTask, candidate: TaskCandidate, deps: WorkDeps): Promise<Found> {
  const order = await orderFor(held, candidate, deps);
  if (typeof order === "string") return { type: "unclear", reason: order };
  const outcome = await post(held, candidate, requestFor(held.claim, candidate, order), deps);
  if (typeof outcome === "string") return { type: outcome };
  return outcome.type === "refused" && outcome.next !== "fail" ? { ...outcome, type: "unclear" } : outcome;
}
