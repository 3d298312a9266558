/** The sandbox's time: real time plus whatever a test added, so that cache lifetimes need no waiting. */
export interface Clock {
  /** Unix milliseconds, shifted. */
  nowMs(): number;
  /** Unix milliseconds, never shifted: for the journal. */
  realMs(): number;
  advance(byMs: number): void;
  reset(): void;
}

export function createClock(): Clock {
  let shiftMs = 0;
  return {
    nowMs: () => Date.now() + shiftMs,
    realMs: () => Date.now(),
    advance: (byMs) => {
      shiftMs += byMs;
    },
    reset: () => {
      shiftMs = 0;
    },
  };
}
