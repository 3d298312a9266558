/** A 429 without `Retry-After` means seconds: vendors count per minute and refill steadily. */
const DEFAULT_MS = 5_000;
/** A longer `Retry-After` is tried again anyhow, since limits are raised and credit is bought meanwhile. */
const MAX_MS = 120_000;

/** A wrong key or an empty account is mended by a person, not within seconds. */
const REFUSED_MS = 300_000;

/**
 * Puts a place behind all others for a while: a request that has no other choice may still try it, so that one caller's 429 is
 * not everybody's outage.
 */
export class Cooling {
  #untilMs = 0;

  /** Milliseconds until it has cooled, 0 = it has. */
  leftMs(nowMs: number): number {
    return Math.max(0, this.#untilMs - nowMs);
  }

  /** True = it did not cool before. */
  rateLimited(retryAfterSeconds: number | undefined, nowMs: number): boolean {
    return this.#cool(Math.min((retryAfterSeconds ?? 0) * 1_000 || DEFAULT_MS, MAX_MS), nowMs);
  }

  /** True = it did not cool before. */
  refused(nowMs: number): boolean {
    return this.#cool(REFUSED_MS, nowMs);
  }

  #cool(forMs: number, nowMs: number): boolean {
    const fresh = nowMs >= this.#untilMs;
    this.#untilMs = Math.max(this.#untilMs, nowMs + forMs);
    return fresh;
  }
}
