import { Semaphore } from "../../base/async/semaphore.ts";

/** Bounds how much runs at each upstream at once; what is beyond waits its turn in order, where upstreams answer. */
export interface PerUpstreamLimiter {
  /**
   * Runs a job; a result of `undefined` means that no response came in time. Once as many jobs in a row as may run have timed
   * out, jobs that would have to wait return `undefined` at once: they would wait just as long for nothing.
   */
  run<T>(upstreamId: bigint, job: () => Promise<T | undefined>): Promise<T | undefined>;
  /** Upstreams at which as much runs as may, and more would have to wait. */
  full(): bigint[];
}

interface Turns {
  readonly semaphore: Semaphore;
  /** Jobs in a row to which no response came. */
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
