import { failpoint } from "../base/failpoint.ts";
import { inTurnAll } from "../base/lifecycle.ts";
import { overShare } from "../base/over-share.ts";
import { runEvery, sleep } from "../base/timers.ts";
import { WakeSignal } from "../base/wake-signal.ts";
import { CLAIM_MS, type Held, hold, KEEP_INTERVAL_MS, keepAll } from "./held.ts";
import { type NextStep, nextStep } from "./next-step.ts";
import { createPerUpstreamLimiter } from "./per-upstream-limiter.ts";
import { pollUpstream, type Submitted } from "./poll.ts";
import { createPollWriter } from "./poll-writer.ts";
import { TIMED_OUT } from "./schedule.ts";
import { submitUpstream } from "./submit-upstream.ts";
import type { Claim, PollResult, TaskPlace } from "./task-store.ts";
import { canFind, findTask, giveUp } from "./unknown-fate.ts";
import type { WorkDeps } from "./work-deps.ts";

export interface Worker {
  /** Something is due. */
  wake(): void;
  /** Tasks in this worker's hands. */
  inHands(): number;
  /** Takes nothing more; what it holds is finished within `graceMs` or left to others. */
  stop(graceMs: number): Promise<void>;
}

/** Submits take a second or two each, those of synchronous vendors a minute. */
const MAX_FRESH = 64;
/** Who has so many of these places gets more where nobody else wants them: others' tasks do not wait for all of theirs. */
const ACCOUNT_SHARE = 16;
/** To look past such an account's tasks reads all that are due, ten thousand at worst: not at each of fifty claims a second. */
const SHARING_INTERVAL_MS = 250;
/** Looks are quick; beyond this the database would be asked for more than the process can do. */
const MAX_SUBMITTED = 256;
/** Calls about running tasks at one upstream, and submits to all of them; a vendor has other customers too. */
const MAX_POLLS_AT_ONCE = 16;
/** In case a notification is lost: a worker looks at the board this often. */
const INTERVAL_MS = 1_000;
/** A board that says something is due may mean what others are about to take, or what is set aside here. */
const SHORTEST_INTERVAL_MS = 50;
const TROUBLED_INTERVAL_MS = 1_000;
/** Work that broke off may break off again: it is not tried without a pause, nor left until its lease is over. */
const BROKEN_OFF_MS = 3_000;

