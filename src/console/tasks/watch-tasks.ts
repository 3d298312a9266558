import type { Queryable } from "../../storage/database.ts";
import { openTasks, type TaskRecord, tasksSince } from "../../tasks/store/task-records-store.ts";
import { pause } from "../pause.ts";

/** While something runs, a bar that moves each second looks alive; else only a new task is waited for. */
const BUSY_INTERVAL_MS = 1_000;
const IDLE_INTERVAL_MS = 3_000;
/** A task may be seen that long after its time of acceptance: its transaction was not over yet. */
const SINCE_MS = 20_000;

/**
 * An account's tasks that are not over, then each one that is new or has changed, until the reader goes. Asks the
 * database by index, once a beat and only while somebody listens. No notification would spare that: progress is told to
 * nobody, as there may be hundreds of looks a second with nobody to watch.
 */
export async function* watchTasks(
  db: Queryable,
  accountId: bigint,
  gone: AbortSignal,
): AsyncGenerator<TaskRecord> {
  const said = new Map<string, string>();
  const open = new Set<string>();
  let found = await openTasks(db, accountId);
  while (!gone.aborted) {
    const seen = new Set<string>(found.map(({ id }) => id));
    for (const task of found) {
      const facts = `${task.state} ${task.progressPercent} ${task.lateResult !== null}`;
      if (task.finishedAt === null) open.add(task.id);
      else open.delete(task.id);
      if (said.get(task.id) === facts) continue;
      said.set(task.id, facts);
      yield task;
    }
    // Neither running nor new: it will not be found again.
    for (const id of said.keys()) if (!seen.has(id)) said.delete(id);
    await pause(open.size > 0 ? BUSY_INTERVAL_MS : IDLE_INTERVAL_MS, gone);
    if (!gone.aborted) found = await tasksSince(db, accountId, [...open], SINCE_MS);
  }
}
