/** Fewer requests at once crowd no place. */
const MIN_CROWD = 16;

/** A place this far above its share counts as full. */
const MAX_OF_SHARE = 1.25;

/** The running requests at one place in this process, for all models. */
export class Load {
  running = 0;
  readonly #waiting = new Set<() => void>();

  /** A request goes there. */
  acquire(): void {
    this.running += 1;
  }

  /** It has come to its end. */
  release(): void {
    this.running = Math.max(0, this.running - 1);
    const [first] = this.#waiting;
    first?.();
  }

  /** Resolves when a request there has come to its end, at the latest after `ms`. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#waiting.add(done);
    });
  }
}

/** True if a place runs more than its share of all requests, and enough of them to matter. */
export function isCrowded(load: Load, share: number, runningAtAll: number): boolean {
  return load.running >= MIN_CROWD && load.running + 1 > MAX_OF_SHARE * share * (runningAtAll + 1);
}
