import type { Queryable } from "../../storage/database.ts";
import type { TaskResult } from "../../upstreams/task-apis/task-api.ts";
import type { Task, TaskState } from "../tasks.ts";

/** A task in the lists of its account. */
export interface TaskRecord {
  readonly id: string;
  readonly requestId: string;
  readonly medium: "image" | "video";
  readonly family: Task["family"];
  readonly model: string;
  readonly action: Task["action"];
  readonly state: TaskState;
  readonly progressPercent: number;
  readonly failReason: string;
  readonly keyId: bigint;
  /** null = the key was deleted. */
  readonly keyName: string | null;
  /** Beginning of the order as JSON; a complete one may contain images. */
  readonly orderStart: string;
  /** For cursors. */
  readonly acceptedMicros: bigint;
  readonly acceptedAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly deadlineAt: Date;
  readonly holdNanos: bigint;
  readonly chargeNanos: bigint | null;
  readonly result: TaskResult | null;
  /** Result of a task that had already failed and been refunded. */
  readonly lateResult: TaskResult | null;
}

export interface TaskFilter {
  readonly medium?: "image" | "video" | undefined;
  readonly model?: string | undefined;
  readonly keyId?: bigint | undefined;
  /** `open` = not ended yet. */
  readonly state?: "open" | "SUCCESS" | "FAILURE" | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

export interface StoredTaskPlace {
  readonly micros: bigint;
  readonly id: string;
}

/**
 * Maximum number of rows that one page reads to find matches: a filter that few of an account's million tasks pass must not
 * read them all in one request. Reading this many takes some tens of milliseconds.
 */
const MAX_READ = 10_000;

/**
 * The account's newest tasks before a cursor, by index tasks_of_account. `next` may be set although fewer tasks than
 * requested were found, or none: it marks how far the search went.
 */
export async function listTasks(
  db: Queryable,
  accountId: bigint,
  filter: TaskFilter,
  page: { readonly limit: number; readonly below: StoredTaskPlace | undefined },
): Promise<{ readonly tasks: readonly TaskRecord[]; readonly next: StoredTaskPlace | undefined }> {
  const { limit, below } = page;
  const window = [
    accountId,
    below?.micros ?? null,
    below?.id ?? null,
    filter.from ?? null,
    filter.to ?? null,
  ];
  const { medium = null, model = null, keyId = null, state = null } = filter;
  const rows = await db.query<TaskRow>(
    `select ${COLUMNS}
       from (select * from tasks where ${WINDOW} order by accepted_at desc, id desc limit $11) t
       left join api_keys k on k.id = t.key_id
      where ($6::text is null or t.medium = $6) and ($7::text is null or t.model = $7)
        and ($8::int8 is null or t.key_id = $8)
        and ($9::text is null or case $9 when 'open' then t.finished_at is null else t.state = $9 end)
      order by t.accepted_at desc, t.id desc limit $10`,
    [...window, medium, model, keyId, state, limit + 1, MAX_READ],
  );
  const tasks = rows.slice(0, limit).map(readRow);
  if (rows.length > limit) return { tasks, next: placeOf(tasks.at(-1)) };
  if ([medium, model, keyId, state].every((each) => each === null)) return { tasks, next: undefined };
  const end = await db.maybeOne<StoredTaskPlace>(
    `select ${MICROS} as micros, t.id from tasks t where ${WINDOW}
      order by t.accepted_at desc, t.id desc offset $6 limit 1`,
    [...window, MAX_READ - 1],
  );
  return { tasks, next: end };
}

/** Returns the account's task; undefined = unknown, or another account's. */
export async function readTaskRecord(
  db: Queryable,
  accountId: bigint,
  id: string,
): Promise<(TaskRecord & { readonly order: string; readonly webhookUrl: string | null }) | undefined> {
  const row = await db.maybeOne<TaskRow & { readonly order: string; readonly webhookUrl: string | null }>(
    `select ${COLUMNS}, t.order_json as "order", t.webhook_url as "webhookUrl"
       from tasks t left join api_keys k on k.id = t.key_id where t.id = $2 and t.account_id = $1`,
    [accountId, id],
  );
  return row && { ...readRow(row), order: row.order, webhookUrl: row.webhookUrl };
}

/** Returns the upstream of a task, because its files may be on the same network; null = none was asked. */
export async function readTaskUpstream(db: Queryable, id: string): Promise<bigint | null> {
  const row = await db.maybeOne<{ upstream: bigint | null }>(
    "select upstream_id as upstream from tasks where id = $1",
    [id],
  );
  return row?.upstream ?? null;
}

/** Maximum number of running tasks that are shown live; the newest ones. */
const MAX_WATCHED = 200;

/** Open tasks of the account. None is older than the longest deadline, which is a day. */
export async function openTasks(db: Queryable, accountId: bigint): Promise<readonly TaskRecord[]> {
  const rows = await db.query<TaskRow>(
    `select ${COLUMNS} from tasks t left join api_keys k on k.id = t.key_id
      where t.account_id = $1 and t.accepted_at > now() - interval '25 hours' and t.finished_at is null
      order by t.accepted_at desc limit ${MAX_WATCHED}`,
    [accountId],
  );
  return rows.map(readRow);
}

/** Present state of these tasks, and of those accepted within the last milliseconds. */
export async function tasksSince(
  db: Queryable,
  accountId: bigint,
  ids: readonly string[],
  sinceMs: number,
): Promise<readonly TaskRecord[]> {
  const rows = await db.query<TaskRow>(
    `select ${COLUMNS} from tasks t left join api_keys k on k.id = t.key_id
      where t.account_id = $1 and t.id in (
        select unnest($2::text[]) union
        (select id from tasks where account_id = $1 and accepted_at > now() - $3 * interval '1 ms'
          order by accepted_at desc limit ${MAX_WATCHED}))`,
    [accountId, ids, sinceMs],
  );
  return rows.map(readRow);
}

const MICROS = "(extract(epoch from t.accepted_at) * 1000000)::int8";

/** Condition for the account's tasks before a cursor and between two times. */
const WINDOW = `account_id = $1
  and ($2::int8 is null or (accepted_at <= 'epoch'::timestamptz + $2 * interval '1 microsecond'
       and (accepted_at, id) < ('epoch'::timestamptz + $2 * interval '1 microsecond', $3::text)))
  and ($4::timestamptz is null or accepted_at >= $4) and ($5::timestamptz is null or accepted_at < $5)`;

const COLUMNS = `t.id, t.request_id as "requestId", t.medium, t.family, t.model, t.action, t.state,
  t.progress as "progressPercent", t.fail_reason as "failReason", t.key_id as "keyId", k.name as "keyName",
  left(t.order_json, 2000) as "orderStart", ${MICROS} as "acceptedMicros", t.accepted_at as "acceptedAt",
  t.started_at as "startedAt", t.finished_at as "finishedAt", t.deadline_at as "deadlineAt",
  t.hold_nanos as "holdNanos", t.charge_nanos as "chargeNanos", t.result, t.late_result as "lateResult"`;

interface TaskRow extends Omit<TaskRecord, "result" | "lateResult"> {
  readonly result: string | null;
  readonly lateResult: string | null;
}

function readRow(row: TaskRow): TaskRecord {
  const { result, lateResult, ...rest } = row;
  return { ...rest, result: readResult(result), lateResult: readResult(lateResult) };
}

function readResult(text: string | null): TaskResult | null {
  return text === null ? null : (JSON.parse(text) as TaskResult);
}

function placeOf(task: TaskRecord | undefined): StoredTaskPlace | undefined {
  return task && { micros: task.acceptedMicros, id: task.id };
}
