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
export function validSeconds(told: unknown): number | undefined {
  return typeof told === "number" && told > 0 && told <= LAST_SECOND ? Math.floor(told) : undefined;
}

/** Unix time in whole seconds, as the wire formats want it. */
export function unixSeconds(clock: Clock): number {
  return Math.floor(clock.nowMs() / 1000);
}
