import { type Timers, within } from "../../base/async/timers.ts";
import { failpoint } from "../../base/failpoint.ts";
import type { AskOutcome } from "../../upstreams/call.ts";
import type {
  PollAbout,
  PollOutcome,
  TaskApiRequest,
  TaskApiResponse,
} from "../../upstreams/task-apis/task-api.ts";
import type { PollResult, TaskStore } from "../store/task-store.ts";
import { advance, isFinal } from "../tasks.ts";
import type { PerUpstreamLimiter } from "./per-upstream-limiter.ts";
import type { TaskCandidate } from "./places.ts";
import { lateDelayMs, pollDelayMs, TIMED_OUT } from "./schedule.ts";
import { type HeldTask, msToDeadline, type WorkDeps } from "./work-deps.ts";

/** A claimed task that has an id at its upstream. */
export interface Submitted {
  readonly held: HeldTask;
  readonly upstreamTask: string;
}

/**
 * Polls a place for tasks of one model and medium, in a batch if the vendor supports it. Ends the claims. Tasks that
 * are still running are written together through `again`. Only the request occupies a slot of the upstream, because
 * copying the files of a success may take minutes. If the upstream was removed, nobody can be asked, and the tasks end
 * at their deadlines.
 */
export async function pollUpstream(
  tasks: readonly Submitted[],
  candidate: TaskCandidate | undefined,
  deps: WorkDeps,
  limiter: PerUpstreamLimiter,
  again: (poll: PollResult) => Promise<void>,
): Promise<void> {
  const outcomes = candidate === undefined ? NOTHING : await askAbout(tasks, candidate, deps, limiter);
  const taken = await Promise.allSettled(
    tasks.map(async ({ held, upstreamTask }) => {
      const outcome = outcomes.get(upstreamTask);
      if (isFinal(held.claim.state)) await applyLateOutcome(held, outcome, deps, again);
      else await applyOutcome(held, outcome, deps, again);
    }),
  );
  for (const each of taken) if (each.status === "rejected") throw each.reason;
}

/** A record is read in a moment, and a poll that runs at the deadline must not delay a task's end. */
const POLL_MS = 30_000;
/** Limit for the last poll of a task whose deadline passed while it waited behind other unanswered polls. */
const LAST_POLL_MS = 10_000;

function pollMs(held: HeldTask): number {
  if (isFinal(held.claim.state)) return POLL_MS;
  return Math.min(POLL_MS, Math.max(LAST_POLL_MS, POLL_MS + msToDeadline(held)));
}

type Outcomes = ReadonlyMap<string, PollOutcome>;
const NOTHING: Outcomes = new Map();

/** Returns outcomes by upstream id; a task without one could not be polled. */
async function askAbout(
  tasks: readonly Submitted[],
  candidate: TaskCandidate,
  deps: WorkDeps,
  limiter: PerUpstreamLimiter,
): Promise<Outcomes> {
  const together = tasks.length > 1 ? await pollBatch(tasks, candidate, deps, limiter) : NOTHING;
  if (together === undefined) return NOTHING;
  // A batch response may always lack a task, which says nothing about the task.
  const left = tasks.filter(({ upstreamTask }) => !together.has(upstreamTask));
  const singly = await Promise.all(left.map((task) => pollSingle(task, candidate, deps, limiter)));
  return new Map([together, ...singly].flatMap((outcomes) => [...outcomes]));
}

/** Undefined = the vendor is down or overloaded, and a request for each task would make that worse. */
async function pollBatch(
  tasks: readonly Submitted[],
  candidate: TaskCandidate,
  deps: WorkDeps,
  limiter: PerUpstreamLimiter,
): Promise<Outcomes | undefined> {
  const { batch } = candidate.api;
  const [first] = tasks;
  if (batch === undefined || first === undefined) return NOTHING;
  const ids = tasks.map(({ upstreamTask }) => upstreamTask);
  const response = await responseTo(
    batch.request(ids, aboutOf(first, candidate)),
    first,
    candidate,
    deps,
    limiter,
  );
  const outcomes = response && readable(() => batch.read(response), NOTHING, first, candidate, deps);
  // The response has none of the tasks: the vendor may not support batches at all.
  if (outcomes?.size === 0) deps.batchless.add(candidate);
  return outcomes;
}

async function pollSingle(
  task: Submitted,
  candidate: TaskCandidate,
  deps: WorkDeps,
  limiter: PerUpstreamLimiter,
): Promise<Outcomes> {
  const { poll, readPoll } = candidate.api;
  if (poll === undefined || readPoll === undefined) return NOTHING;
  const { upstreamTask } = task;
  const response = await responseTo(
    poll(upstreamTask, aboutOf(task, candidate)),
    task,
    candidate,
    deps,
    limiter,
  );
  if (response === undefined) return NOTHING;
  return readable(
    () => {
      const outcome = readPoll(response, upstreamTask);
      if (outcome.type === "running" && outcome.otherTask !== undefined)
        countUnusablePoll(task, candidate, {}, OTHER_TASK, deps);
      return new Map([[upstreamTask, outcome]]);
    },
    NOTHING,
    task,
    candidate,
    deps,
  );
}

/**
 * Reads a response. If our own parser fails, that says nothing about the tasks: they keep running until their deadlines
 * at worst.
 */
