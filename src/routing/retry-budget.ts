/** Each request earns a tenth of a retry, so that retries never come near a fifth of the requests. */
const EARNED_PER_REQUEST = 0.1;

/** A short burst of failures is retried in full. */
const MAX_SAVED = 10;

/**
 * How many requests may go on to another candidate after this upstream failed them. When everything
 * fails, retries multiply the load on what is left; with this, attempts stay below 1.1 a request plus
 * ten.
 */
export class RetryBudget {
  #saved = MAX_SAVED;

  earn(): void {
    this.#saved = Math.min(MAX_SAVED, this.#saved + EARNED_PER_REQUEST);
  }

  /** Takes one retry, if there is one. */
  spend(): boolean {
    // Tenths do not add up exactly in binary.
    if (this.#saved < 1 - 1e-9) return false;
    this.#saved -= 1;
    return true;
  }
}
