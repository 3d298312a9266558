import type { Clock } from "../base/clock.ts";
import { debtLeft, debtWith, hasRoom, type TokenDebt, type TokenTake } from "./token-bucket.ts";

/** Buckets of keys with a token limit per minute. If the limit changes, the usage so far still counts. */
export interface TokenBuckets {
  /** Takes tokens in advance if the key may begin a request; otherwise takes nothing. */
  take(key: string, limit: number, tokens: number): TokenTake | Promise<TokenTake>;
  /** Corrects the tokens once the usage is known; a negative number returns tokens. */
  correct(key: string, limit: number, tokens: number): void | Promise<void>;
}

/** With fewer buckets, looking for full ones is not worth the time. */
const SWEEP_FROM = 1_000;

/** Buckets of this process only. */
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

  /** Adopts a debt that another process counted. */
  learn(key: string, limit: number, debt: number): void {
    this.#keep(key, limit, debt, this.#clock.monotonicMs());
  }

  /** Number of keys with a debt. */
  get size(): number {
    return this.#debts.size;
  }

  #keep(key: string, limit: number, tokens: number, atMs: number): number {
    if (tokens === 0) this.#debts.delete(key);
    else this.#debts.set(key, { tokens, atMs, limit });
    if (this.#debts.size >= this.#sweepAt) this.#sweep(atMs);
    return tokens;
  }

  /** Removes full buckets each time that the number of buckets has doubled. */
  #sweep(nowMs: number): void {
    for (const [key, debt] of this.#debts)
      if (debtLeft(debt, debt.limit, nowMs) === 0) this.#debts.delete(key);
    this.#sweepAt = Math.max(SWEEP_FROM, this.#debts.size * 2);
  }
}
