/** Tokens that a key has used and that time has not given back yet, as they stood at one moment. */
export interface TokenDebt {
  readonly tokens: number;
  /** Milliseconds of whatever clock the bucket is kept by. */
  readonly atMs: number;
}

/** What became of a wish for tokens, with the bucket as it is since. */
export interface TokenTake {
  readonly taken: boolean;
  /** Used and not given back yet. */
  readonly debt: number;
}

const MINUTE_MS = 60_000;

/** A vendor that reports nonsense keeps a key waiting for an hour at most. */
export const MAX_DEBT_MINUTES = 60;

/** What is left of the debt at `nowMs`: a limit gives back its tokens evenly over the minute. */
export function debtLeft(debt: TokenDebt | undefined, limit: number, nowMs: number): number {
  if (debt === undefined) return 0;
  return Math.max(0, debt.tokens - (Math.max(0, nowMs - debt.atMs) * limit) / MINUTE_MS);
}

/** True if a request may begin: less is owed than the limit, by one token at least. One request may pass the limit. */
export function hasRoom(debt: number, limit: number): boolean {
  return limit - debt >= 1;
}

/** The debt with `tokens` more, or fewer where they are negative. */
export function debtWith(debt: number, tokens: number, limit: number): number {
  return Math.min(Math.max(0, debt + tokens), limit * MAX_DEBT_MINUTES);
}

/** Seconds until a request may begin again; 0 = now. */
export function secondsToRoom(debt: number, limit: number): number {
  return hasRoom(debt, limit) ? 0 : ((debt - limit + 1) * 60) / limit;
}

/** Seconds until nothing is owed any more. */
export function secondsToFull(debt: number, limit: number): number {
  return (debt * 60) / limit;
}
