/**
 * Named places where a test may kill the process (`FAREGATE_CRASH_AT=name` or `name:n`), so that
 * every promise about money can be shown to survive a death exactly there. The list is closed: a name
 * that is not here stops the start, and a test walks all of them.
 */
export const TEXT_FAILPOINTS = [
  "request.accepted",
  "hold.taken",
  "journal.begin.before-write",
  "journal.begin.after-write",
  "upstream.before-send",
  "upstream.after-head",
  "upstream.after-first-event",
  "upstream.after-last-byte",
  "journal.end.before-write",
  "journal.end.after-write",
  "response.before-last-byte",
  "response.after-last-byte",
  "flush.before-statement",
  "flush.after-statement",
  "journal.segment.before-delete",
  "journal.recover.before-close",
] as const;

/** Failpoints of images and videos: around every statement and every call to an upstream. */
export const TASK_FAILPOINTS = [
  "task.accept.before-statement",
  "task.accept.after-statement",
  "task.claim.after-statement",
  "task.intent.before-statement",
  "task.intent.after-statement",
  "task.submit.after-response",
  "task.submitted.before-statement",
  "task.submitted.after-statement",
  "task.poll.before-send",
  "task.poll.after-response",
  "task.poll.after-statement",
  "task.finish.before-statement",
  "task.finish.after-statement",
  "task.webhook.after-response",
  "task.webhook.after-statement",
] as const;

/** Failpoints of copied files: reached only if results are mirrored. */
export const MIRROR_FAILPOINTS = ["mirror.before-put", "mirror.after-put"] as const;

export const FAILPOINTS = [...TEXT_FAILPOINTS, ...TASK_FAILPOINTS, ...MIRROR_FAILPOINTS] as const;

export type Failpoint = (typeof FAILPOINTS)[number];

let armed: Failpoint | undefined;
let passesLeft = 0;

/** Arms one point; its nth pass ends the process as kill -9 does. */
export function armFailpoint(name: Failpoint, pass: number): void {
  armed = name;
  passesLeft = pass;
}

/** Marks a place. Costs one comparison when nothing is armed. */
export function failpoint(name: Failpoint): void {
  if (armed !== name) return;
  passesLeft -= 1;
  if (passesLeft <= 0) process.kill(process.pid, "SIGKILL");
}
