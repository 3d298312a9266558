import type { AccountId } from "../../accounts/caller.ts";
import type { Queryable } from "../../storage/database.ts";
import type { PlaceReason } from "../../usage/usage.ts";
import type { CursorPosition } from "../input.ts";

/** Conditions on requests of the log; undefined = no condition. */
export interface Wanted {
  readonly accountId: AccountId;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  readonly keyId?: bigint | undefined;
  /**
   * The user who created the key; "nobody" = keys without a user. The log's indexes have no users, so hourly counts are
   * read by key.
   */
  readonly user?: bigint | "nobody" | undefined;
  readonly model?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly upstream?: string | undefined;
  /** `key=value` */
  readonly tag?: string | undefined;
  readonly failed?: boolean | undefined;
  /** From the first to below the second. */
  readonly status?: readonly [number, number] | undefined;
  readonly reason?: string | undefined;
  readonly minCostNanos?: bigint | undefined;
  readonly requestId?: string | undefined;
  /** Only what comes after this row in the list, which is older. */
  readonly after?: CursorPosition | undefined;
}

/** A request as the log has it; `place` is where it stands in the list. */
export interface LoggedRequest {
  readonly micros: bigint;
  readonly requestId: string;
  readonly postedAt: Date;
  readonly acceptedAt: Date;
  readonly keyId: bigint;
  readonly keyName: string | null;
  readonly model: string;
  readonly endpoint: string;
  readonly streamed: boolean;
  readonly status: number;
  readonly reason: string;
  readonly failed: boolean;
  readonly errorCode: string | null;
  readonly estimated: boolean;
  readonly inputTokens: bigint | null;
  readonly cachedTokens: number | null;
  readonly outputTokens: bigint | null;
  readonly images: bigint | null;
  readonly videoSeconds: bigint | null;
  readonly chargeNanos: bigint;
  readonly firstByteMs: number | null;
  readonly totalMs: number;
  readonly attempts: number;
  readonly losses: number;
  readonly upstream: string | null;
  readonly tags: readonly string[] | null;
}

/** Fields that only the page of a single request shows. */
export interface RequestDepths extends LoggedRequest {
  readonly raw: unknown;
  readonly upstreamModel: string | null;
  readonly credential: string | null;
  readonly chosen: PlaceReason | null;
  /** null = of an image or video. */
  readonly costNanos: bigint | null;
}

/**
 * The newest wanted requests, by (posted_at, request_id) downwards, `most` at most; all of them where `hours` is
 * undefined, else those of these hours, each looked into by itself, and each of its keys where they are known.
 */
export async function readRequests(
  db: Queryable,
  wanted: Wanted,
  most: number,
  hours?: readonly LikelyHour[],
): Promise<LoggedRequest[]> {
  const values: unknown[] = [];
  const put = (value: unknown): string => `$${values.push(value)}`;
  const where = conditions(wanted, put);
  const limit = put(most);
  const newest = (more: string): string =>
    `select u.* from usage u where ${where} ${more} order by u.posted_at desc, u.request_id desc limit ${limit}`;
  const places = hours?.flatMap(({ hour, keys }) => (keys ?? [null]).map((key) => ({ hour, key })));
  const ofPlace = `and u.posted_at >= p.hour and u.posted_at < p.hour + interval '1 hour'
    ${wanted.user === undefined ? "" : "and u.key_id = p.key"}`;
  const rows =
    places === undefined
      ? newest("")
      : `select u.* from unnest(${put(places.map(({ hour }) => hour))}::timestamptz[],
             ${put(places.map(({ key }) => key))}::int8[]) as p (hour, key)
           cross join lateral (${newest(ofPlace)}) u
          order by u.posted_at desc, u.request_id desc limit ${limit}`;
  return db.query<LoggedRequest>(
    `select ${SHOWN} from (${rows}) u left join api_keys k on k.id = u.key_id
      order by u.posted_at desc, u.request_id desc`,
    values,
  );
}

