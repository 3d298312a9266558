import type { Database, Queryable } from "../../storage/database.ts";
import { wellFormed } from "../pricing/shared-text.ts";
import type { FailedRequest } from "./failed-requests.ts";

/** Failures of an hour that are alike. */
export interface FailureCount {
  readonly hourMs: number;
  readonly accountId: bigint;
  readonly keyId: bigint;
  readonly endpoint: string;
  readonly model: string;
  readonly code: string;
  requests: number;
}

/** Requests of an hour whose keys nobody knows. */
export interface UnknownKeyCount {
  readonly hourMs: number;
  readonly address: string;
  readonly prefix: string;
  requests: number;
}

/** Writes all of them or nothing. Counts are added in the order of their keys, so that processes do not block each other. */
export async function writeFailures(
  database: Database,
  rows: readonly FailedRequest[],
  counts: readonly FailureCount[],
  unknown: readonly UnknownKeyCount[],
): Promise<void> {
  await database.transaction(async (tx) => {
    if (rows.length > 0)
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
    if (counts.length > 0)
      await tx.execute(
        `insert into failure_hours (hour, account_id, key_id, endpoint, model, code, requests)
         select to_timestamp("hourMs" / 1000.0), "accountId", "keyId", endpoint, model, code, requests
           from jsonb_to_recordset($1::jsonb) as r ("hourMs" float8, "accountId" int8, "keyId" int8, endpoint text,
             model text, code text, requests int8) order by 1, 2, 3, 4, 5, 6
         on conflict (hour, account_id, key_id, endpoint, model, code)
           do update set requests = failure_hours.requests + excluded.requests`,
        [jsonOf(counts)],
      );
    if (unknown.length > 0)
      await tx.execute(
        `insert into unknown_keys (hour, address, prefix, requests)
         select to_timestamp("hourMs" / 1000.0), address, prefix, requests
           from jsonb_to_recordset($1::jsonb) as r ("hourMs" float8, address text, prefix text, requests int8)
          order by 1, 2, 3
         on conflict (hour, address, prefix) do update set requests = unknown_keys.requests + excluded.requests`,
        [jsonOf(unknown)],
      );
  });
}

function rowOf(row: FailedRequest): object {
  return {
    request_id: row.requestId,
    accepted_ms: row.acceptedMs,
    account_id: row.accountId,
    key_id: row.keyId,
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

/** As the database takes it, whose texts hold no NUL. */
function jsonOf(value: unknown): string {
  return wellFormed(
    JSON.stringify(value, (_name, each: unknown) => (typeof each === "bigint" ? String(each) : each)),
  );
}

/** Counts are kept for as long as the usage log; those of unknown keys as long as rows. */
export async function deleteOldCounts(
  db: Queryable,
  { countDays, unknownKeyDays }: { readonly countDays: number; readonly unknownKeyDays: number },
): Promise<void> {
  await db.execute("delete from failure_hours where hour < now() - $1::int4 * interval '1 day'", [countDays]);
  await db.execute("delete from unknown_keys where hour < now() - $1::int4 * interval '1 day'", [
    unknownKeyDays,
  ]);
}
