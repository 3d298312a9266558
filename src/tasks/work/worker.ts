import { assert } from "../../base/assert.ts";
import { failpoint } from "../../base/failpoint.ts";
import { createDurableQueue } from "../../queue/durable-queue.ts";
import { overShare } from "../../queue/held.ts";
import type { TaskResult } from "../../upstreams/task-apis/task-api.ts";
import type { Claim, ClaimOptions, PollResult, TaskPlace } from "../store/task-store.ts";
import { isFinal } from "../tasks.ts";
import { createPerUpstreamLimiter } from "./per-upstream-limiter.ts";
import { createPollWriter, pollUpstream, type Submitted } from "./poll.ts";
import { TIMED_OUT, waitForPredecessorMs } from "./schedule.ts";
import { submitUpstream } from "./submit-upstream.ts";
import { canFind, failUnknownSubmit, findTask } from "./unknown-fate.ts";
import type { HeldTask, WorkDeps } from "./work-deps.ts";

export interface Worker {
  /** Reports that something is due. */
  wake(): void;
  /** Tasks that this worker has claimed. */
  inFlight(): number;
  /** Claims no more tasks. Claimed ones are finished within `graceMs` or left to others. */
  stop(graceMs: number): Promise<void>;
}

/** Submits take a second or two each, those of synchronous vendors a minute. */
const MAX_FRESH = 64;
/**
 * Slots that an account may always use. It gets more only while no other account waits: others' tasks don't wait for all of
 * its tasks.
 */
const ACCOUNT_SHARE = 16;
/**
 * Finding tasks of other accounts reads all due tasks, up to ten thousand, which is too much for each of fifty claims a
 * second.
 */
const SHARING_INTERVAL_MS = 250;
/** Polls are quick. With more of them, the database would be asked for more than the process can handle. */
const MAX_SUBMITTED = 256;
/** Maximum of concurrent polls at one upstream, and of submits to all upstreams. */
const MAX_POLLS_AT_ONCE = 16;
/** The tasks of a dead worker are taken over within this time and a second. */
export const CLAIM_MS = 30_000;
const KEEP_INTERVAL_MS = 8_000;
const CLAMP_INTERVAL_MS = 10_000;
/** Covers lost notifications. */
const INTERVAL_MS = 1_000;
const SHORTEST_INTERVAL_MS = 50;
const BROKEN_OFF_MS = 3_000;

/** Claims due tasks and does what is next for each, until it is stopped. */
export function createWorker(deps: WorkDeps): Worker {
  const { store, clock, timers, log } = deps;
  const fresh = new Set<HeldTask>();
  const limiter = createPerUpstreamLimiter(MAX_POLLS_AT_ONCE);
  const writer = createPollWriter(store, timers);
  let sharedAtMs = Number.NEGATIVE_INFINITY;

  const wanted = (held: ReadonlySet<HeldTask>, nowMs: number): ClaimOptions => {
    const room = {
      fresh: Math.max(0, MAX_FRESH - fresh.size),
      submitted: Math.max(0, MAX_SUBMITTED - (held.size - fresh.size)),
    };
    const shares = room.fresh > 0 && nowMs >= sharedAtMs + SHARING_INTERVAL_MS;
    const lastAccounts = shares ? overShare(ACCOUNT_SHARE, accountsOf(fresh)) : [];
    if (lastAccounts.length > 0) sharedAtMs = nowMs;
    return { ...room, busy: limiter.full(), lastAccounts };
  };

  const work = async (tasks: readonly HeldTask[], job: () => Promise<void>): Promise<void> => {
    await queue.work(tasks, job);
    // A task may be due at once, if the upstream responded with the result itself.
    for (const held of tasks) if (fresh.delete(held)) queue.wake();
  };

  const findable = (place: TaskPlace): boolean => {
    const candidate = deps.at(place);
    return candidate !== undefined && canFind(candidate.api);
  };

  const begin = (claimed: readonly HeldTask[]): void => {
    failpoint("task.claim.after-statement");
    const polls: (Submitted & { readonly place: TaskPlace })[] = [];
    for (const held of claimed) {
      const { claim } = held;
      const step = nextStep(claim, findable);
      if (step.do === "poll" || step.do === "poll-late") {
        polls.push({ held, upstreamTask: step.upstreamTask, place: step.place });
        continue;
      }
      if (claim.place === null) fresh.add(held);
      void work([held], () => single(held, step));
    }
    for (const group of groupsOf(polls)) void pollTogether(group);
  };

  const single = async (
    held: HeldTask,
    step: Exclude<NextStep, { do: "poll" | "poll-late" }>,
  ): Promise<void> => {
    const { claim } = held;
    const { finisher } = deps;
    switch (step.do) {
      case "refuse":
        return finisher.fail(claim, { reason: step.reason, as: "rejected" });
      case "succeed":
        return finisher.succeed(claim, step.result);
      case "time-out":
        return finisher.fail(claim, {
          reason: TIMED_OUT,
          as: claim.place === null ? "no_upstream" : "upstream_timeout",
        });
      case "submit":
        return submitUpstream(held, deps);
      case "find": {
        const candidate = deps.at(step.place);
        if (candidate !== undefined) return findTask(held, candidate, deps);
        return failUnknownSubmit(held, step.place.upstreamName, "the upstream was removed", deps);
      }
      case "wait":
        return store.release([claim], Math.ceil(step.ms));
      case "give-up":
        return failUnknownSubmit(
          held,
          step.place.upstreamName,
          "the process that sent it ended or was cut off",
          deps,
        );
    }
  };

  /** All tasks have the same place, model and medium. */
  const pollTogether = async (
    group: readonly (Submitted & { readonly place: TaskPlace })[],
  ): Promise<void> => {
    const [first] = group;
    if (first === undefined) return;
    const again = async (poll: PollResult): Promise<void> => {
      await writer.write(poll);
      // The claim has ended, though files of other tasks in the batch may still be copied.
      for (const { held } of group) if (held.claim === poll.claim) queue.letGo(held);
    };
    const candidate = deps.at(first.place);
    const together = candidate !== undefined && !deps.batchless.has(candidate);
    const size = (together ? candidate.api.batch?.max : undefined) ?? 1;
    for (let index = 0; index < group.length; index += size) {
      const part = group.slice(index, index + size);
      const held = part.map((each) => each.held);
      void work(held, () => pollUpstream(part, candidate, deps, limiter, again));
    }
  };

  const queue = createDurableQueue<Claim, ClaimOptions>({
    name: "tasks",
    store,
    clock,
    timers,
    log,
    wanted,
    begin,
    claimMs: CLAIM_MS,
    keepIntervalMs: KEEP_INTERVAL_MS,
    clampIntervalMs: CLAMP_INTERVAL_MS,
    intervalMs: INTERVAL_MS,
    shortestIntervalMs: SHORTEST_INTERVAL_MS,
    brokenOffMs: BROKEN_OFF_MS,
    brokeOff(error, claims) {
      const ids = claims.slice(0, 10).map(({ id }) => id);
      log.error({ err: error, tasks: ids }, "task work failed; retrying");
    },
  });

  return {
    wake: queue.wake,
    inFlight: queue.inFlight,
    stop: queue.stop,
  };
}

