/** Tokens that a key has used and that have not been refilled yet, at one moment. */
export interface TokenDebt {
  readonly tokens: number;
  /** Milliseconds of the bucket's clock, whichever that is. */
  readonly atMs: number;
}

/** Result of taking tokens, with the new state of the bucket. */
export interface TokenTake {
  readonly taken: boolean;
  /** Tokens used and not refilled yet. */
  readonly debt: number;
}

const MINUTE_MS = 60_000;

/** If a vendor reports absurd usage, the key waits for an hour at most. */
export const MAX_DEBT_MINUTES = 60;

/** Returns the debt at `nowMs`: a limit is refilled evenly over the minute. */
export function debtLeft(debt: TokenDebt | undefined, limit: number, nowMs: number): number {
  if (debt === undefined) return 0;
  return Math.max(0, debt.tokens - (Math.max(0, nowMs - debt.atMs) * limit) / MINUTE_MS);
}

/**
 * True if a request may begin, which needs a debt below the limit by at least one token. A single request may exceed
 * the limit.
 */
export function hasRoom(debt: number, limit: number): boolean {
  return limit - debt >= 1;
}

/** Returns the debt increased by `tokens`, which may be negative. */
export function debtWith(debt: number, tokens: number, limit: number): number {
  return Math.min(Math.max(0, debt + tokens), limit * MAX_DEBT_MINUTES);
}

/** Seconds until a request may begin again; 0 = now. */
export function secondsToRoom(debt: number, limit: number): number {
  return hasRoom(debt, limit) ? 0 : ((debt - limit + 1) * 60) / limit;
}

/** Seconds until the bucket is full again. */
export function secondsToFull(debt: number, limit: number): number {
  return (debt * 60) / limit;
}
