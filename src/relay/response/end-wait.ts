/** After the terminal event a well-behaved upstream ends at once; one that does not is not waited for longer. */
const LINGER_MS = 1_000;

/** Where the last finish is no terminal event, usage may be still to come, or more: a packet lost costs over a second. */
const FINISH_MS = 10_000;

/** The wait for the end of a stream that has told its finish. */
export class EndWait {
  readonly #isUp: () => void;
  #timer: NodeJS.Timeout | undefined;
  #ms = 0;
  /** A finish was none: this upstream's are not to be relied upon. */
  #hadFalseFinish = false;

  constructor(isUp: () => void) {
    this.#isUp = isUp;
  }

  /** `isOver`: nothing can follow what has come. */
  wait(isOver: boolean): void {
    const ms = isOver ? LINGER_MS : FINISH_MS;
    if (this.#ms === ms || (this.#hadFalseFinish && !isOver)) return;
    clearTimeout(this.#timer);
    this.#ms = ms;
    this.#timer = setTimeout(this.#isUp, ms);
  }

  /** What was taken for the end was not: nothing ends the stream but its upstream. */
  cancel(): void {
    this.#hadFalseFinish = true;
    this.stop();
    this.#ms = 0;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
