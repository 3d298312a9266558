import { sleep, within } from "../../base/async/timers.ts";
import { failpoint } from "../../base/failpoint.ts";
import type { LargeJson } from "../../base/json/large-json.ts";
import type { AttemptOutcome } from "../../routing/health/outcome.ts";
import { isConnectionLoss } from "../../storage/failures.ts";
import type { AskOutcome } from "../../upstreams/call.ts";
import type { SubmitOutcome, TaskApi, TaskApiRequest } from "../../upstreams/task-apis/task-api.ts";
import type { SubmitResponse, TaskPlace } from "../store/task-store.ts";
import type { TaskCandidate } from "./places.ts";
import { pollDelayMs } from "./schedule.ts";
import { type HeldTask, msToDeadline, type WorkDeps } from "./work-deps.ts";

/** Time that a submit that runs at the deadline has left; the specification allows a minute in all. */
const GRACE_MS = 15_000;
const STORE_RETRY_MS = 200;

/**
 * Sends submits; no other function does. `too-late`: nothing was sent, because the claim may be over. `overdue`: the
 * deadline passed during the request, whose response is stored when it comes.
 */
export async function post(
  held: HeldTask,
  candidate: TaskCandidate,
  request: TaskApiRequest,
  deps: WorkDeps,
): Promise<SubmitOutcome | "too-late" | "overdue"> {
  const { upstream, credential, place } = candidate;
  const { requestId } = held.claim;
  const sent = await written(request, deps.largeJson);
  if (!held.mayBegin()) return "too-late";
  const asking = deps.ask({ upstream, credential, requestId, request: sent });
  const read = (outcome: AskOutcome): SubmitOutcome => readOutcome(outcome, { candidate, held, deps });
  const asked = await within(asking, msToDeadline(held) + GRACE_MS, deps.timers);
  failpoint("task.submit.after-response");
  if (asked !== undefined) return scrubbed(read(asked), deps);
  void asking
    .then(async (late) => {
      const outcome = read(late);
      if (outcome.type === "accepted")
        await keepResponse(held, place, { upstreamTask: outcome.upstreamId }, deps);
      if (outcome.type === "done") await keepResponse(held, place, { immediateResult: outcome.result }, deps);
    })
    .catch((error: unknown) => {
      deps.log.error({ err: error, task: held.claim.id }, "late submit response was lost");
    });
  return "overdue";
}

/** Converts the body to bytes, in a thread if it is large. */
async function written(request: TaskApiRequest, largeJson: LargeJson): Promise<TaskApiRequest> {
  const { json, ...rest } = request;
  return json === undefined ? request : { ...rest, body: await largeJson.write(json) };
}

interface Sent {
  readonly candidate: TaskCandidate;
  readonly held: HeldTask;
  readonly deps: WorkDeps;
}

/** Reads the response and reports it to routing. */
function readOutcome(asked: AskOutcome, { candidate, held, deps }: Sent): SubmitOutcome {
  const outcome = outcomeOf(asked, candidate.api.readSubmit);
  const { accountId, model } = held.claim;
  deps.health.report(candidate, healthOf(asked, outcome), { account: accountId, model });
  return outcome;
}

function outcomeOf(asked: AskOutcome, read: TaskApi["readSubmit"]): SubmitOutcome {
  if (asked.type === "answered") return read(asked.response);
  const { kind, phase, message } = asked.failure;
  if (phase !== "connect") return { type: "unclear", reason: message };
  // The request was never sent.
  return kind === "busy"
    ? { type: "refused", next: "later", reason: message, retryAfterSeconds: 1 }
    : { type: "refused", next: "another", reason: message };
}

/** Removes secrets from the vendor's words. */
function scrubbed(outcome: SubmitOutcome, { scrub }: WorkDeps): SubmitOutcome {
  return "reason" in outcome ? { ...outcome, reason: scrub(outcome.reason) } : outcome;
}

/** Stores the response, retrying until the database takes it, because no other process can learn it. */
export async function keepResponse(
  held: HeldTask,
  place: TaskPlace,
  response: SubmitResponse,
  deps: WorkDeps,
): Promise<void> {
  const { claim } = held;
  const pollMs = "immediateResult" in response ? 0 : pollDelayMs(0, msToDeadline(held), deps.random());
  for (;;) {
    try {
      failpoint("task.submitted.before-statement");
      await deps.store.submitted(claim.id, place.upstreamId, response, pollMs);
      failpoint("task.submitted.after-statement");
      return;
    } catch (error) {
      if (!isConnectionLoss(error) || deps.stopped()) throw error;
      deps.log.warn({ err: error, task: claim.id }, "submit response could not be stored; retrying");
      await sleep(deps.timers, STORE_RETRY_MS);
    }
  }
}

/** Returns what the outcome of a submit says about the health of its place. */
function healthOf(asked: AskOutcome, outcome: SubmitOutcome): AttemptOutcome {
  if (asked.type === "failed") {
    const { kind, phase } = asked.failure;
    // The upstream was at its limit, or the gateway itself aborted.
    if (kind === "busy" || kind === "aborted") return { kind: "neutral" };
    return { kind: phase === "connect" && kind !== "protocol" ? "unreachable" : "failed" };
  }
  if (outcome.type === "accepted" || outcome.type === "done") return { kind: "ok" };
  if (outcome.type === "unclear" || outcome.type === "failed") return { kind: "failed" };
  if (outcome.next === "fail") return { kind: "client-error" };
  if (outcome.next === "later") return { kind: "rate-limited", retryAfterSeconds: outcome.retryAfterSeconds };
  return { kind: asked.response.status >= 500 ? "failed" : "neutral" };
}
