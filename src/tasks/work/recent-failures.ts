import type { Clock } from "../../base/clock.ts";
import type { TaskCandidate } from "./places.ts";

/** Remembers for a while which places failed at something. */
export interface RecentFailures {
  add(candidate: TaskCandidate): void;
  /** True if it was noted recently. */
  has(candidate: TaskCandidate): boolean;
}

/** A place that refused one task may accept the next one soon. */
export const REFUSED_MS = 30_000;
/** A batch that fails costs one request. Not using batches that would work costs one request for each task. */
export const BATCHLESS_MS = 60_000;

/** Counts events of tasks or upstreams since the start of this process. */
export interface NamedCounter {
  /** Returns the new count. */
  increment(name: string): number;
  counts(): ReadonlyMap<string, number>;
}

/** Beyond this number, old names are of tasks that others have ended: the oldest are forgotten. */
const MAX_NAMES = 10_000;

export function createNamedCounter(): NamedCounter {
  const counts = new Map<string, number>();
  return {
    increment(name) {
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      const [oldest] = counts.size > MAX_NAMES ? counts.keys() : [];
      if (oldest !== undefined) counts.delete(oldest);
      return count;
    },
    counts: () => counts,
  };
}

export function createRecentFailures(clock: Clock, rememberedMs: number): RecentFailures {
  const untilMs = new Map<string, number>();
  const keyOf = ({ place }: TaskCandidate): string =>
    `${place.upstreamId} ${place.credentialId} ${place.model}`;
  return {
    add: (candidate) => untilMs.set(keyOf(candidate), clock.monotonicMs() + rememberedMs),
    has(candidate) {
      const until = untilMs.get(keyOf(candidate));
      if (until === undefined) return false;
      if (until > clock.monotonicMs()) return true;
      untilMs.delete(keyOf(candidate));
      return false;
    },
  };
}
