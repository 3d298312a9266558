/** After the terminal event a well-behaved upstream ends at once; one that does not is not waited for longer. */
const LINGER_MS = 1_000;

/** If the last finish is not a terminal event, usage or more may follow. One lost packet costs over a second. */
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

  /** The stream continued after its finish: from now on only the upstream ends it. */
  cancel(): void {
    this.#hadFalseFinish = true;
    this.stop();
    this.#ms = 0;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
