import { useEffect, useRef, useState } from "react";
import type { TaskSummary } from "../../../../src/console/tasks/contract.ts";
import { read } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { type Liveness, useEvents } from "../../api/use-events.ts";
import { isOver } from "./task-state.tsx";

/** So many tasks are kept of those heard of; more than any page shows. */
const MAX_KEPT = 500;

/**
 * The account's tasks as they have last been heard of while the page is open, by id. `awaited` are those that the page
 * shows from here alone.
 */
export function useLiveTasks(
  account: string,
  awaited: readonly string[] = [],
): readonly [tasks: ReadonlyMap<string, TaskSummary>, liveness: Liveness] {
  const [tasks, setTasks] = useState<ReadonlyMap<string, TaskSummary>>(new Map());
  const hear = (task: TaskSummary): void =>
    setTasks((known) => {
      const { [task.id]: _, ...others } = Object.fromEntries(known);
      return new Map([...Object.entries(others), [task.id, task] as const].slice(-MAX_KEPT));
    });
  const liveness = useEvents(`/accounts/${account}/tasks/events`, hear);
  useRegained(liveness, () => {
    void queryClient.invalidateQueries();
    const heard = [...tasks.keys(), ...awaited];
    for (const id of new Set(heard)) {
      const task = tasks.get(id);
      if (task === undefined || !isOver(task))
        void read(`/accounts/${account}/tasks/${id}`).then(hear, () => undefined);
    }
  });
  return [tasks, liveness];
}

/** Catches up when a stream is back: it begins with what runs, and says nothing of what ended meanwhile. */
function useRegained(liveness: Liveness, catchUp: () => void): void {
  const lost = useRef(false);
  const latest = useRef(catchUp);
  latest.current = catchUp;
  useEffect(() => {
    if (liveness === "lost") lost.current = true;
    if (liveness !== "live" || !lost.current) return;
    lost.current = false;
    latest.current();
  }, [liveness]);
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
