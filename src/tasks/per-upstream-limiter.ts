/** Bounds how much runs at each upstream at once; what is beyond waits its turn in order, where upstreams answer. */
export interface PerUpstreamLimiter {
  /**
   * Of the job `undefined` means that no answer came in time. Where as many in a row as may run say that, what would have
   * to wait for a lane there is sent home with `undefined` too: it would wait as long as those before it, each for nothing.
   */
  run<T>(upstreamId: bigint, job: () => Promise<T | undefined>): Promise<T | undefined>;
  /** Upstreams at which as much runs as may, and more would have to wait. */
  full(): bigint[];
}

interface Lane {
  running: number;
  /** Jobs in a row to which no answer came. */
  silences: number;
  /** Told whether there is room. */
  readonly waiting: ((room: boolean) => void)[];
}

export function createPerUpstreamLimiter(most: number): PerUpstreamLimiter {
  const limiter = new Map<bigint, Lane>();

  const isSilent = ({ silences }: Lane): boolean => silences >= most;
  const enter = (lane: Lane): boolean | Promise<boolean> => {
    if (lane.running >= most)
      return isSilent(lane) ? false : new Promise<boolean>((resolve) => lane.waiting.push(resolve));
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
      const lane = limiter.get(upstreamId) ?? { running: 0, silences: 0, waiting: [] };
      limiter.set(upstreamId, lane);
      if (!(await enter(lane))) return undefined;
      try {
        const response = await job();
        lane.silences = response === undefined ? lane.silences + 1 : 0;
        if (isSilent(lane)) for (const sendHome of lane.waiting.splice(0)) sendHome(false);
        return response;
      } finally {
        leave(lane);
        if (lane.running === 0 && lane.silences === 0) limiter.delete(upstreamId);
      }
    },
    full: () =>
      [...limiter]
        .filter(([, lane]) => lane.running >= most && !isSilent(lane))
        .map(([upstreamId]) => upstreamId),
  };
}
