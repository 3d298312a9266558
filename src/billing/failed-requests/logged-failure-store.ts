import type { Queryable } from "../../storage/database.ts";
import type { FailedAttempt } from "./failed-request.ts";

/** A refused or failed request in the log. */
export interface LoggedFailure {
  readonly requestId: string;
  readonly acceptedAt: Date;
  readonly accountId: bigint;
  readonly accountName: string | null;
  readonly keyId: bigint;
  readonly keyName: string | null;
  readonly endpoint: string;
  readonly model: string | null;
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly limit: string | null;
  readonly upstream: string | null;
  readonly totalMs: number;
  readonly isInUsageLog: boolean;
  readonly attempts: readonly FailedAttempt[];
}

/** The latest request of that id, which is ours or the vendor's. */
export function findFailedRequest(db: Queryable, id: string): Promise<LoggedFailure | undefined> {
  return db.maybeOne<LoggedFailure>(
    `select f.request_id as "requestId", f.accepted_at as "acceptedAt", f.account_id as "accountId",
            a.name as "accountName", f.key_id as "keyId", k.name as "keyName", f.endpoint, f.model, f.status, f.code,
            f.message, f.limit_name as "limit", f.upstream, f.total_ms as "totalMs", f.in_usage_log as "isInUsageLog",
            f.attempts
       from failed_requests f left join accounts a on a.id = f.account_id left join api_keys k on k.id = f.key_id
      where f.request_id = $1 or f.vendor_ids @> array[$1] order by f.posted_at desc limit 1`,
    [id],
  );
}
