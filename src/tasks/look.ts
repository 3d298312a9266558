import { crashPoint } from "../base/crash-point.ts";
import type { PollOutcome } from "../upstreams/task-apis/task-api.ts";
import { askWithin } from "./ask-within.ts";
import type { Look } from "./board.ts";
import type { TaskCandidate } from "./choose.ts";
import type { Held } from "./held.ts";
import type { Lanes } from "./lanes.ts";
import { lateDelayMs, lookDelayMs, TIMED_OUT } from "./schedule.ts";
import { advance, isFinal } from "./state.ts";
import type { WorkDeps } from "./work-deps.ts";

/** A task in a worker's hands that has an id at its upstream. */
export interface Submitted {
  readonly held: Held;
  readonly upstreamTask: string;
}

/**
 * Asks a place about tasks it has, all of one model and medium, at once where it can. Ends the claims. Those
 * that run on are written together through `again`. Only the asking takes one of the upstream's lanes: the files of a
 * success may be copied for minutes. Where the upstream was removed there is nobody to ask: the tasks run into their deadlines.
 */
export async function lookAt(
  tasks: readonly Submitted[],
  candidate: TaskCandidate | undefined,
  deps: WorkDeps,
  lanes: Lanes,
  again: (look: Look) => Promise<void>,
): Promise<void> {
  const outcomes =
    candidate === undefined
      ? NOTHING
      : await lanes.run(candidate.place.upstreamId, () => askAbout(tasks, candidate, deps));
  const taken = await Promise.allSettled(
    tasks.map(async ({ held, upstreamTask }) => {
      const outcome = outcomes.get(upstreamTask);
      if (isFinal(held.claim.state)) await takeInLate(held, outcome, deps, again);
      else await takeIn(held, outcome, deps, again);
    }),
  );
  for (const each of taken) if (each.status === "rejected") throw each.reason;
}

/** A record is read in a moment, and a look that is under way at the deadline must not keep a task from ending. */
const LOOK_MS = 30_000;

const NOTHING: ReadonlyMap<string, PollOutcome> = new Map();

/** By upstream id; one that is missing could not be asked. */
async function askAbout(
  tasks: readonly Submitted[],
  { upstream, credential, api, place }: TaskCandidate,
  { ask, timers }: WorkDeps,
): Promise<ReadonlyMap<string, PollOutcome>> {
  const [first] = tasks;
  if (first === undefined) return new Map();
  const { requestId, medium } = first.held.claim;
  const about = { model: place.model, medium };
  const { batch, poll, readPoll } = api;
  const whole = batch !== undefined && tasks.length > 1;
  const request = whole
    ? batch.request(
        tasks.map(({ upstreamTask }) => upstreamTask),
        about,
      )
    : poll?.(first.upstreamTask, about);
  if (request === undefined) return new Map();
  crashPoint("task.look.before-send");
  const asked = await askWithin(ask({ upstream, credential, requestId, request }), LOOK_MS, timers);
  crashPoint("task.look.after-answer");
  if (asked === undefined || asked.type === "failed") return new Map();
  if (whole) return batch.read(asked.answer);
  const outcome = readPoll?.(asked.answer);
  return new Map(outcome === undefined ? [] : [[first.upstreamTask, outcome]]);
}

async function takeIn(
  held: Held,
  outcome: PollOutcome | undefined,
  deps: WorkDeps,
  again: (look: Look) => Promise<void>,
): Promise<void> {
  const { claim } = held;
  if (outcome?.type === "succeeded") return deps.finisher.succeed(claim, outcome.result);
  if (outcome?.type === "failed")
    return deps.finisher.fail(claim, { reason: outcome.reason, as: "upstream_failed" });
  const leftMs = held.msToDeadline();
  // That was the last look.
  if (leftMs <= 0) return deps.finisher.fail(claim, { reason: TIMED_OUT, as: "upstream_timeout" });
  const { state, progressPercent } = outcome === undefined ? claim : advance(claim, outcome);
  const dueMs = lookDelayMs(claim.looks, leftMs, deps.random());
  await again({ claim, state, progressPercent, dueMs });
}

/** A task that has failed and was refunded: only a success is news, and changes no money. */
async function takeInLate(
  { claim }: Held,
  outcome: PollOutcome | undefined,
  deps: WorkDeps,
  again: (look: Look) => Promise<void>,
): Promise<void> {
  if (outcome?.type === "succeeded") {
    deps.log.warn({ task: claim.id }, "a task that was refunded has succeeded after all; the house bears it");
    return deps.board.keepLateResult(claim, outcome.result);
  }
  const { state, progressPercent, looks, msSinceFinished } = claim;
  const dueMs = lateDelayMs(looks + 1, msSinceFinished ?? 0, deps.random());
  await again({ claim, state, progressPercent, dueMs });
}
