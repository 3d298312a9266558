import type { Clock } from "../../base/clock.ts";
import type { TaskCandidate } from "./places.ts";

/** Remembers for a while what places have shown they cannot do. */
export interface RecentFailures {
  add(candidate: TaskCandidate): void;
  /** True if it was noted a while ago at most. */
  has(candidate: TaskCandidate): boolean;
}

/** A place that refused one task may accept the next one soon. */
export const REFUSED_MS = 30_000;
/** To try a batch in vain costs one call; not to try one that would be answered again costs one for each task. */
export const BATCHLESS_MS = 60_000;

/** Counts what happened to tasks, or at upstreams, since the start of this process. */
export interface NamedCounter {
  /** Returns the new count. */
  increment(name: string): number;
  counts(): ReadonlyMap<string, number>;
}

/** More names than this are tasks that others have ended meanwhile: the oldest are forgotten. */
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
