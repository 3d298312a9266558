/** Bounds how many jobs run at once; the others wait their turn in order. */
export interface Semaphore {
  /** Rejects with the signal's reason where it is aborted before the job's turn. */
  run<T>(signal: AbortSignal, job: () => Promise<T>): Promise<T>;
  running(): number;
}

export function createSemaphore(most: number): Semaphore {
  const waiting: (() => void)[] = [];
  let running = 0;

  const turn = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const begin = (): void => {
        signal.removeEventListener("abort", giveUp);
        resolve();
      };
      const giveUp = (): void => {
        waiting.splice(waiting.indexOf(begin), 1);
        reject(signal.reason);
      };
      signal.addEventListener("abort", giveUp, { once: true });
      waiting.push(begin);
    });

  return {
    async run(signal, job) {
      signal.throwIfAborted();
      if (running >= most) await turn(signal);
      else running += 1;
      try {
        return await job();
      } finally {
        // The place is handed on, so that nobody who comes now slips in between.
        const next = waiting.shift();
        if (next) next();
        else running -= 1;
      }
    },
    running: () => running,
  };
}