/** An hour in which the log may have wanted requests, and how many at most. */
export interface LikelyHour {
  readonly hour: Date;
  readonly requests: bigint;
  /** The user's keys that were used on its day; null where no user is wanted. */
  readonly keys: readonly bigint[] | null;
}

/**
 * Those of the account's hours from `since` to before `until`, newest first, by the sums over the log, which know
 * models, endpoints, upstreams and failures by the hour, and keys by the day.
 */
export function readLikelyHours(
  db: Queryable,
  wanted: Wanted,
  { since, until }: { readonly since: Date; readonly until: Date },
): Promise<LikelyHour[]> {
  const values: unknown[] = [];
  const put = (value: unknown): string => `$${values.push(value)}`;
  const { accountId, keyId, user, model, endpoint, upstream, failed, minCostNanos } = wanted;
  const requests =
    failed === undefined ? "sum(requests)" : failed ? "sum(errors)" : "sum(requests) - sum(errors)";
  const [account, first, end] = [put(accountId), put(since), put(until)];
  const enough = `${requests} > 0 and sum(charge_nanos) >= ${put(minCostNanos ?? 0n)}`;
  const where = [`account_id = ${account}`, `hour >= ${first}`, `hour < ${end}`];
  if (model !== undefined) where.push(`model = ${put(model)}`);
  if (endpoint !== undefined) where.push(`endpoint = ${put(endpoint)}`);
  if (upstream !== undefined) where.push(`upstream = ${put(upstream)}`);
  const hours = `select hour, (${requests})::int8 as requests, null::int8[] as keys from usage_hours
    where ${where.join(" and ")} group by hour having ${enough}`;
  if (user === undefined) return db.query<LikelyHour>(`${hours} order by hour desc`, values);
  const made = user === "nobody" ? "k.created_by is null" : `k.created_by = ${put(user)}`;
  const days = `select day, (${requests})::int8 as requests, array_agg(key_id) as keys
      from usage_keys d join api_keys k on k.id = d.key_id
     where d.account_id = ${account} and day between (${first} at time zone 'utc')::date and (${end} at time zone 'utc')::date
       and ${made} ${keyId === undefined ? "" : `and key_id = ${put(keyId)}`} group by day having ${enough}`;
  return db.query<LikelyHour>(
    `select h.hour, least(h.requests, d.requests) as requests, d.keys
       from (${hours}) h join (${days}) d on d.day = (h.hour at time zone 'utc')::date order by h.hour desc`,
    values,
  );
}

/** The first and the last hour in which the account had requests; null of one that had none. */
export function readHourBounds(
  db: Queryable,
  accountId: AccountId,
): Promise<{ readonly first: Date | null; readonly last: Date | null }> {
  return db.one("select min(hour) as first, max(hour) as last from usage_hours where account_id = $1", [
    accountId,
  ]);
}

/** The account's request of that id; where a process died and a later one settled it after all, the settled record. */
export function findRequest(
  db: Queryable,
  accountId: AccountId,
  requestId: string,
): Promise<RequestDepths | undefined> {
  return db.maybeOne<RequestDepths>(
    `select ${SHOWN}, u.raw, u.upstream_model as "upstreamModel", u.credential, u.chosen, u.cost_nanos as "costNanos"
       from usage u left join api_keys k on k.id = u.key_id
      where u.account_id = $1 and u.request_id = $2 order by u.record_number is null limit 1`,
    [accountId, requestId],
  );
}

export interface AttemptCostRow {
  readonly upstream: string;
  readonly upstreamModel: string | null;
  readonly credential: string | null;
  readonly costNanos: bigint;
  readonly statedNanos: bigint | null;
  readonly used: "nothing" | "unknown" | null;
}

