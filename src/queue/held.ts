import type { Clock } from "../base/clock.ts";

/** A worker's right to a row of a queue. */
export interface QueueClaim {
  readonly id: string | bigint;
  /** A holder of an outdated fence can change nothing of the row. */
  readonly fence: bigint;
}

/**
 * The part of a claim's time in which work may begin: the rest is a margin, because work takes a moment, and clocks and
 * scheduling are not exact.
 */
const TIME_TO_BEGIN = 2 / 3;

/** A claim and how long it surely lasts, by this process's own steady time. */
export interface Held<Claim extends QueueClaim> {
  readonly claim: Claim;
  /** When it was claimed or kept last; taken before that statement was sent, hence never too late. */
  freshAtMs: number;
  lost: boolean;
  /** The time since the claim, in milliseconds. */
  ageMs(): number;
  /** To be asked immediately before what must not happen twice: a process that was paused may have been replaced. */
  mayBegin(): boolean;
}

export function hold<Claim extends QueueClaim>(
  claim: Claim,
  claimedAtMs: number,
  { clock, claimMs }: { readonly clock: Clock; readonly claimMs: number },
): Held<Claim> {
  const held: Held<Claim> = {
    claim,
    freshAtMs: claimedAtMs,
    lost: false,
    ageMs: () => clock.monotonicMs() - claimedAtMs,
    mayBegin: () => !held.lost && clock.monotonicMs() - held.freshAtMs < claimMs * TIME_TO_BEGIN,
  };
  return held;
}

/** Those that hold so many places or more: others are let past them. `holders` has each once for every place. */
export function overShare<Holder>(least: number, holders: Iterable<Holder>): Holder[] {
  const counts = new Map<Holder, number>();
  for (const holder of holders) counts.set(holder, (counts.get(holder) ?? 0) + 1);
  return [...counts].filter(([, count]) => count >= least).map(([holder]) => holder);
}