function readable<Read>(
  read: () => Read,
  nothing: Read,
  task: Submitted,
  candidate: TaskCandidate,
  deps: WorkDeps,
): Read {
  try {
    return read();
  } catch (err) {
    countUnusablePoll(task, candidate, { err }, UNREADABLE, deps);
    return nothing;
  }
}

const OTHER_TASK = "poll response is about another task; ignoring it";
const UNREADABLE = "poll response could not be read";

/** Raises an alarm once for a task, because its vendor may give the same answer to every poll; the metric counts them all. */
function countUnusablePoll(
  { held: { claim } }: Submitted,
  { upstream: { name: upstream } }: TaskCandidate,
  why: { readonly err?: unknown; readonly reason?: string },
  message: string,
  { unusablePolls, pollAlarms, log }: WorkDeps,
): void {
  const { id: task, requestId } = claim;
  unusablePolls.increment(upstream);
  if (pollAlarms.increment(task) > 1) return;
  log.error({ task, upstream, requestId, ...why, alarm: true }, message);
}

function aboutOf({ held }: Submitted, { place }: TaskCandidate): PollAbout {
  return { model: place.model, medium: held.claim.medium };
}

/** Undefined = there was no response. */
async function responseTo(
  request: TaskApiRequest,
  task: Submitted,
  candidate: TaskCandidate,
  deps: WorkDeps,
  limiter: PerUpstreamLimiter,
): Promise<TaskApiResponse | undefined> {
  const { held } = task;
  const { upstream, credential } = candidate;
  const { ask, timers, scrub } = deps;
  const { requestId } = held.claim;
  const asked = await limiter.run(upstream.id, async () => {
    failpoint("task.poll.before-send");
    const outcome = await within(ask({ upstream, credential, requestId, request }), pollMs(held), timers);
    failpoint("task.poll.after-response");
    return isTimeout(outcome) ? undefined : outcome;
  });
  if (asked?.type === "answered") return asked.response;
  // Another poll would get the same response. The task ends at its deadline, and the vendor may bill it.
  if (asked?.failure.kind === "protocol")
    countUnusablePoll(task, candidate, { reason: scrub(asked.failure.message) }, UNREADABLE, deps);
  return undefined;
}

/** A refused connection fails at once, whereas a silent upstream delays other tasks. */
function isTimeout(outcome: AskOutcome | undefined): boolean {
  return outcome === undefined || (outcome.type === "failed" && outcome.failure.kind === "timeout");
}

/** A result may come a moment after the report of success, but not after four polls. */
const MAX_RESULTLESS = 4;
/** Keeps the poll interval short, at about three seconds: a result follows soon, unlike that of a running task. */
const RESULTLESS_POLLS = 3;
const RESULTLESS = "The vendor reports success but gives no result.";

async function applyOutcome(
  held: HeldTask,
  outcome: PollOutcome | undefined,
  deps: WorkDeps,
  again: (poll: PollResult) => Promise<void>,
): Promise<void> {
  const { claim } = held;
  if (outcome?.type === "succeeded") return deps.finisher.succeed(claim, outcome.result);
  if (outcome?.type === "failed")
    return deps.finisher.fail(claim, { reason: deps.scrub(outcome.reason), as: "upstream_failed" });
  if (outcome?.type === "resultless" && deps.resultless.increment(claim.id) >= MAX_RESULTLESS)
    return deps.finisher.fail(claim, { reason: RESULTLESS, as: "upstream_failed" });
  const leftMs = msToDeadline(held);
  // There is no time for another poll.
  if (leftMs <= 0) return deps.finisher.fail(claim, { reason: TIMED_OUT, as: "upstream_timeout" });
  const { state, progressPercent } = outcome === undefined ? claim : advance(claim, outcome);
  const polls = outcome?.type === "resultless" ? Math.min(claim.polls, RESULTLESS_POLLS) : claim.polls;
  const dueMs = pollDelayMs(polls, leftMs, deps.random());
  await again({ claim, state, progressPercent, dueMs });
}

/** Polls a task that has failed and was refunded. Only a success is of interest, and it changes no money. */
async function applyLateOutcome(
  { claim }: HeldTask,
  outcome: PollOutcome | undefined,
  deps: WorkDeps,
  again: (poll: PollResult) => Promise<void>,
): Promise<void> {
  if (outcome?.type === "succeeded") {
    deps.log.warn({ task: claim.id }, "refunded task succeeded late; its cost is written off");
    return deps.store.keepLateResult(claim, outcome.result);
  }
  const { state, progressPercent, polls, msSinceFinished } = claim;
  const dueMs = lateDelayMs(polls + 1, msSinceFinished ?? 0, deps.random());
  await again({ claim, state, progressPercent, dueMs });
}

/** Results of polls are collected for this long and written in one statement: there may be hundreds a second. */
const GATHER_MS = 20;

export interface PollWriter {
  /** Resolves when the poll is written; rejects for all polls that were written together. */
  write(poll: PollResult): Promise<void>;
}

export function createPollWriter(store: TaskStore, timers: Timers): PollWriter {
  let gathered: PollResult[] = [];
  let writing: Promise<void> | undefined;
  const flush = async (): Promise<void> => {
    await new Promise<void>((resolve) => timers.after(GATHER_MS, resolve));
    const polls = gathered;
    gathered = [];
    writing = undefined;
    await store.polled(polls);
    failpoint("task.poll.after-statement");
  };
  return {
    write(poll) {
      gathered.push(poll);
      writing ??= flush();
      return writing;
    },
  };
}
