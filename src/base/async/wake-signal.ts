import type { Timers } from "./timers.ts";

/**
 * Wakes a loop that looks for work and sleeps where it finds none. A call that comes while the loop is still looking
 * might be about what it has just missed, so it is kept: the loop then does not sleep at all.
 */
export class WakeSignal {
  readonly #timers: Timers;
  #called = false;
  #wake: (() => void) | undefined;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** A look begins: what was called before it, it will see. */
  set(): void {
    this.#called = false;
  }

  call(): void {
    this.#called = true;
    this.#wake?.();
  }

  /** Resolves after so long, or with the first call since it was set. */
  waitFor(ms: number): Promise<void> {
    if (this.#called) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#timers.after(ms, resolve);
      this.#wake = () => {
        this.#wake = undefined;
        cancel();
        resolve();
      };
    });
  }
}
