export interface FairSemaphore {
  /** Runs the work in its turn; undefined where as many wait as may. `first`: before all others, in places of their own. */
  run<T>(work: () => Promise<T>, first: boolean): Promise<T> | undefined;
  hasRoom(first: boolean): boolean;
}

/** Lets at most `atOnce` pieces of work run at a time and `mostWaiting` of either kind wait their turn. */
export function createFairSemaphore(atOnce: number, mostWaiting: number): FairSemaphore {
  let running = 0;
  const before: (() => void)[] = [];
  const waiting: (() => void)[] = [];
  const lineOf = (first: boolean) => (first ? before : waiting);

  const run = async <T>(work: () => Promise<T>, first: boolean): Promise<T> => {
    if (running >= atOnce) await new Promise<void>((resolve) => lineOf(first).push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      // The place goes to the next in line, or is free.
      const next = before.shift() ?? waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
  const hasRoom = (first: boolean): boolean => lineOf(first).length < mostWaiting;
  return { hasRoom, run: (work, first) => (hasRoom(first) ? run(work, first) : undefined) };
}
