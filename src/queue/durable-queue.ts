import { runAllInOrder } from "../base/async/lifecycle.ts";
import { runEvery, runRepeatedly, sleep, type Timers } from "../base/async/timers.ts";
import { WakeSignal } from "../base/async/wake-signal.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../observe/log.ts";
import { type Held, hold, type QueueClaim } from "./held.ts";

/**
 * Rows of a table as a queue: a row is due at a time, a claim moves that time to the claim's end and raises the row's fence,
 * and whoever knows an outdated fence changes nothing. So what a dead worker held comes up again by itself, and a worker
 * that was paused for longer than its claim can do no harm. All times are told by the database's clock.
 */
export interface QueueStore<Claim extends QueueClaim, Wanted> {
  /** Takes what is due, in order; each claim lasts `claimMs` unless it is kept. */
  claim(wanted: Wanted, claimMs: number): Promise<readonly Claim[]>;
  /** Prolongs claims; gives the ids of those that still are. */
  keep(claims: readonly Claim[], claimMs: number): Promise<ReadonlySet<Claim["id"]>>;
  /** Ends claims with nothing done, to be due at once or in `dueMs`. */
  release(claims: readonly Claim[], dueMs?: number): Promise<void>;
  /** Milliseconds until something is due that may be wanted, at most `maxMs`. */
  nextDueMs(maxMs: number, wanted: Wanted): Promise<number>;
  /** Makes due what is due later than anyone asked for: the database's clock went back since. Gives how many. */
  clampDueTimes(): Promise<number>;
}

export interface DurableQueueOptions<Claim extends QueueClaim, Wanted> {
  /** For the log. */
  readonly name: string;
  readonly store: QueueStore<Claim, Wanted>;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** The lifetime of a claim unless it is extended. */
  readonly claimMs: number;
  /** Claims are kept this often; null = none lasts as long as its work may take. */
  readonly keepIntervalMs: number | null;
  /** In case a notification is lost, and after a failure: what is due is asked for this often. */
  readonly intervalMs: number;
  /** Due rows may be about to be claimed by others, or unwanted here: this is the pause before the next claim. */
  readonly shortestIntervalMs: number;
  readonly clampIntervalMs: number;
  /** Work that broke off may break off again: it is not tried without a pause, nor left until its claim ends. */
  readonly brokenOffMs: number;
  /** The rows to claim next, beside those that this worker holds. */
  wanted(held: ReadonlySet<Held<Claim>>, nowMs: number): Wanted;
  /** Begins the work on what was claimed, which may be nothing, by `DurableQueue.work`. */
  begin(held: readonly Held<Claim>[]): void;
  /** Work broke off; those claims are released. */
  brokeOff(error: unknown, claims: readonly Claim[]): void;
}

export interface DurableQueue<Claim extends QueueClaim> {
  /** Something is due, or there is room for more. */
  wake(): void;
  /** The number of rows that this worker has claimed and not released. */
  inFlight(): number;
  /** Does a job and lets go of its claims whatever happens: what is left undone comes up again. Never rejects. */
  work(held: readonly Held<Claim>[], job: () => Promise<void>): Promise<void>;
  /** The claim is over though its job is not. */
  letGo(held: Held<Claim>): void;
  /** Claims nothing more; work under way is waited for `graceMs`, and what is left then is released to other workers. Never rejects. */
  stop(graceMs: number): Promise<void>;
}

/** Claims what is due until it is stopped, in one of any number of processes. */
export function createDurableQueue<Claim extends QueueClaim, Wanted>(
  options: DurableQueueOptions<Claim, Wanted>,
): DurableQueue<Claim> {
  const { name, store, clock, timers, log, claimMs, shortestIntervalMs, intervalMs } = options;
  const all = new Set<Held<Claim>>();
  const signal = new WakeSignal(timers);
  let stopping = false;

  const run = async (): Promise<void> => {
    while (!stopping) {
      signal.set();
      try {
        // Before the statement is sent, so that no claim is taken for younger than it is.
        const nowMs = clock.monotonicMs();
        const wanted = options.wanted(all, nowMs);
        const claims = await store.claim(wanted, claimMs);
        const held = claims.map((claim) => hold(claim, nowMs, { clock, claimMs }));
        for (const each of held) all.add(each);
        options.begin(held);
        if (held.length === 0)
          await signal.waitFor(Math.max(shortestIntervalMs, await store.nextDueMs(intervalMs, wanted)));
      } catch (err) {
        log.warn({ err, queue: name }, "queue claim failed; retrying");
        await signal.waitFor(intervalMs);
      }
    }
  };

  /** Prolongs the claims; those that are over are marked. */
  const keep = async (): Promise<void> => {
    const held = [...all];
    if (held.length === 0) return;
    const nowMs = clock.monotonicMs();
    const kept = await store.keep(
      held.map(({ claim }) => claim),
      claimMs,
    );
    for (const each of held) {
      if (kept.has(each.claim.id)) each.freshAtMs = nowMs;
      else each.lost = true;
    }
  };

  const clamp = async (): Promise<void> => {
    const count = await store.clampDueTimes();
    if (count > 0)
      log.warn({ queue: name, count }, "database clock went back; adjusted the due times of a queue");
  };

  const keeping =
    options.keepIntervalMs === null
      ? undefined
      : runEvery(timers, options.keepIntervalMs, () =>
          keep().catch((err: unknown) => {
            log.warn({ err, queue: name }, "queue claim extension failed; retrying");
          }),
        );
  const clamping = runRepeatedly(timers, options.clampIntervalMs, clamp, (err) => {
    log.warn({ err, queue: name }, "queue due-time check failed; retrying");
  });
  const running = run();

  return {
    wake: () => signal.call(),
    inFlight: () => all.size,
    async work(held, job) {
      try {
        await job();
      } catch (error) {
        const claims = held.map(({ claim }) => claim);
        options.brokeOff(error, claims);
        // Those that are done know another fence. Where not even this succeeds, they come up when their claims end.
        await store.release(claims, options.brokenOffMs).catch(() => undefined);
      } finally {
        for (const each of held) all.delete(each);
      }
    },
    letGo: (held) => void all.delete(held),
    async stop(graceMs) {
      stopping = true;
      signal.call();
      await running;
      const deadlineMs = clock.monotonicMs() + graceMs;
      while (all.size > 0 && clock.monotonicMs() < deadlineMs) await sleep(timers, shortestIntervalMs);
      await runAllInOrder(
        () => keeping?.stop(),
        () => clamping.stop(),
        async () => {
          // Other workers need not wait for these claims to end; what is lost of this is found by them.
          if (all.size > 0) await store.release(Array.from(all, ({ claim }) => claim)).catch(() => undefined);
        },
      );
    },
  };
}
