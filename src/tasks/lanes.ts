/** Bounds how much runs at each upstream at once; what is beyond waits its turn in order, where upstreams answer. */
export interface Lanes {
  /**
   * Of the job `undefined` means that no answer came in time. While that is all an upstream has to say, what would have to
   * wait for a lane there is sent home with `undefined` too: it would wait as long as those before it, each for nothing.
   */
  run<T>(upstreamId: bigint, job: () => Promise<T | undefined>): Promise<T | undefined>;
  /** Upstreams at which as much runs as may, and more would have to wait. */
  full(): bigint[];
}

interface Lane {
  running: number;
  silent: boolean;
  /** Told whether there is room. */
  readonly waiting: ((room: boolean) => void)[];
}

export function createLanes(most: number): Lanes {
  const lanes = new Map<bigint, Lane>();

  const enter = (lane: Lane): boolean | Promise<boolean> => {
    if (lane.running >= most)
      return lane.silent ? false : new Promise<boolean>((resolve) => lane.waiting.push(resolve));
    lane.running += 1;
    return true;
  };
  const leave = (lane: Lane): void => {
    // The place is handed on, so that nobody who comes now slips in between.
    const next = lane.waiting.shift();
    if (next) next(true);
    else lane.running -= 1;
  };

  return {
    async run(upstreamId, job) {
      const lane = lanes.get(upstreamId) ?? { running: 0, silent: false, waiting: [] };
      lanes.set(upstreamId, lane);
      if (!(await enter(lane))) return undefined;
      try {
        const answer = await job();
        lane.silent = answer === undefined;
        if (lane.silent) for (const sendHome of lane.waiting.splice(0)) sendHome(false);
        return answer;
      } finally {
        leave(lane);
        if (lane.running === 0 && !lane.silent) lanes.delete(upstreamId);
      }
    },
    full: () =>
      [...lanes]
        .filter(([, { running, silent }]) => running >= most && !silent)
        .map(([upstreamId]) => upstreamId),
  };
}
