/**
 * Delays of polls and retries. Pure: `chance` is a random number in [0, 1). Jitter separates the polls of tasks that
 * were accepted together.
 */

const FIRST_POLL_MS = 1_000;
/** Generation takes one to ten minutes and callers poll every 10 s, so polling more often would gain little. */
const MAX_POLL_MS = 20_000;

/** Returns the delay before the next poll of a running task. The last poll is due at the deadline. */
export function pollDelayMs(polls: number, msToDeadline: number, chance: number): number {
  const grown = Math.min(FIRST_POLL_MS * 1.5 ** Math.min(polls, 20), MAX_POLL_MS);
  return withinDeadline(jittered(grown, chance), msToDeadline);
}

const FIRST_RESUBMIT_MS = 2_000;
const MAX_RESUBMIT_MS = 60_000;

/**
 * Returns the delay before upstreams that did not take a task are asked again; `wantedMs` is the vendor's own request.
 */
export function resubmitDelayMs(
  submitAttempts: number,
  wantedMs: number | undefined,
  msToDeadline: number,
  chance: number,
): number {
  const grown = Math.min(FIRST_RESUBMIT_MS * 2 ** Math.min(submitAttempts, 20), MAX_RESUBMIT_MS);
  const delay = wantedMs === undefined ? jittered(grown, chance) : wantedMs * (1 + 0.2 * chance);
  return withinDeadline(delay, msToDeadline);
}

/** Lookups follow after 5, 15, 45 and 120 seconds. */
const FIND_PAUSES_MS = [5_000, 10_000, 30_000, 75_000] as const;

/** Returns the delay before the next lookup of a task whose submit response was lost; undefined = no further lookup. */
export function findDelayMs(polls: number): number | undefined {
  return FIND_PAUSES_MS[polls];
}

/** A response takes a minute or two; a process that was paused or cut off for longer has lost its connections. */
const PREDECESSOR_MS = 120_000;

/** Returns how long the process that submitted a task may still get the response; 0 = it will not. */
export function waitForPredecessorMs(msSinceIntended: number): number {
  // The value is negative if the database's clock went back.
  return Math.max(0, Math.min(PREDECESSOR_MS, PREDECESSOR_MS - msSinceIntended));
}

/** How long a failed task is watched for a late success. */
const LATE_WATCH_MS = 24 * 3_600_000;
const FIRST_LATE_POLL_MS = 60_000;
const MAX_LATE_POLL_MS = 2 * 3_600_000;

/** Returns the delay before the next poll of a failed task; null = it is watched no longer. */
export function lateDelayMs(polls: number, msSinceFinished: number, chance: number): number | null {
  const delay = jittered(Math.min(FIRST_LATE_POLL_MS * 2 ** Math.min(polls, 20), MAX_LATE_POLL_MS), chance);
  return msSinceFinished + delay > LATE_WATCH_MS ? null : delay;
}

function jittered(delayMs: number, chance: number): number {
  return Math.round(delayMs * (0.8 + 0.4 * chance));
}

function withinDeadline(delayMs: number, msToDeadline: number): number {
  return Math.round(Math.max(0, Math.min(delayMs, msToDeadline)));
}

/** Error message of a task that exceeded its deadline. */
export const TIMED_OUT = "The task did not finish in time.";

/** Error message of a task whose submit has no known outcome. */
export const UNKNOWN_FATE =
  "The vendor's response to the submit was lost, and its outcome is unknown. The task was not submitted again and is free.";
