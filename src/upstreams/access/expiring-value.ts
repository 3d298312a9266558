import type { Clock } from "../../base/clock.ts";

/** Something of limited life, as it came. */
export interface Issued<Value> {
  readonly value: Value;
  readonly lifeMs: number;
}

interface Held<Value> {
  readonly value: Value;
  readonly sinceMs: number;
  /** From here on the next one is asked for. */
  readonly aheadMs: number;
  readonly endMs: number;
}

/** The next one is asked for in the last fifth of a life, and no earlier than five minutes before its end. */
const AHEAD_PARTS = 5;
const MOST_AHEAD_MS = 300_000;
/** A request takes its time to arrive. */
const SPARE_PARTS = 20;
const MOST_SPARE_MS = 10_000;
/** One that came just now is not at fault where it is refused. */
const NEW_MS = 1_000;
/** So long nobody is asked after a failure: doubled with each, up to the second. */
const FIRST_WAIT_MS = 500;
const MOST_WAIT_MS = 30_000;

/**
 * Keeps what expires: asks for it once per life, ahead of its end, whoever waits waits for the same answer, and one that is
 * held is read without a promise. After a failure the same failure is given for a while, so that a vendor that is down or a
 * credential that is wrong is not asked by every request.
 */
export class ExpiringValue<Value> {
  readonly #issue: () => Promise<Issued<Value>>;
  readonly #clock: Clock;
  #held: Held<Value> | undefined;
  #pending: Promise<Value> | undefined;
  #failure: unknown;
  #failures = 0;
  #waitUntilMs = 0;

  constructor(issue: () => Promise<Issued<Value>>, clock: Clock) {
    this.#issue = issue;
    this.#clock = clock;
  }

  /** The present value; undefined = it has to be waited for. */
  current(): Value | undefined {
    const held = this.#held;
    if (held === undefined) return undefined;
    const nowMs = this.#clock.monotonicMs();
    if (nowMs >= held.aheadMs && this.#pending === undefined && nowMs >= this.#waitUntilMs)
      // A failure is reported to callers that need the value once the present one has expired.
      this.#ask().catch(() => undefined);
    return nowMs < held.endMs ? held.value : undefined;
  }

  /** Rejects with what was wrong when it was asked for. */
  get(): Promise<Value> {
    const held = this.current();
    if (held !== undefined) return Promise.resolve(held);
    if (this.#pending !== undefined) return this.#pending;
    if (this.#clock.monotonicMs() < this.#waitUntilMs) return Promise.reject(this.#failure as Error);
    return this.#ask();
  }

  /** It was not taken, so it is not given out again; false = there is no better one to be had. */
  refuse(value: Value): boolean {
    const held = this.#held;
    if (held === undefined || held.value !== value) return true;
    if (this.#clock.monotonicMs() - held.sinceMs < NEW_MS) return false;
    this.#held = undefined;
    return true;
  }

  #ask(): Promise<Value> {
    const askedMs = this.#clock.monotonicMs();
    this.#pending = this.#issue().then(
      ({ value, lifeMs }) => {
        this.#pending = undefined;
        this.#failures = 0;
        this.#waitUntilMs = 0;
        const endMs = askedMs + lifeMs - Math.min(MOST_SPARE_MS, lifeMs / SPARE_PARTS);
        this.#held = {
          value,
          sinceMs: this.#clock.monotonicMs(),
          aheadMs: askedMs + lifeMs - Math.min(MOST_AHEAD_MS, lifeMs / AHEAD_PARTS),
          endMs,
        };
        return value;
      },
      (error: unknown) => {
        this.#pending = undefined;
        this.#failure = error;
        const waitMs = Math.min(MOST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#failures);
        this.#failures += 1;
        this.#waitUntilMs = this.#clock.monotonicMs() + waitMs;
        throw error;
      },
    );
    return this.#pending;
  }
}