/** Takes due tasks off the board and does what is next for each, until it is stopped. */
export function createWorker(deps: WorkDeps): Worker {
  const { store, clock, timers, log } = deps;
  const hands = new Set<Held>();
  const fresh = new Set<Held>();
  const limiter = createPerUpstreamLimiter(MAX_POLLS_AT_ONCE);
  const writer = createPollWriter(store, timers);
  let stopping = false;
  const alarm = new WakeSignal(timers);

  const heartbeat = runEvery(timers, KEEP_INTERVAL_MS, async () => {
    try {
      await keepAll(store, [...hands], clock);
    } catch (error) {
      log.warn({ err: error }, "claims on tasks could not be prolonged; it will be tried again");
    }
  });

  /** Does a job on tasks and lets go of them whatever happens: what is left undone comes up again. */
  const work = async (tasks: readonly Held[], job: () => Promise<void>): Promise<void> => {
    try {
      await job();
    } catch (error) {
      const claims = tasks.map(({ claim }) => claim);
      const ids = claims.slice(0, 10).map(({ id }) => id);
      log.error({ err: error, tasks: ids }, "work on tasks broke off; it will be tried again");
      // Those that are done know another fence. Where not even this succeeds, they come up when their leases end.
      await store.release(claims, BROKEN_OFF_MS).catch(() => undefined);
    } finally {
      for (const held of tasks) {
        hands.delete(held);
        // It may be due at once, where the upstream answered with the result itself.
        if (fresh.delete(held)) alarm.call();
      }
    }
  };

  const findable = (place: TaskPlace): boolean => {
    const candidate = deps.at(place);
    return candidate !== undefined && canFind(candidate.api);
  };

  const takeDown = (claims: readonly Claim[], freshAtMs: number): void => {
    const polls: (Submitted & { readonly place: TaskPlace })[] = [];
    for (const claim of claims) {
      const held = hold(claim, freshAtMs, clock);
      hands.add(held);
      const step = nextStep(claim, findable);
      if (step.do === "look" || step.do === "look-late") {
        polls.push({ held, upstreamTask: step.upstreamTask, place: step.place });
        continue;
      }
      if (claim.place === null) fresh.add(held);
      void work([held], () => single(held, step));
    }
    for (const group of groupsOf(polls)) void pollTogether(group);
  };

  const single = async (held: Held, step: Exclude<NextStep, { do: "look" | "look-late" }>): Promise<void> => {
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
        return giveUp(held, step.place.upstreamName, "the upstream was removed", deps);
      }
      case "wait":
        return store.release([claim], Math.ceil(step.ms));
      case "give-up":
        return giveUp(held, step.place.upstreamName, "the process that sent it ended or was cut off", deps);
    }
  };

  /** Tasks of one place, model and medium. */
  const pollTogether = async (
    group: readonly (Submitted & { readonly place: TaskPlace })[],
  ): Promise<void> => {
    const [first] = group;
    if (first === undefined) return;
    const again = async (poll: PollResult): Promise<void> => {
      await writer.write(poll);
      // Its claim is over, though files of others of its batch may still be copied.
      for (const { held } of group) if (held.claim === poll.claim) hands.delete(held);
    };
    const candidate = deps.at(first.place);
    const together = candidate !== undefined && deps.batchless.rank(candidate) === 0;
    const size = (together ? candidate.api.batch?.most : undefined) ?? 1;
    for (let index = 0; index < group.length; index += size) {
      const part = group.slice(index, index + size);
      const held = part.map((each) => each.held);
      void work(held, () => pollUpstream(part, candidate, deps, limiter, again));
    }
  };

  const run = async (): Promise<void> => {
    let sharedAtMs = Number.NEGATIVE_INFINITY;
    while (!stopping) {
      alarm.set();
      const room = {
        fresh: Math.max(0, MAX_FRESH - fresh.size),
        submitted: Math.max(0, MAX_SUBMITTED - (hands.size - fresh.size)),
      };
      try {
        const freshAtMs = clock.monotonicMs();
        const shares = room.fresh > 0 && freshAtMs >= sharedAtMs + SHARING_INTERVAL_MS;
        const lastAccounts = shares ? overShare(ACCOUNT_SHARE, accountsOf(fresh)) : [];
        if (lastAccounts.length > 0) sharedAtMs = freshAtMs;
        const claims = await store.claim({ ...room, busy: limiter.full(), lastAccounts, claimMs: CLAIM_MS });
        failpoint("task.claim.after-statement");
        takeDown(claims, freshAtMs);
        if (claims.length === 0)
          await alarm.waitFor(Math.max(SHORTEST_INTERVAL_MS, await store.nextDueMs(INTERVAL_MS)));
      } catch (error) {
        log.warn({ err: error }, "tasks could not be taken off the board; it will be tried again");
        await alarm.waitFor(TROUBLED_INTERVAL_MS);
      }
    }
  };
  const running = run();

  return {
    wake: () => alarm.call(),
    inHands: () => hands.size,
    async stop(graceMs) {
      stopping = true;
      alarm.call();
      await running;
      const deadlineMs = clock.monotonicMs() + graceMs;
      while (hands.size > 0 && clock.monotonicMs() < deadlineMs) await sleep(timers, SHORTEST_INTERVAL_MS);
      await inTurnAll(
        () => heartbeat.stop(),
        async () => {
          const left = [...hands].map(({ claim }) => claim);
          // Another process need not wait for their leases; what is lost of this is found by them.
          if (left.length > 0) await store.release(left).catch(() => undefined);
        },
      );
    },
  };
}

function accountsOf(tasks: Iterable<Held>): bigint[] {
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
