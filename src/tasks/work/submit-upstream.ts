import { unreachable } from "../../base/assert.ts";
import { failpoint } from "../../base/failpoint.ts";
import type { SubmitOutcome } from "../../upstreams/task-apis/task-api.ts";
import type { Claim } from "../store/task-store.ts";
import { fitOrder, requestFor } from "./fit-order.ts";
import { coolingMs, placesOf, type TaskCandidate } from "./places.ts";
import { keepResponse, post } from "./post.ts";
import { resubmitDelayMs, TIMED_OUT } from "./schedule.ts";
import { failUnusableResult, resolveUnknownSubmit } from "./unknown-fate.ts";
import { type HeldTask, msToDeadline, type WorkDeps } from "./work-deps.ts";

/** Number of submit attempts in which all upstreams may refuse a task; together they take about half a minute. */
const MAX_ATTEMPTS = 5;
/** Number of submit attempts if no upstream could be asked at all; the next one follows in about eight seconds. */
const UNSURE_ATTEMPTS = 2;
/** Used if a 429 does not say how long to wait. */
const COOL_MS = 10_000;
const MAX_COOL_MS = 300_000;
const NOT_TAKEN = "No upstream accepted the task.";

/**
 * Finds an upstream that takes the task. The intent is committed before the call, so that after a crash in between
 * nobody submits the task again. Ends the claim in any case.
 */
export async function submitUpstream(held: HeldTask, deps: WorkDeps): Promise<void> {
  const { store, finisher, random } = deps;
  const { claim } = held;
  const asked = await store.order(claim.id);
  const resolved = await deps.resolveAssets(claim, asked);
  if (resolved.type === "refused") return finisher.fail(claim, { reason: resolved.reason, as: "rejected" });
  if (resolved.type === "unknown") {
    deps.log.warn({ task: claim.id, reason: resolved.reason }, "asset lookup for a task failed; retrying");
    return store.requeue(
      claim,
      resubmitDelayMs(UNSURE_ATTEMPTS, undefined, msToDeadline(held), random()),
      false,
    );
  }

  const order = resolved.type === "bound" ? resolved.order : asked;
  const coolings = await store.coolings();
  const untried = new Set(
    placesOf(deps.serving(claim), claim.model, deps.apiOf).filter(
      ({ place }) =>
        resolved.type === "free" ||
        (place.upstreamId === resolved.upstreamId && place.credentialId === resolved.credentialId),
    ),
  );
  const waits = [...untried].map(({ place }) => coolingMs(place, coolings)).filter((ms) => ms > 0);
  for (const each of untried) if (coolingMs(each.place, coolings) > 0) untried.delete(each);

  let refusals = 0;
  for (;;) {
    // Places that refused a task recently come last, and so do places that are known to fail.
    const candidate = deps.health.choose([...untried], claim.accountId, deps.faults.has);
    if (candidate === undefined) break;
    untried.delete(candidate);
    const inlined = await fitOrder(held, candidate, order, deps);
    if (msToDeadline(held) <= 0) return failOverdue(claim, deps);
    if (inlined.type === "refused") return finisher.fail(claim, { reason: inlined.reason, as: "rejected" });
    const request = requestFor(claim, candidate, inlined.order);
    failpoint("task.intent.before-statement");
    if (!(await store.intend(claim, candidate.place))) return;
    failpoint("task.intent.after-statement");
    deps.health.claim(candidate, claim.accountId);
    const outcome = await post(held, candidate, request, deps);
    // The request was not sent after all. The intent can be taken back while the claim lasts; afterwards nobody can
    // know.
    if (outcome === "too-late") return store.requeue(claim, 0, false);
    if (outcome === "overdue") return failOverdue(claim, deps);
    if (outcome.type !== "refused") return applyOutcome(held, candidate, outcome, deps);
    if (outcome.next === "fail") return finisher.fail(claim, { reason: outcome.reason, as: "rejected" });
    deps.log.warn(
      { task: claim.id, upstream: candidate.upstream.name, next: outcome.next, reason: outcome.reason },
      "task submit was not accepted by an upstream",
    );
    if (outcome.next === "later") {
      const waitMs = Math.min((outcome.retryAfterSeconds ?? 0) * 1000 || COOL_MS, MAX_COOL_MS);
      await store.cool(candidate.place, waitMs);
      waits.push(waitMs);
    } else {
      deps.faults.add(candidate);
      refusals += 1;
    }
  }
  if (waits.length === 0 && refusals > 0 && claim.submitAttempts + 1 >= MAX_ATTEMPTS)
    return finisher.fail(claim, { reason: NOT_TAKEN, as: "no_upstream" });
  const soonest = waits.length > 0 ? Math.min(...waits) : undefined;
  const attempts = refusals > 0 ? claim.submitAttempts : UNSURE_ATTEMPTS;
  await store.requeue(claim, resubmitDelayMs(attempts, soonest, msToDeadline(held), random()), refusals > 0);
}

/** The process that finally gets the response stores it, and the receipt shows a late success. */
function failOverdue(claim: Claim, { finisher }: WorkDeps): Promise<void> {
  return finisher.fail(claim, { reason: TIMED_OUT, as: "upstream_timeout" });
}

/** Stores the outcome of a submit. */
async function applyOutcome(
  held: HeldTask,
  candidate: TaskCandidate,
  outcome: Exclude<SubmitOutcome, { type: "refused" }>,
  deps: WorkDeps,
): Promise<void> {
  switch (outcome.type) {
    case "accepted":
      return keepResponse(held, candidate.place, { upstreamTask: outcome.upstreamId }, deps);
    case "done":
      return keepResponse(held, candidate.place, { immediateResult: outcome.result }, deps);
    case "unclear":
      return resolveUnknownSubmit(held, candidate, outcome.reason, deps);
    case "failed":
      return failUnusableResult(held, candidate.upstream.name, outcome.reason, deps);
    default:
      return unreachable(outcome);
  }
}
