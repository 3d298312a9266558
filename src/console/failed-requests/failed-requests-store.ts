import type { AccountId } from "../../accounts/caller.ts";
import type { Queryable } from "../../storage/database.ts";
import type { CursorPosition } from "../input.ts";

/** Conditions on an account's failed requests; undefined = no condition. */
export interface WantedFailures {
  readonly accountId: AccountId;
  readonly keyId: bigint | undefined;
  readonly model: string | undefined;
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly isRefused: boolean | undefined;
  readonly requestId: string | undefined;
  readonly from: Date | undefined;
  readonly to: Date | undefined;
  readonly after: CursorPosition | undefined;
}

export interface AccountFailure {
  readonly micros: bigint;
  readonly requestId: string;
  readonly postedAt: Date;
  readonly acceptedAt: Date;
  readonly keyId: bigint;
  readonly keyName: string | null;
  readonly endpoint: string;
  readonly model: string | null;
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly limit: string | null;
  readonly isRefused: boolean;
  readonly totalMs: number;
}

/** The account's newest failed requests, `most` at most: nothing of the upstreams, which are the operator's. */
export function readAccountFailures(
  db: Queryable,
  wanted: WantedFailures,
  most: number,
): Promise<AccountFailure[]> {
  const { accountId, keyId, model, status, code, isRefused, requestId, from, to, after } = wanted;
  const values: unknown[] = [];
  const put = (value: unknown): string => `$${values.push(value)}`;
  // Those that were answered after all have no code, and are no failures to their caller.
  const where = [`f.account_id = ${put(accountId)}`, "f.code <> ''"];
  if (keyId !== undefined) where.push(`f.key_id = ${put(keyId)}`);
  if (model !== undefined) where.push(`f.model = ${put(model)}`);
  if (status !== undefined) where.push(`f.status = ${put(status)}`);
  if (code !== undefined) where.push(`f.code = ${put(code)}`);
  if (isRefused !== undefined) where.push(`f.in_usage_log = ${put(!isRefused)}`);
  if (requestId !== undefined) where.push(`f.request_id = ${put(requestId)}`);
  if (from !== undefined) where.push(`f.posted_at >= ${put(from)}`);
  if (to !== undefined) where.push(`f.posted_at < ${put(to)}`);
  if (after !== undefined) {
    const at = `('epoch'::timestamptz + ${put(after.micros)}::int8 * interval '1 microsecond')`;
    // The first half alone lets whole days be passed over.
    where.push(`f.posted_at <= ${at} and (f.posted_at, f.request_id) < (${at}, ${put(after.id)})`);
  }
  return db.query<AccountFailure>(
    `select (extract(epoch from f.posted_at) * 1000000)::int8 as micros, f.request_id as "requestId",
            f.posted_at as "postedAt", f.accepted_at as "acceptedAt", f.key_id as "keyId", k.name as "keyName", f.endpoint,
            f.model, f.status, f.code, f.message, f.limit_name as "limit", not f.in_usage_log as "isRefused",
            f.total_ms as "totalMs"
       from (select * from failed_requests f where ${where.join(" and ")}
              order by f.posted_at desc, f.request_id desc limit ${put(most)}) f
       left join api_keys k on k.id = f.key_id
      order by f.posted_at desc, f.request_id desc`,
    values,
  );
}

export interface Span {
  readonly from: Date;
  readonly to: Date;
}

export interface CodeCount {
  readonly code: string;
  readonly requests: bigint;
}

/** How many requests failed by code, exactly, in the hours that the span touches. */
export function countByCode(
  db: Queryable,
  { from, to }: Span,
  code: string | undefined,
): Promise<CodeCount[]> {
  return db.query<CodeCount>(
    `select code, sum(requests)::int8 as requests from error_hours where ${IN_SPAN} and ($3::text is null or code = $3)
      group by code order by 2 desc, 1`,
    [from, to, code ?? null],
  );
}

export interface AccountCount {
  readonly accountId: bigint;
  readonly accountName: string | null;
  readonly requests: bigint;
}

/** The accounts with the most failed requests in the hours that the span touches. */
export function countByAccount(
  db: Queryable,
  { from, to }: Span,
  code: string | undefined,
  most: number,
): Promise<AccountCount[]> {
  return db.query<AccountCount>(
    `select f.account_id as "accountId", a.name as "accountName", f.requests
       from (select account_id, sum(requests)::int8 as requests from failure_hours
              where ${IN_SPAN} and account_id <> 0 and ($3::text is null or code = $3)
              group by account_id order by 2 desc, 1 limit $4) f
       left join accounts a on a.id = f.account_id order by f.requests desc, f.account_id`,
    [from, to, code ?? null, most],
  );
}

/** Values that similar failures share. */
interface Alike {
  readonly requests: bigint;
  readonly firstAt: Date;
  readonly lastAt: Date;
}

export interface ErrorGroup extends Alike {
  readonly code: string;
  readonly upstream: string;
  readonly vendorMessage: string;
  readonly lastRequestId: string;
}

/** The most frequent errors by code and what the vendor said to the last attempt. */
export function groupErrors(
  db: Queryable,
  { from, to }: Span,
  code: string | undefined,
  most: number,
): Promise<ErrorGroup[]> {
  return db.query<ErrorGroup>(
    `select g.code, g.upstream, g.message as "vendorMessage", g.requests, g."firstAt", g."lastAt",
            e.last_request_id as "lastRequestId"
       from (select code, upstream, message, ${ALIKE}, max(hour) as "lastHour" from error_hours
              where ${IN_SPAN} and ($3::text is null or code = $3)
              group by code, upstream, message order by requests desc, code, upstream, message limit $4) g
       join error_hours e
         on e.hour = g."lastHour" and e.code = g.code and e.upstream = g.upstream and e.message = g.message
      order by g.requests desc, g.code, g.upstream, g.message`,
    [from, to, code ?? null, most],
  );
}

export interface UnknownKey extends Alike {
  readonly address: string;
  readonly prefix: string;
}

/** The most frequent requests with keys that nobody knows, by address and the key's beginning. */
export function readUnknownKeys(db: Queryable, { from, to }: Span, most: number): Promise<UnknownKey[]> {
  return db.query<UnknownKey>(
    `select address, prefix, ${ALIKE} from unknown_keys where ${IN_SPAN}
      group by address, prefix order by requests desc, address, prefix limit $3`,
    [from, to, most],
  );
}

const IN_SPAN = "hour >= date_trunc('hour', $1::timestamptz, 'UTC') and hour < $2";
const ALIKE = `sum(requests)::int8 as requests, min(first_at) as "firstAt", max(last_at) as "lastAt"`;
