import { useState } from "react";
import type { TaskSummary } from "../../../../src/console/tasks/contract.ts";
import { type Liveness, useEvents } from "../../api/use-events.ts";

/** So many tasks are kept of those heard of; more than any page shows. */
const MOST_KEPT = 500;

/** The account's tasks as they have last been heard of while the page is open, by id. */
export function useLiveTasks(
  account: string,
): readonly [tasks: ReadonlyMap<string, TaskSummary>, liveness: Liveness] {
  const [tasks, setTasks] = useState<ReadonlyMap<string, TaskSummary>>(new Map());
  const liveness = useEvents<TaskSummary>(`/accounts/${account}/tasks/events`, (task) => {
    setTasks((known) => {
      const { [task.id]: _, ...others } = Object.fromEntries(known);
      return new Map([...Object.entries(others), [task.id, task] as const].slice(-MOST_KEPT));
    });
  });
  return [tasks, liveness];
}

/** What a list shows: each of its rows as last heard of, and before them those that are new and belong there. */
export function withLive(
  rows: readonly TaskSummary[],
  live: ReadonlyMap<string, TaskSummary>,
  belongs: (task: TaskSummary) => boolean,
): readonly TaskSummary[] {
  const known = new Set(rows.map(({ id }) => id));
  const newest = rows[0]?.accepted_at ?? "";
  const fresh = [...live.values()].filter(
    (task) => !known.has(task.id) && task.accepted_at >= newest && belongs(task),
  );
  fresh.sort((a, b) => (a.accepted_at < b.accepted_at ? 1 : -1));
  return [...fresh, ...rows.map((row) => live.get(row.id) ?? row)];
}
