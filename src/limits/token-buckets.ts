import type { Clock } from "../base/clock.ts";
import { debtLeft, debtWith, hasRoom, type TokenDebt, type TokenTake } from "./token-bucket.ts";

/** The buckets of keys with a limit of tokens per minute. A limit that changes keeps what was used under the old one. */
export interface TokenBuckets {
  /** Takes tokens ahead if the key may begin a request; else takes nothing. */
  take(key: string, limit: number, tokens: number): TokenTake | Promise<TokenTake>;
  /** Adds what a request used beyond what was taken; negative = gives back. */
  correct(key: string, limit: number, tokens: number): void | Promise<void>;
}

/** Below this no time is spent on looking for buckets that are full again. */
const SWEEP_FROM = 1_000;

/** Buckets of this process alone. */
export class MemoryTokenBuckets implements TokenBuckets {
  readonly #debts = new Map<string, TokenDebt & { readonly limit: number }>();
  readonly #clock: Clock;
  #sweepAt = SWEEP_FROM;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  take(key: string, limit: number, tokens: number): TokenTake {
    const nowMs = this.#clock.monotonicMs();
    const debt = debtLeft(this.#debts.get(key), limit, nowMs);
    if (!hasRoom(debt, limit)) return { taken: false, debt };
    return { taken: true, debt: this.#keep(key, limit, debtWith(debt, tokens, limit), nowMs) };
  }

  correct(key: string, limit: number, tokens: number): void {
    const nowMs = this.#clock.monotonicMs();
    this.#keep(key, limit, debtWith(debtLeft(this.#debts.get(key), limit, nowMs), tokens, limit), nowMs);
  }

  debtOf(key: string, limit: number): number {
    return debtLeft(this.#debts.get(key), limit, this.#clock.monotonicMs());
  }

  /** Takes over a debt that was counted elsewhere. */
  learn(key: string, limit: number, debt: number): void {
    this.#keep(key, limit, debt, this.#clock.monotonicMs());
  }

  /** Keys that owe something. */
  get size(): number {
    return this.#debts.size;
  }

  #keep(key: string, limit: number, tokens: number, atMs: number): number {
    if (tokens === 0) this.#debts.delete(key);
    else this.#debts.set(key, { tokens, atMs, limit });
    if (this.#debts.size >= this.#sweepAt) this.#sweep(atMs);
    return tokens;
  }

  /** Forgets who owes nothing any more, whenever the number of buckets has doubled. */
  #sweep(nowMs: number): void {
    for (const [key, debt] of this.#debts)
      if (debtLeft(debt, debt.limit, nowMs) === 0) this.#debts.delete(key);
    this.#sweepAt = Math.max(SWEEP_FROM, this.#debts.size * 2);
  }
}
