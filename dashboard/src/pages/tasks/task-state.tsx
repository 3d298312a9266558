import type { ReactNode } from "react";
import type { TaskSummary } from "../../../../src/console/tasks/contract.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { useWords } from "../../words/use-words.ts";
import { tasksWords } from "./words.ts";

type TaskState = TaskSummary["state"];

/** Whether nothing about it will change any more. */
export function isOver({ state }: Pick<TaskSummary, "state">): boolean {
  return state === "SUCCESS" || state === "FAILURE";
}

/** A task's state in a word. */
export function StateBadge({ state }: { readonly state: TaskState }): ReactNode {
  const t = useWords(tasksWords);
  return <Badge tone={TONES[state]}>{t.states[state]}</Badge>;
}

/** How far a task is that runs. */
export function Progress({ percent }: { readonly percent: number }): ReactNode {
  const t = useWords(tasksWords);
  return <progress value={percent} max={100} aria-label={t.progress(percent)} className={BAR} />;
}

/** The browser's own bar in our colours, each engine by its own names. */
const BAR =
  "h-1.5 w-full appearance-none overflow-hidden rounded-full bg-line [&::-webkit-progress-bar]:bg-line [&::-webkit-progress-value]:bg-accent [&::-moz-progress-bar]:bg-accent";

const TONES: Readonly<Record<TaskState, Tone>> = {
  NOT_START: "plain",
  SUBMITTED: "plain",
  QUEUED: "plain",
  IN_PROGRESS: "accent",
  SUCCESS: "good",
  FAILURE: "bad",
};
