import type { Clock } from "../base/clock.ts";
import type { Claim, TaskStore } from "./task-store.ts";

/** A claim lasts so long unless kept: a dead worker's tasks are taken over within this and a beat. */
export const CLAIM_MS = 30_000;
export const KEEP_INTERVAL_MS = 8_000;
/** Nothing is begun on a claim older than this: what follows takes a moment, and clocks and scheduling are not exact. */
const OLDEST_TO_BEGIN_MS = 20_000;

/** A claim and how long it surely lasts, by this process's own steady time. */
export interface Held {
  readonly claim: Claim;
  /** Taken before the statement was sent that claimed or kept it, hence never too late. */
  freshAtMs: number;
  lost: boolean;
  msToDeadline(): number;
  /** To be asked immediately before the upstream is called: a process that was paused may have been replaced. */
  mayBegin(): boolean;
}

export function hold(claim: Claim, freshAtMs: number, clock: Clock): Held {
  const claimedAtMs = freshAtMs;
  const held: Held = {
    claim,
    freshAtMs,
    lost: false,
    msToDeadline: () => claim.msToDeadline - (clock.monotonicMs() - claimedAtMs),
    mayBegin: () => !held.lost && clock.monotonicMs() - held.freshAtMs < OLDEST_TO_BEGIN_MS,
  };
  return held;
}

/** Prolongs the claims; those that are over are marked. Rejects where the board does. */
export async function keepAll(store: TaskStore, all: readonly Held[], clock: Clock): Promise<void> {
  if (all.length === 0) return;
  const freshAtMs = clock.monotonicMs();
  const kept = await store.keep(
    all.map(({ claim }) => claim),
    CLAIM_MS,
  );
  for (const held of all) {
    if (kept.has(held.claim.id)) held.freshAtMs = freshAtMs;
    else held.lost = true;
  }
}
