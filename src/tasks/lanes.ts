/** Bounds how much runs at each upstream at once; what is beyond waits its turn in order. */
export interface Lanes {
  run<T>(upstreamId: bigint, job: () => Promise<T>): Promise<T>;
  /** Upstreams at which as much runs as may. */
  full(): bigint[];
}

export function createLanes(most: number): Lanes {
  const lanes = new Map<bigint, { running: number; readonly waiting: (() => void)[] }>();
  return {
    async run(upstreamId, job) {
      const lane = lanes.get(upstreamId) ?? { running: 0, waiting: [] };
      lanes.set(upstreamId, lane);
      if (lane.running >= most) await new Promise<void>((resolve) => lane.waiting.push(resolve));
      else lane.running += 1;
      try {
        return await job();
      } finally {
        // The place is handed on, so that nobody who comes now slips in between.
        const next = lane.waiting.shift();
        if (next) next();
        else lane.running -= 1;
        if (lane.running === 0) lanes.delete(upstreamId);
      }
    },
    full: () => [...lanes].filter(([, { running }]) => running >= most).map(([upstreamId]) => upstreamId),
  };
}
