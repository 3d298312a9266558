/**
 * What an attempt taught about where it was sent.
 * - `answering`: its answer has begun; how it ends is reported too.
 * - `ok`: it answered; also when it refused the caller's own mistake.
 * - `failed`: it could not be reached, broke off, timed out or answered 5xx.
 * - `rate-limited`: 429 for our account there.
 * - `refused-account`: our key, credit or model name is not accepted there.
 * - `neutral`: nothing (it was full, or we gave up ourselves).
 */
export type AttemptOutcome =
  | { readonly kind: "answering" | "ok" | "failed" | "refused-account" | "neutral" }
  | { readonly kind: "rate-limited"; readonly retryAfterSeconds?: number | undefined };

/** So many failures in a row are no accident. */
const FAILURES_TO_OPEN = 5;

/** A restart or a failover of a vendor takes about this long. */
const OPEN_MS = 30_000;

/** A 429 without `Retry-After` means seconds: vendors count per minute and refill steadily. */
const COOL_DEFAULT_MS = 5_000;
/** A longer `Retry-After` is tried again anyhow, since limits are raised and credit is bought meanwhile. */
const COOL_MAX_MS = 120_000;

/** A wrong key or an empty account is mended by a person, not within seconds. */
const COOL_REFUSED_MS = 300_000;

/** What changed by a report and is worth a line in the log. */
export type HealthChange = "opened" | "closed" | "refused" | "rate-limited" | undefined;

/**
 * The health of one model under one credential of one upstream: as narrow as that, so that a wrong
 * model name or a limit on one model takes nothing else out of service.
 *
 * The breaker keeps requests away: open after five failures in a row, and from then on one probe every
 * 30 s until one succeeds. Cooling only puts a credential behind all others: a request that has no
 * other choice may still try it, so that one caller's 429 is not everybody's outage.
 */
export class Health {
  #failuresInRow = 0;
  /** 0 = closed; else the breaker is open, and this is when the next probe may go. */
  #probeAtMs = 0;
  #probing = false;
  #coolUntilMs = 0;

  /** Whether a request may go there at all. */
  allows(nowMs: number): boolean {
    return this.#probeAtMs === 0 || nowMs >= this.#probeAtMs;
  }

  cooling(nowMs: number): boolean {
    return nowMs < this.#coolUntilMs;
  }

  /** Milliseconds until it has cooled, 0 = it has. */
  coolMs(nowMs: number): number {
    return Math.max(0, this.#coolUntilMs - nowMs);
  }

  get open(): boolean {
    return this.#probeAtMs !== 0;
  }

  /** Milliseconds until a request may go there, 0 = now. */
  waitMs(nowMs: number): number {
    return this.#probeAtMs === 0 ? 0 : Math.max(0, this.#probeAtMs - nowMs);
  }

  /** A request is about to go there; if it is the probe, the next one is 30 s away whatever becomes of it. */
  claim(nowMs: number): void {
    if (this.#probeAtMs === 0) return;
    this.#probeAtMs = nowMs + OPEN_MS;
    this.#probing = true;
  }

  report(outcome: AttemptOutcome, nowMs: number): HealthChange {
    switch (outcome.kind) {
      case "failed":
        return this.#failed(nowMs);
      case "answering":
      case "ok":
        // Cooling goes on: this may have been sent before the 429 came.
        return this.#answered();
      case "rate-limited": {
        const wantedMs = (outcome.retryAfterSeconds ?? 0) * 1_000 || COOL_DEFAULT_MS;
        return this.#cool(Math.min(wantedMs, COOL_MAX_MS), nowMs, "rate-limited");
      }
      case "refused-account":
        return this.#cool(COOL_REFUSED_MS, nowMs, "refused");
      case "neutral":
        // The probe told nothing: the next request is it instead.
        if (this.#probing) this.#probeAtMs = nowMs;
        this.#probing = false;
        return undefined;
    }
  }

  #failed(nowMs: number): HealthChange {
    this.#failuresInRow += 1;
    this.#probing = false;
    // While it is open only the probe counts, and that has moved the next one already.
    if (this.#probeAtMs !== 0 || this.#failuresInRow < FAILURES_TO_OPEN) return undefined;
    this.#probeAtMs = nowMs + OPEN_MS;
    return "opened";
  }

  #answered(): HealthChange {
    this.#failuresInRow = 0;
    this.#probing = false;
    if (this.#probeAtMs === 0) return undefined;
    this.#probeAtMs = 0;
    return "closed";
  }

  /** It does answer, only not for us. */
  #cool(forMs: number, nowMs: number, change: HealthChange): HealthChange {
    const known = this.cooling(nowMs);
    this.#coolUntilMs = Math.max(this.#coolUntilMs, nowMs + forMs);
    this.#answered();
    return known ? undefined : change;
  }
}
