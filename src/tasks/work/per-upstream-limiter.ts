import { Semaphore } from "../../base/async/semaphore.ts";

/** Limits the concurrent jobs of each upstream. Further jobs wait in order, as long as the upstream responds. */
export interface PerUpstreamLimiter {
  /**
   * Runs a job; a result of `undefined` means that no response came in time. Once as many jobs in a row as may run have timed
   * out, jobs that would have to wait return `undefined` at once: they would wait just as long for nothing.
   */
  run<T>(upstreamId: bigint, job: () => Promise<T | undefined>): Promise<T | undefined>;
  /** Upstreams at which further jobs would have to wait. */
  full(): bigint[];
}

interface Turns {
  readonly semaphore: Semaphore;
  /** Number of jobs in a row without a response. */
  silences: number;
}

export function createPerUpstreamLimiter(maxRunning: number): PerUpstreamLimiter {
  const upstreams = new Map<bigint, Turns>();

  const isSilent = ({ silences }: Turns): boolean => silences >= maxRunning;

  return {
    async run(upstreamId, job) {
      const turns = upstreams.get(upstreamId) ?? { semaphore: new Semaphore({ maxRunning }), silences: 0 };
      upstreams.set(upstreamId, turns);
      const { semaphore } = turns;
      if (semaphore.full && isSilent(turns)) return undefined;
      if (!(await semaphore.enter())) return undefined;
      try {
        const response = await job();
        turns.silences = response === undefined ? turns.silences + 1 : 0;
        if (isSilent(turns)) semaphore.sendAway();
        return response;
      } finally {
        semaphore.leave();
        if (semaphore.running === 0 && turns.silences === 0) upstreams.delete(upstreamId);
      }
    },
    full: () =>
      [...upstreams]
        .filter(([, turns]) => turns.semaphore.full && !isSilent(turns))
        .map(([upstreamId]) => upstreamId),
  };
}
