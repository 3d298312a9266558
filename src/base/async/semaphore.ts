/** The terms of a job's wait. */
export interface Turn {
  /** If it is aborted before the job's turn, the job rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Before all others, with places of its own to wait in. */
  readonly first?: boolean;
}

export interface SemaphoreOptions {
  readonly maxRunning: number;
  /** The limits of waiting jobs with `first`, and of the others; absent = any number may wait. */
  readonly maxWaiting?: number;
}

/** Called with true if it may run. */
type Waiter = (mayRun: boolean) => void;

/** Bounds how many jobs run at once; the others wait their turn in order. */
export class Semaphore {
  readonly #maxRunning: number;
  readonly #maxWaiting: number;
  #running = 0;
  readonly #first: Waiter[] = [];
  readonly #others: Waiter[] = [];

  constructor({ maxRunning, maxWaiting = Number.POSITIVE_INFINITY }: SemaphoreOptions) {
    this.#maxRunning = maxRunning;
    this.#maxWaiting = maxWaiting;
  }

  get running(): number {
    return this.#running;
  }

  /** Another job would have to wait. */
  get full(): boolean {
    return this.#running >= this.#maxRunning;
  }

  /** True if another job may wait. */
  hasRoom(first = false): boolean {
    return this.#queueOf(first).length < this.#maxWaiting;
  }

  /** Runs the job in its turn. Rejects where it gets none: as many wait as may, or it was sent away. */
  async run<T>(job: () => Promise<T>, turn?: Turn): Promise<T> {
    const entering = this.enter(turn);
    // Awaited only where there is something to wait for: a job that may run has begun when `run` returns.
    if (entering !== true && !(await entering)) throw new Error("the job gets no turn");
    try {
      return await job();
    } finally {
      this.leave();
    }
  }

  /** Waits for a turn: who gets true calls `leave` when its job is over. False = as many wait as may, or it was sent away. */
  enter({ signal, first = false }: Turn = {}): boolean | Promise<boolean> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (!this.full) {
      this.#running += 1;
      return true;
    }
    if (!this.hasRoom(first)) return false;
    const queue = this.#queueOf(first);
    if (signal === undefined) return new Promise((resolve) => queue.push(resolve));
    return new Promise((resolve, reject) => {
      const begin = (mayRun: boolean): void => {
        signal.removeEventListener("abort", giveUp);
        resolve(mayRun);
      };
      const giveUp = (): void => {
        queue.splice(queue.indexOf(begin), 1);
        reject(signal.reason);
      };
      signal.addEventListener("abort", giveUp, { once: true });
      queue.push(begin);
    });
  }

  leave(): void {
    // The place is handed on, so that nobody who comes now slips in between.
    const next = this.#first.shift() ?? this.#others.shift();
    if (next === undefined) this.#running -= 1;
    else next(true);
  }

  /** All that wait now do not get a turn. */
  sendAway(): void {
    for (const waiter of [...this.#first.splice(0), ...this.#others.splice(0)]) waiter(false);
  }

  #queueOf(first: boolean): Waiter[] {
    return first ? this.#first : this.#others;
  }
}