/** Costs of a request's attempts, in order. */
export function readAttemptCosts(
  db: Queryable,
  accountId: AccountId,
  { requestId, postedAt }: Pick<LoggedRequest, "requestId" | "postedAt">,
): Promise<AttemptCostRow[]> {
  return db.query<AttemptCostRow>(
    `select upstream, upstream_model as "upstreamModel", credential, cost_nanos as "costNanos",
            stated_nanos as "statedNanos", used
       from attempt_costs where account_id = $1 and request_id = $2 and date_trunc('milliseconds', posted_at) = $3
      order by attempt`,
    [accountId, requestId, postedAt],
  );
}

function conditions(wanted: Wanted, put: (value: unknown) => string): string {
  const { from, to, keyId, model, endpoint, upstream, failed, status, reason, minCostNanos } = wanted;
  const { requestId, tag, after } = wanted;
  const where = [`u.account_id = ${put(wanted.accountId)}`];
  if (from) where.push(`u.posted_at >= ${put(from)}`);
  if (to) where.push(`u.posted_at < ${put(to)}`);
  if (keyId !== undefined) where.push(`u.key_id = ${put(keyId)}`);
  if (model !== undefined) where.push(`u.model = ${put(model)}`);
  if (endpoint !== undefined) where.push(`u.endpoint = ${put(endpoint)}`);
  if (upstream !== undefined) where.push(`u.upstream = ${put(upstream)}`);
  if (failed !== undefined) where.push(`${failed ? "" : "not "}usage_failed(u.reason)`);
  if (status) where.push(`u.status >= ${put(status[0])} and u.status < ${put(status[1])}`);
  if (reason !== undefined) where.push(`u.reason = ${put(reason)}`);
  // In words, for the planner to see that the index of uncommon reasons serves.
  if (failed === true || (reason !== undefined && reason !== "completed"))
    where.push("u.reason <> 'completed'");
  if (tag !== undefined) where.push(`u.tags @> array[${put(tag)}]`);
  if (minCostNanos !== undefined) where.push(`u.charge_nanos >= ${put(minCostNanos)}`);
  if (requestId !== undefined) where.push(`u.request_id = ${put(requestId)}`);
  if (after) {
    const at = moment(put(after.micros));
    // The first half alone lets whole days be passed over.
    where.push(`u.posted_at <= ${at} and (u.posted_at, u.request_id) < (${at}, ${put(after.id)})`);
  }
  return where.join(" and ");
}

function moment(micros: string): string {
  return `('epoch'::timestamptz + ${micros}::int8 * interval '1 microsecond')`;
}

const SHOWN = `
  (extract(epoch from u.posted_at) * 1000000)::int8 as micros, u.request_id as "requestId", u.posted_at as "postedAt",
  u.accepted_at as "acceptedAt", u.key_id as "keyId", k.name as "keyName", u.model, u.endpoint, u.streamed, u.status,
  u.reason, usage_failed(u.reason) as failed, u.error_code as "errorCode", u.estimated,
  case when num_nonnulls(u.input_uncached, u.cache_read, u.cache_write_5m, u.cache_write_1h) > 0 then
    coalesce(u.input_uncached, 0)::int8 + coalesce(u.cache_read, 0) + coalesce(u.cache_write_5m, 0)
      + coalesce(u.cache_write_1h, 0) end as "inputTokens",
  u.cache_read as "cachedTokens",
  case when num_nonnulls(u.output_visible, u.output_reasoning) > 0 then
    coalesce(u.output_visible, 0)::int8 + coalesce(u.output_reasoning, 0) end as "outputTokens",
  case when u.media ? 'images' then sum_of_units(u.media -> 'images') end as images,
  case when u.media ? 'videoSeconds' then sum_of_units(u.media -> 'videoSeconds') end as "videoSeconds",
  u.charge_nanos as "chargeNanos", u.first_byte_ms as "firstByteMs", u.total_ms as "totalMs", u.attempts,
  cardinality(u.losses) as losses, u.upstream, u.tags`;
