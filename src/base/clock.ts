const FIRST_MS = Date.parse("0000-01-01T00:00:00Z");
const END_MS = Date.parse("+010000-01-01T00:00:00Z");

/**
 * True if a moment (ISO 8601 with a zone) has a year of four digits in UTC too. Other years are written with a sign and
 * six digits, which no catalog file takes: the end of 9999 in New York, somebody's "never", is such a one. What is no
 * moment at all is for others to refuse.
 */
export function hasPlainYear(text: string): boolean {
  const at = Date.parse(text);
  return Number.isNaN(at) || (at >= FIRST_MS && at < END_MS);
}

export const PLAIN_YEAR = "must have a year of four digits in UTC";

/**
 * The only door to time. Two times exist and are never mixed: the wall clock says when something
 * happened (logs, expiry, price validity), the monotonic clock says how long something took (time-outs,
 * leases), because a wall clock may jump.
 */
export interface Clock {
  /** Milliseconds since 1970, as the machine believes. */
  nowMs(): number;
  /** Milliseconds of this process's own steady time; only differences mean anything. */
  monotonicMs(): number;
}

/** The machine's clock. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

/** The last second of the year 9999: later moments have no form that programs agree on, and soon none at all. */
const LAST_SECOND = 253_402_300_799;

/** A moment in Unix seconds as somebody else told it; undefined where no calendar has it. */
export function validSeconds(seconds: unknown): number | undefined {
  return typeof seconds === "number" && seconds > 0 && seconds <= LAST_SECOND
    ? Math.floor(seconds)
    : undefined;
}

/** Unix time in whole seconds, as the wire formats want it. */
export function unixSeconds(clock: Clock): number {
  return Math.floor(clock.nowMs() / 1000);
}
