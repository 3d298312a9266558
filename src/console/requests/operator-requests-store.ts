import type { FailedAttempt } from "../../billing/failed-requests/failed-request.ts";
import type { Queryable } from "../../storage/database.ts";
import type { CursorPosition } from "../input.ts";

/** Conditions on requests of all accounts; undefined = no condition. */
export interface WantedOfAll {
  readonly id?: string | undefined;
  readonly accountId?: bigint | undefined;
  readonly keyId?: bigint | undefined;
  readonly userId?: bigint | undefined;
  readonly model?: string | undefined;
  readonly upstream?: string | undefined;
  /** `key=value`; refused requests have none. */
  readonly tag?: string | undefined;
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly outcome?: "failed" | "refused" | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  readonly after?: CursorPosition | undefined;
}

export interface RequestOfAll {
  readonly micros: bigint;
  readonly requestId: string;
  readonly postedAt: Date;
  readonly acceptedAt: Date;
  readonly accountId: bigint;
  readonly accountName: string | null;
  readonly keyId: bigint;
  readonly keyName: string | null;
  readonly endpoint: string;
  readonly model: string | null;
  readonly status: number;
  readonly code: string | null;
  readonly message: string | null;
  readonly limit: string | null;
  readonly isRefused: boolean;
  readonly upstream: string | null;
  readonly attempts: number;
  readonly totalMs: number;
  readonly chargeNanos: bigint;
  readonly tags: readonly string[] | null;
  readonly attemptLog: readonly FailedAttempt[] | null;
}

type Put = (value: unknown) => string;

/**
 * The newest wanted requests, `most` at most: of the usage log, and those refused before it, each by an index of its own
 * and then merged.
 */
export async function readRequestsOfAll(
  db: Queryable,
  wanted: WantedOfAll,
  most: number,
): Promise<RequestOfAll[]> {
  const { userId } = wanted;
  const keys = userId === undefined ? undefined : await readKeysOf(db, userId);
  if (keys?.length === 0) return [];
  const values: unknown[] = [];
  const put: Put = (value) => `$${values.push(value)}`;
  const shared = conditions(wanted, keys, put);
  const limit = put(most);
  const newest = (columns: string, table: string, more: readonly string[]): string =>
    `(select ${columns} from ${table} r where ${[...shared, ...more].join(" and ") || "true"}
       order by r.posted_at desc, r.request_id desc limit ${limit})`;
  const parts: string[] = [];
  if (mayBeRefused(wanted)) parts.push(newest(REFUSED, "failed_requests", ofRefused(wanted, put)));
  if (wanted.outcome !== "refused") parts.push(newest(USED, "usage", ofUsage(wanted, put)));
  if (parts.length === 0) return [];
  return db.query<RequestOfAll>(
    `select (extract(epoch from r.posted_at) * 1000000)::int8 as micros, r.request_id as "requestId",
            r.posted_at as "postedAt", r.accepted_at as "acceptedAt", r.account_id as "accountId", a.name as "accountName",
            r.key_id as "keyId", k.name as "keyName", r.endpoint, r.model, r.status, coalesce(r.code, nullif(f.code, '')) as code,
            nullif(coalesce(r.message, f.message), '') as message, coalesce(r.limit_name, f.limit_name) as "limit",
            r.refused as "isRefused", r.upstream, r.attempts, r.total_ms as "totalMs", r.charge_nanos as "chargeNanos", r.tags,
            f.attempts as "attemptLog"
       from (select * from (${parts.join(" union all ")}) u order by posted_at desc, request_id desc limit ${limit}) r
       left join accounts a on a.id = r.account_id left join api_keys k on k.id = r.key_id
       left join lateral (select * from failed_requests f where f.request_id = r.request_id limit 1) f on true
      order by r.posted_at desc, r.request_id desc`,
    values,
  );
}

/** Nearly all requests have it: no index finds them faster than their time. */
const USUAL_STATUS = 200;

const REFUSED = `r.posted_at, r.request_id, r.accepted_at, r.account_id, r.key_id, r.endpoint, r.model, r.status,
  r.code, r.message, r.limit_name, true as refused, r.upstream, 0 as attempts, r.total_ms, 0::int8 as charge_nanos, null::text[] as tags`;
const USED = `r.posted_at, r.request_id, r.accepted_at, r.account_id, r.key_id, r.endpoint, r.model, r.status,
  r.error_code as code, null::text as message, null::text as limit_name, false as refused, r.upstream, r.attempts,
  r.total_ms, r.charge_nanos, r.tags`;

function isFailure(status: number | undefined): boolean {
  return status !== undefined && (status === 0 || status >= 400);
}

/** Conditions on refused requests, in the form that their indexes support. */
function ofRefused({ code, status }: WantedOfAll, put: Put): string[] {
  const where = ["not r.in_usage_log"];
  if (code !== undefined) where.push(`(case when not r.in_usage_log then r.code end) = ${put(code)}`);
  if (status !== undefined) where.push(`(case when not r.in_usage_log then r.status end) = ${put(status)}`);
  return where;
}

function ofUsage({ code, status, outcome, tag }: WantedOfAll, put: Put): string[] {
  const where: string[] = [];
  if (tag !== undefined) where.push(`r.tags @> array[${put(tag)}]`);
  if (code !== undefined) where.push(`r.error_code = ${put(code)}`);
  if (outcome === "failed") where.push("(r.status >= 400 or r.status = 0)");
  if (status !== undefined) where.push(`r.status = ${put(status)}`);
  // In words, for the planner to see that the index of unusual statuses serves.
  if (status !== undefined && status !== USUAL_STATUS) where.push(`r.status <> ${USUAL_STATUS}`);
  return where;
}

/** A refused request was answered by an error, and no upstream was asked. */
function mayBeRefused({ status, upstream, tag }: WantedOfAll): boolean {
  return upstream === undefined && tag === undefined && (status === undefined || isFailure(status));
}

/** Read before, as the planner knows nothing of how few requests the keys of a subquery have. */
async function readKeysOf(db: Queryable, userId: bigint): Promise<bigint[]> {
  const keys = await db.query<{ id: bigint }>("select id from api_keys where created_by = $1", [userId]);
  return keys.map(({ id }) => id);
}

function conditions(wanted: WantedOfAll, keys: readonly bigint[] | undefined, put: Put): string[] {
  const { id, accountId, keyId, model, upstream, from, to, after } = wanted;
  const where: string[] = [];
  if (id !== undefined) {
    const own = put(id);
    // In an array, so that the planner looks each of the few up.
    where.push(
      `r.request_id = any(array(select ${own} union select request_id from failed_requests where vendor_ids @> array[${own}]))`,
    );
  }
  if (accountId !== undefined) where.push(`r.account_id = ${put(accountId)}`);
  if (keyId !== undefined) where.push(`r.key_id = ${put(keyId)}`);
  if (keys !== undefined) where.push(`r.key_id = any(${put(keys)}::int8[])`);
  if (model !== undefined) where.push(`r.model = ${put(model)}`);
  if (upstream !== undefined) where.push(`r.upstream = ${put(upstream)}`);
  if (from) where.push(`r.posted_at >= ${put(from)}`);
  if (to) where.push(`r.posted_at < ${put(to)}`);
  if (after) {
    const at = `('epoch'::timestamptz + ${put(after.micros)}::int8 * interval '1 microsecond')`;
    where.push(`r.posted_at <= ${at} and (r.posted_at, r.request_id) < (${at}, ${put(after.id)})`);
  }
  return where;
}
