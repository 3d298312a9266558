/**
 * Lets at most `atOnce` pieces of work run at a time and `mostWaiting` wait their turn; undefined where that many
 * wait already.
 */
export function createTurns(
  atOnce: number,
  mostWaiting: number,
): <T>(work: () => Promise<T>) => Promise<T> | undefined {
  let running = 0;
  const waiting: (() => void)[] = [];

  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      // The place goes to the next in line, or is free.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
  return (work) => (waiting.length >= mostWaiting ? undefined : run(work));
}
