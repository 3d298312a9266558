import type { AccountId } from "../../accounts/caller.ts";
import type { Queryable } from "../../storage/database.ts";
import type { TaskState } from "../tasks.ts";
import type { StoredTaskPlace } from "./task-records-store.ts";

/** An open task as operators see it. */
export interface QueuedTask {
  readonly id: string;
  readonly accountId: bigint;
  readonly accountName: string;
  readonly medium: "image" | "video";
  readonly model: string;
  readonly state: TaskState;
  readonly progressPercent: number;
  readonly acceptedMicros: bigint;
  readonly acceptedAt: Date;
  readonly deadlineAt: Date;
  /** The time of the next claim; while the task is claimed, the time at which the claim ends unless it is extended. */
  readonly dueAt: Date;
  /** The time of the submit; null = no upstream has been asked, or all of them have refused. */
  readonly intendedAt: Date | null;
  readonly upstreamName: string | null;
  readonly upstreamModel: string | null;
  readonly upstreamTask: string | null;
  /** Passes over the upstreams in which none took the task, and polls since it was submitted. */
  readonly submitAttempts: number;
  readonly polls: number;
  readonly holdNanos: bigint;
  readonly overdue: boolean;
  readonly stuck: boolean;
  readonly ambiguous: boolean;
}

export type QueueTrouble = "overdue" | "stuck" | "ambiguous";

export interface QueueFilter {
  readonly trouble?: QueueTrouble | undefined;
  readonly model?: string | undefined;
  readonly accountId?: bigint | undefined;
}

/** Open tasks, oldest first. The index tasks_due has only these and failed tasks that are still watched. */
export async function listQueue(
  db: Queryable,
  filter: QueueFilter,
  page: { readonly limit: number; readonly above: StoredTaskPlace | undefined },
): Promise<{ readonly tasks: readonly QueuedTask[]; readonly next: StoredTaskPlace | undefined }> {
  const { trouble = null, model = null, accountId = null } = filter;
  const rows = await db.query<QueuedTask>(
    `select ${COLUMNS} from tasks t join accounts a on a.id = t.account_id
      where ${OPEN} and ($1::text is null or t.model = $1) and ($2::int8 is null or t.account_id = $2)
        and ($3::text is null or case $3 when 'overdue' then ${OVERDUE} when 'stuck' then ${STUCK} else ${AMBIGUOUS} end)
        and ($4::int8 is null or (t.accepted_at, t.id) > ('epoch'::timestamptz + $4 * interval '1 microsecond', $5))
      order by t.accepted_at, t.id limit $6`,
    [model, accountId, trouble, page.above?.micros ?? null, page.above?.id ?? null, page.limit + 1],
  );
  const tasks = rows.slice(0, page.limit);
  const last = rows.length > page.limit ? tasks.at(-1) : undefined;
  return { tasks, next: last && { micros: last.acceptedMicros, id: last.id } };
}

/** Number of open tasks of a model in a state, and how many of them have which trouble. */
export interface QueueCount {
  readonly model: string;
  readonly state: TaskState;
  readonly open: bigint;
  readonly overdue: bigint;
  readonly stuck: bigint;
  readonly ambiguous: bigint;
}

export function countQueue(db: Queryable): Promise<QueueCount[]> {
  return db.query<QueueCount>(
    `select t.model, t.state, count(*) as open, count(*) filter (where ${OVERDUE}) as overdue,
            count(*) filter (where ${STUCK}) as stuck, count(*) filter (where ${AMBIGUOUS}) as ambiguous
       from tasks t where ${OPEN} group by t.model, t.state order by t.model, t.state`,
  );
}

/** Number of tasks that failed and were refunded, and are still watched for a late success. */
export async function countWatchedLate(db: Queryable): Promise<bigint> {
  const { watched } = await db.one<{ watched: bigint }>(
    "select count(*) as watched from tasks where due_at is not null and finished_at is not null",
  );
  return watched;
}

/**
 * Makes a submitted task due for a poll now. A worker that holds it loses its claim, as it would by dying: the next one
 * asks the upstream for the task's state and submits nothing. Undefined = there is no such task, it has ended, or no
 * upstream has it.
 */
export async function pollNow(
  tx: Queryable,
  id: string,
): Promise<{ readonly accountId: AccountId; readonly dueAt: Date } | undefined> {
  const found = await tx.maybeOne<{ accountId: AccountId; dueAt: Date }>(
    `select account_id as "accountId", due_at as "dueAt" from tasks
      where id = $1 and finished_at is null and upstream_task is not null for update`,
    [id],
  );
  if (found === undefined) return undefined;
  await tx.execute("update tasks set due_at = now() where id = $1 and due_at > now()", [id]);
  await tx.execute("select pg_notify('tasks', 'due')");
  return found;
}

const OPEN = "t.due_at is not null and t.finished_at is null";
const OVERDUE = "t.deadline_at < now()";
/** Workers claim due tasks within a second. If a task is this late, none is running or none is able to. */
const STUCK = "t.due_at < now() - interval '30 seconds'";
/** The task was submitted longer ago than a response takes, and the outcome is unknown. */
const AMBIGUOUS =
  "(t.intended_at < now() - interval '1 minute' and t.upstream_task is null and t.immediate_result is null)";

const COLUMNS = `t.id, t.account_id as "accountId", a.name as "accountName", t.medium, t.model, t.state,
  t.progress as "progressPercent", (extract(epoch from t.accepted_at) * 1000000)::int8 as "acceptedMicros",
  t.accepted_at as "acceptedAt", t.deadline_at as "deadlineAt", t.due_at as "dueAt", t.intended_at as "intendedAt",
  t.upstream_name as "upstreamName", t.upstream_model as "upstreamModel", t.upstream_task as "upstreamTask",
  t.submit_attempts as "submitAttempts", t.polls, t.hold_nanos as "holdNanos", ${OVERDUE} as overdue, ${STUCK} as stuck,
  coalesce(${AMBIGUOUS}, false) as ambiguous`;

/** Seconds for which tasks avoid a place, keyed by `<upstream id> <credential id> <their model>`. */
export async function readCoolings(db: Queryable): Promise<ReadonlyMap<string, number>> {
  const rows = await db.query<{ place: string; seconds: number }>(
    `select upstream_id || ' ' || credential_id || ' ' || upstream_model as place,
            ceil(extract(epoch from until - now()))::int4 as seconds
       from task_coolings where until > now()`,
  );
  return new Map(rows.map(({ place, seconds }) => [place, seconds]));
}
