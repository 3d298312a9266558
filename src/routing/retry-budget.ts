import { createLru } from "../base/lru.ts";

/** Each request earns a tenth of a retry, so that retries never come near a fifth of the requests. */
const EARNED_PER_REQUEST = 0.1;

/** A short burst of failures is retried in full. */
const MAX_SAVED = 10;

/** An account may use half of the budget, and beyond that only what its own requests have earned. */
const MAX_OF_ACCOUNT = MAX_SAVED / 2;

/** Accounts at one upstream; who is forgotten has its half again, and no more than there is. */
const MAX_ACCOUNTS = 2_000;

/**
 * How many requests may go on to another candidate after this upstream failed them. When everything
 * fails, retries multiply the load on what is left; with this, attempts stay below 1.1 a request plus
 * ten. No account can use up what others need.
 */
export class RetryBudget {
  #saved = MAX_SAVED;
  readonly #accounts = createLru<bigint, { saved: number }>(MAX_ACCOUNTS);

  earn(account: bigint): void {
    this.#saved = Math.min(MAX_SAVED, this.#saved + EARNED_PER_REQUEST);
    const own = this.#accounts.get(account);
    if (own !== undefined) own.saved = Math.min(MAX_OF_ACCOUNT, own.saved + EARNED_PER_REQUEST);
  }

  /** Takes one retry, if there is one. */
  spend(account: bigint): boolean {
    const own = this.#accounts.get(account) ?? { saved: MAX_OF_ACCOUNT };
    // Tenths do not add up exactly in binary.
    if (Math.min(this.#saved, own.saved) < 1 - 1e-9) return false;
    this.#saved -= 1;
    own.saved -= 1;
    this.#accounts.set(account, own);
    return true;
  }
}
