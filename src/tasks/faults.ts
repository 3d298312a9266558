import type { Clock } from "../base/clock.ts";
import type { TaskCandidate } from "./choose.ts";

/** Remembers places that refused a task for reasons of their own: for a while the others are asked before them. */
export interface Faults {
  note(candidate: TaskCandidate): void;
  /** 1 = refused a moment ago, else 0. */
  rank(candidate: TaskCandidate): number;
}

const REMEMBERED_MS = 30_000;

export function createFaults(clock: Clock): Faults {
  const untilMs = new Map<string, number>();
  const keyOf = ({ place }: TaskCandidate): string =>
    `${place.upstreamId} ${place.credentialId} ${place.model}`;
  return {
    note: (candidate) => untilMs.set(keyOf(candidate), clock.monotonicMs() + REMEMBERED_MS),
    rank(candidate) {
      const until = untilMs.get(keyOf(candidate));
      if (until === undefined) return 0;
      if (until > clock.monotonicMs()) return 1;
      untilMs.delete(keyOf(candidate));
      return 0;
    },
  };
}
