import type { Scenario } from "../scenario.ts";

/** The progress of a task or asset: a function of its age alone, so that ten thousand of them need no timer. */
export interface Life {
  stage: Stage;
  /** The progress in percent, 0 to 100. */
  percent: number;
  /** Unix milliseconds; undefined = not yet. */
  startedMs: number | undefined;
  endedMs: number | undefined;
}

type Stage = "NOT_START" | "SUBMITTED" | "QUEUED" | "IN_PROGRESS" | "SUCCESS" | "FAILURE";

/** Shares of a task's time at which it reaches the next stage. */
const SUBMITTED_AT = 0.05;
const QUEUED_AT = 0.1;
const STARTED_AT = 0.25;
/** The progress of a task that never ends. */
const STUCK_AT = 0.6;

type Fate = Pick<Scenario, "takesMs" | "never" | "fail" | "moderation" | "recoversMs">;

/** The life of what was begun at `createdMs` and takes `takesMs` where its scenario says nothing else. */
export function lifeAt(nowMs: number, createdMs: number, fate: Fate, usualMs: number): Life {
  const takesMs = fate.takesMs ?? usualMs;
  const ageMs = Math.max(0, nowMs - createdMs);
  const aged = takesMs === 0 ? 1 : ageMs / takesMs;
  const share = fate.never ? Math.min(aged, STUCK_AT) : Math.min(aged, 1);
  const startedMs = share >= STARTED_AT ? createdMs + takesMs * STARTED_AT : undefined;
  if (share < 1) return { stage: stageAt(share), percent: percentAt(share), startedMs, endedMs: undefined };
  const endedMs = createdMs + takesMs;
  const recovered = fate.recoversMs !== undefined && nowMs >= endedMs + fate.recoversMs;
  const stage = reasonOf(fate) === "" || recovered ? "SUCCESS" : "FAILURE";
  return { stage, percent: 100, startedMs, endedMs };
}

/** Why it fails in the end; empty = it does not. */
export function reasonOf(fate: Fate): string {
  if (fate.fail !== undefined) return fate.fail || "the generation failed";
  if (fate.moderation === "result") return "The result was refused by content moderation.";
  return "";
}

function stageAt(share: number): Stage {
  if (share < SUBMITTED_AT) return "NOT_START";
  if (share < QUEUED_AT) return "SUBMITTED";
  return share < STARTED_AT ? "QUEUED" : "IN_PROGRESS";
}

function percentAt(share: number): number {
  if (share < STARTED_AT) return 0;
  return 1 + Math.floor((98 * (share - STARTED_AT)) / (1 - STARTED_AT));
}
