import type { Database, Queryable } from "../../storage/database.ts";
import { wellFormed } from "../pricing/shared-text.ts";
import {
  type CountTable,
  ERROR_HOURS,
  FAILURE_HOURS,
  type FailureCount,
  UNKNOWN_KEYS,
} from "./count-table.ts";
import type { FailedRequest } from "./failed-request.ts";

/** Rows of one write. */
export interface Failures {
  readonly rows: readonly FailedRequest[];
  readonly failures: readonly FailureCount[];
  readonly errors: readonly FailureCount[];
  readonly unknownKeys: readonly FailureCount[];
}

/** Writes all of them or nothing. */
export async function writeFailures(
  database: Database,
  { rows, failures, errors, unknownKeys }: Failures,
): Promise<void> {
  await database.transaction(async (tx) => {
    await writeRows(tx, rows);
    // One process at a time, so that the rows of an hour are as many as they may be and not as many for each process.
    await tx.execute("select pg_advisory_xact_lock(hashtext('faregate failure counts'))");
    await addCounts(tx, FAILURE_HOURS, failures);
    await addCounts(tx, ERROR_HOURS, errors);
    await addCounts(tx, UNKNOWN_KEYS, unknownKeys);
  });
}

async function writeRows(tx: Queryable, rows: readonly FailedRequest[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.execute(
    `insert into failed_requests (request_id, accepted_at, account_id, key_id, endpoint, model, status, code, message,
       limit_name, upstream, total_ms, in_usage_log, attempts, vendor_ids)
     select r.request_id, to_timestamp(r.accepted_ms / 1000.0), r.account_id, r.key_id, r.endpoint, r.model, r.status,
            r.code, r.message, r.limit_name, r.upstream, r.total_ms, r.in_usage_log, r.attempts,
            array(select distinct a ->> 'vendor_request_id' from jsonb_array_elements(r.attempts) a
                   where a ->> 'vendor_request_id' is not null)
       from jsonb_to_recordset($1::jsonb) as r (request_id text, accepted_ms float8, account_id int8, key_id int8,
         endpoint text, model text, status int4, code text, message text, limit_name text, upstream text,
         total_ms int4, in_usage_log boolean, attempts jsonb)`,
    [jsonOf(rows.map(rowOf))],
  );
}

function rowOf(row: FailedRequest): object {
  return {
    request_id: row.requestId,
    accepted_ms: row.acceptedMs,
    account_id: String(row.accountId),
    key_id: String(row.keyId),
    endpoint: row.endpoint,
    model: row.model,
    status: row.status,
    code: row.code,
    message: row.message,
    limit_name: row.limit,
    upstream: row.upstream,
    total_ms: Math.round(row.totalMs),
    in_usage_log: row.isInUsageLog,
    attempts: row.attempts,
  };
}

/**
 * Adds counts to the rows that an hour has, then as new rows as long as it has room, the largest first, and the rest to the
 * row of others. In the order of their keys, so that nothing waits for each other in a circle. An hour's rows are counted once
 * and not for each count: hence "materialized".
 */
async function addCounts(tx: Queryable, table: CountTable, counts: readonly FailureCount[]): Promise<void> {
  if (counts.length === 0) return;
  const { name, types, other } = table;
  const keys = Object.keys(types);
  const list = keys.join(", ");
  const ofKnown = keys.map((key) => `k.${key} = a.${key}`).join(" and ");
  const keptOrOther = keys.map((key) => `case when is_kept then ${key} else '${other[key]}' end as ${key}`);
  await tx.execute(
    `with added as (
       select * from jsonb_to_recordset($1::jsonb) as r (hour timestamptz, ${keys.map((key) => `${key} ${types[key]}`).join(", ")},
         requests int8, first_at timestamptz, last_at timestamptz, last_request_id text)
     ), room as materialized (
       select hour, $2::int8 - (select count(*) from ${name} k where k.hour = h.hour) as rows
         from (select distinct hour from added) h
     ), ranked as (
       select a.*, room.rows, k.hour is not null as is_known,
              row_number() over (partition by a.hour, k.hour is null order by a.requests desc) as rank
         from added a join room on room.hour = a.hour left join ${name} k on k.hour = a.hour and ${ofKnown}
     ), kept as (
       select hour, ${keptOrOther.join(", ")}, requests, first_at, last_at, last_request_id
         from (select *, is_known or rank <= rows as is_kept from ranked) r
     )
     insert into ${name} (hour, ${list}, requests, first_at, last_at, last_request_id)
     select hour, ${list}, sum(requests)::int8, min(first_at), max(last_at),
            (array_agg(last_request_id order by last_at desc))[1]
       from kept group by hour, ${list} order by hour, ${list}
     on conflict (hour, ${list}) do update
       set requests = ${name}.requests + excluded.requests,
           first_at = least(${name}.first_at, excluded.first_at),
           last_at = greatest(${name}.last_at, excluded.last_at),
           last_request_id = case when excluded.last_at < ${name}.last_at then ${name}.last_request_id
             else excluded.last_request_id end`,
    [jsonOf(counts.map(countOf)), table.mostOfHour],
  );
}

function countOf({ hourMs, keys, requests, firstMs, lastMs, lastRequestId }: FailureCount): object {
  return {
    ...keys,
    hour: new Date(hourMs).toISOString(),
    requests,
    first_at: new Date(firstMs).toISOString(),
    last_at: new Date(lastMs).toISOString(),
    last_request_id: lastRequestId,
  };
}

/** The text without NUL, which PostgreSQL refuses. */
function jsonOf(value: unknown): string {
  return wellFormed(JSON.stringify(value));
}

/** Counts are kept for as long as the usage log; those of unknown keys as long as rows. */
export async function deleteOldCounts(
  db: Queryable,
  { countDays, unknownKeyDays }: { readonly countDays: number; readonly unknownKeyDays: number },
): Promise<void> {
  await deleteHours(db, FAILURE_HOURS, countDays);
  await deleteHours(db, ERROR_HOURS, countDays);
  await deleteHours(db, UNKNOWN_KEYS, unknownKeyDays);
}

async function deleteHours(db: Queryable, { name }: CountTable, days: number): Promise<void> {
  await db.execute(`delete from ${name} where hour < now() - $1::int4 * interval '1 day'`, [days]);
}