function accountsOf(tasks: Iterable<HeldTask>): bigint[] {
  return Array.from(tasks, ({ claim }) => claim.accountId);
}

function groupsOf<T extends Submitted & { readonly place: TaskPlace }>(polls: readonly T[]): T[][] {
  const groups = new Map<string, T[]>();
  for (const each of polls) {
    const { upstreamId, credentialId, model } = each.place;
    const key = `${upstreamId} ${credentialId} ${each.held.claim.medium} ${model}`;
    const group = groups.get(key);
    if (group) group.push(each);
    else groups.set(key, [each]);
  }
  return [...groups.values()];
}

/** The next step of a claimed task. */
type NextStep =
  /** The order violates its family's rules: fail without asking an upstream. */
  | { readonly do: "refuse"; readonly reason: string }
  | { readonly do: "submit" }
  /** The outcome of the submit is unknown, and this place can look it up. */
  | { readonly do: "find"; readonly place: TaskPlace }
  /**
   * The vendor can't look it up. Wait without another submit, because the process that submitted it may still get the
   * response.
   */
  | { readonly do: "wait"; readonly ms: number }
  /** That process didn't get the response either. */
  | { readonly do: "give-up"; readonly place: TaskPlace }
  | { readonly do: "time-out" }
  /** The upstream responded to the submit with the result itself. */
  | { readonly do: "succeed"; readonly result: TaskResult }
  | { readonly do: "poll"; readonly place: TaskPlace; readonly upstreamTask: string }
  | { readonly do: "poll-late"; readonly place: TaskPlace; readonly upstreamTask: string };

/** Decides by the row alone; `canFind` returns whether a place can look up a submit. */
function nextStep(claim: Claim, canFind: (place: TaskPlace) => boolean): NextStep {
  const { place, upstreamTask, immediateResult } = claim;
  if (isFinal(claim.state)) {
    assert(place !== null && upstreamTask !== null, "a task that is over and was never submitted is due");
    return { do: "poll-late", place, upstreamTask };
  }
  if (claim.violation !== null) return { do: "refuse", reason: claim.violation };
  if (immediateResult !== null) return { do: "succeed", result: immediateResult };
  // This includes the poll at the deadline, which is the last one.
  if (place !== null && upstreamTask !== null) return { do: "poll", place, upstreamTask };
  if (claim.msToDeadline <= 0) return { do: "time-out" };
  if (place === null) return { do: "submit" };
  if (canFind(place)) return { do: "find", place };
  const ms = waitForPredecessorMs(claim.msSinceIntended ?? 0);
  return ms > 0 ? { do: "wait", ms } : { do: "give-up", place };
}
