/** Ends what one step has started. `graceMs` is how long running work may still take; 0 = cut it. */
export type Stop<T> = (started: T, graceMs: number) => unknown;

/** The log of failed stops. */
interface StopLog {
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}

interface Step {
  readonly name: string;
  readonly stop: (graceMs: number) => unknown;
}

/**
 * The steps that a process has started, as one list. It is stopped in reverse, each step in its own try: a failing step
 * does not keep the others from being stopped.
 */
export class Lifecycle {
  readonly #log: StopLog;
  readonly #steps: Step[] = [];
  readonly #drains: Step[] = [];
  #stopped: Promise<void> | undefined;

  constructor(log: StopLog) {
    this.#log = log;
  }

  /** Starts one part and enters it in the list. What it throws is the caller's: the list itself is stopped by `stop`. */
  async start<T>(name: string, begin: () => T | Promise<T>, stop: Stop<T>): Promise<T> {
    const started = await begin();
    this.#steps.push({ name, stop: (graceMs) => stop(started, graceMs) });
    return started;
  }

  /** Work that is finished before anything is stopped. All drains run at once, so that they share one grace. */
  drain(name: string, stop: (graceMs: number) => unknown): void {
    this.#drains.push({ name, stop });
  }

  /**
   * Drains, then stops every part in reverse. Each failure is logged with its step's name; rejects with the first once
   * everything was tried. A second call waits for the first.
   */
  stop(graceMs: number): Promise<void> {
    this.#stopped ??= this.#stopAll(graceMs);
    return this.#stopped;
  }

  async #stopAll(graceMs: number): Promise<void> {
    const failures: unknown[] = [];
    const run = async ({ name, stop }: Step): Promise<void> => {
      try {
        await stop(graceMs);
      } catch (err) {
        failures.push(err);
        this.#log.error({ err, step: name }, "shutdown step failed; the other steps ran");
      }
    };
    await Promise.all(this.#drains.toReversed().map(run));
    for (const step of this.#steps.toReversed()) await run(step);
    if (failures.length > 0) throw failures[0];
  }
}

/**
 * Runs `work` and then stops whatever it has started, however `work` ended. A failure of `work` is the one that is
 * told; those of the stop behind it are in the log.
 */
export async function withLifecycle<T>(log: StopLog, work: (lifecycle: Lifecycle) => Promise<T>): Promise<T> {
  const lifecycle = new Lifecycle(log);
  let result: T;
  try {
    result = await work(lifecycle);
  } catch (error) {
    await lifecycle.stop(0).catch(() => undefined);
    throw error;
  }
  await lifecycle.stop(0);
  return result;
}

/** Runs every step in turn, each in its own try; rejects with the first failure once all were tried. */
export async function runAllInOrder(...steps: readonly (() => unknown)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** Waits for all of them; rejects with the first failure only then. */
export async function allEnded(running: readonly (Promise<unknown> | undefined)[]): Promise<void> {
  for (const outcome of await Promise.allSettled(running)) {
    if (outcome.status === "rejected") throw outcome.reason;
  }
}
