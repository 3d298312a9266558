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

/** Unix time in whole seconds, as the wire formats want it. */
export function unixSeconds(clock: Clock): number {
  return Math.floor(clock.nowMs() / 1000);
}
