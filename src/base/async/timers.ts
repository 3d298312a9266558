import { deferToBatchEnd } from "./event-loop-batch.ts";

/** The timers of one process; the simulation has its own, which it can stop and pause. */
export interface Timers {
  /** Calls back once, after at least `delayMs`; gives a function that prevents it. */
  after(delayMs: number, callback: () => void): () => void;
  /** Calls back once, last of all in this turn of the event loop. */
  defer(callback: () => void): void;
}

export const systemTimers: Timers = {
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
  defer: deferToBatchEnd,
};

export function sleep(timers: Timers, delayMs: number): Promise<void> {
  return new Promise((resolve) => timers.after(delayMs, resolve));
}

/** The awaited value, if it comes in time; undefined = it may still come. */
export function within<T>(waiting: Promise<T>, limitMs: number, timers: Timers): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const cancel = timers.after(Math.max(0, limitMs), () => resolve(undefined));
    waiting.then(resolve, reject).finally(cancel);
  });
}

/** Runs a job again and again, never twice at once; `now` joins a run under way. */
export function runEvery(
  timers: Timers,
  beatMs: number,
  job: () => Promise<void>,
): { now(): Promise<void>; stop(): Promise<void> } {
  let running: Promise<void> | undefined;
  let stopped = false;
  const now = (): Promise<void> => {
    running ??= job().finally(() => {
      running = undefined;
    });
    return running;
  };
  const scheduleNext = (): (() => void) =>
    timers.after(beatMs, () => {
      if (stopped) return;
      void now();
      cancel = scheduleNext();
    });
  let cancel = scheduleNext();
  return {
    now,
    async stop() {
      stopped = true;
      cancel();
      await running;
    },
  };
}

/** Runs a job at once and then every so often; a failure is told to `failed`, and the next beat tries again. */
export function runRepeatedly(
  timers: Timers,
  beatMs: number,
  job: () => Promise<void>,
  failed: (error: unknown) => void,
): { stop(): Promise<void> } {
  const schedule = runEvery(timers, beatMs, () => job().catch(failed));
  void schedule.now();
  return schedule;
}

/** So long, or until the reader goes. */
export function pause(ms: number, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const cancel = systemTimers.after(ms, over);
    gone.addEventListener("abort", over, { once: true });
    function over(): void {
      cancel();
      gone.removeEventListener("abort", over);
      resolve();
    }
  });
}
