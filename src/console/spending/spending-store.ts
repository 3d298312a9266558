import type { AccountId } from "../../accounts/caller.ts";
import type { Queryable } from "../../storage/database.ts";

/** An account's time from the first moment to before the second, both beginnings of days in UTC. */
export interface Span {
  readonly accountId: AccountId;
  readonly from: Date;
  readonly until: Date;
  /** Of the tags to group by. */
  readonly tagKey?: string | undefined;
}

export type GroupedBy = "model" | "key" | "user" | "endpoint" | "tag";

/** The sums of these are by day. */
export type GroupedByDay = Extract<GroupedBy, "key" | "user" | "tag">;

export interface Sums {
  readonly requests: bigint;
  readonly errors: bigint;
  readonly inputTokens: bigint;
  readonly outputTokens: bigint;
  readonly chargeNanos: bigint;
}

export interface Totals extends Sums {
  readonly estimated: bigint;
  readonly inputUncached: bigint;
  readonly cacheRead: bigint;
  readonly cacheWrite5m: bigint;
  readonly cacheWrite1h: bigint;
  readonly outputVisible: bigint;
  readonly outputReasoning: bigint;
  readonly images: bigint;
  readonly videoSeconds: bigint;
}

/** All an account used on each day of a span; days without requests are left out. */
export function readDays(db: Queryable, span: Span): Promise<(Totals & { readonly at: Date })[]> {
  return db.query(
    `select date_trunc('day', hour, 'UTC') as at, ${TOTALS}
       from (select *, ${HOUR_TOKENS} from usage_hours where ${OF_HOURS}) as u group by 1 order by 1`,
    spanValues(span),
  );
}

export interface GroupSums extends Sums {
  readonly id: string;
  readonly name: string | null;
}

/** The use of each model, key, user or endpoint, the highest cost first. */
export function readGroups(
  db: Queryable,
  span: Span,
  by: GroupedBy,
  most: number | null,
): Promise<GroupSums[]> {
  return db.query<GroupSums>(
    `select g.id, g.name, ${SUMS} from (${SOURCES[by]}) as u ${NAMES[by]}
      group by 1, 2 having sum(requests) > 0
      order by sum(charge_nanos) desc, sum(requests) desc, 1 limit $4`,
    [...spanValues(span), most, ...keyOf(span, by)],
  );
}

export interface Step extends Sums {
  readonly at: Date;
  /** The group's. */
  readonly id: string;
}

/** The daily use of each of these keys, users or tags. */
export function readDaysOfKeys(
  db: Queryable,
  span: Span,
  by: GroupedByDay,
  ids: readonly string[],
): Promise<Step[]> {
  return db.query<Step>(
    `select at, g.id, ${SUMS} from (${SOURCES[by]}) as u ${NAMES[by]} where g.id = any($4::text[])
      group by 1, 2 order by 1, 2`,
    [...spanValues(span), ids, ...keyOf(span, by)],
  );
}

/**
 * The use of each model or endpoint in each day or hour. There are five sums and no more: with all of them the planner
 * sorts the rows on disk instead of keeping groups in memory.
 */
export function readSteps(
  db: Queryable,
  span: Span,
  by: "model" | "endpoint",
  step: "day" | "hour",
): Promise<Step[]> {
  return db.query<Step>(
    `select date_trunc($4, hour, 'UTC') as at, ${by} as id, ${SUMS}
       from (select *, ${HOUR_TOKENS} from usage_hours where ${OF_HOURS}) as u group by 1, 2 order by 1, 2`,
    [...spanValues(span), step],
  );
}

export interface LatencyCount {
  readonly model: string;
  readonly kind: "first_byte" | "total";
  readonly bucket: number;
  readonly requests: bigint;
}

/** Counts each model's responses by latency; see the SQL function latency_bucket. */
export function readLatencies(db: Queryable, span: Span): Promise<LatencyCount[]> {
  return db.query<LatencyCount>(
    `select model, kind, bucket, ${sum("requests")} as requests from usage_latencies
      where ${OF_DAYS} group by 1, 2, 3 order by 1, 2, 3`,
    spanValues(span),
  );
}

/** The charges of each day of a span; days without requests are left out. */
export function readDayCharges(
  db: Queryable,
  span: Span,
): Promise<{ readonly at: Date; readonly chargeNanos: bigint }[]> {
  return db.query(
    `select date_trunc('day', hour, 'UTC') as at, ${sum("charge_nanos")} as "chargeNanos"
       from usage_hours where ${OF_HOURS} group by 1 order by 1`,
    spanValues(span),
  );
}

function spanValues({ accountId, from, until }: Span): unknown[] {
  return [accountId, from, until];
}

function keyOf({ tagKey = "" }: Span, by: GroupedBy): readonly string[] {
  return by === "tag" ? [tagKey] : [];
}

function sum(column: string): string {
  return `coalesce(sum(${column}), 0)::int8`;
}

const SUMS = `${sum("requests")} as requests, ${sum("errors")} as errors, ${sum("input_tokens")} as "inputTokens",
  ${sum("output_tokens")} as "outputTokens", ${sum("charge_nanos")} as "chargeNanos"`;

const TOTALS = `${SUMS}, ${sum("estimated")} as estimated, ${sum("input_uncached")} as "inputUncached",
  ${sum("cache_read")} as "cacheRead", ${sum("cache_write_5m")} as "cacheWrite5m",
  ${sum("cache_write_1h")} as "cacheWrite1h", ${sum("output_visible")} as "outputVisible",
  ${sum("output_reasoning")} as "outputReasoning", ${sum("images")} as images, ${sum("video_seconds")} as "videoSeconds"`;

const OF_HOURS = "account_id = $1 and hour >= $2 and hour < $3";
const OF_DAYS = `account_id = $1 and day >= ($2::timestamptz at time zone 'utc')::date
  and day < ($3::timestamptz at time zone 'utc')::date`;

const HOUR_TOKENS = `input_uncached + cache_read + cache_write_5m + cache_write_1h as input_tokens,
  output_visible + output_reasoning as output_tokens`;

// Summed by day and key before keys are named: a text for each row of thousands of keys takes longer than the sum.
const KEY_DAYS = `select day::timestamp at time zone 'utc' as at, key_id, requests, errors, input_tokens, output_tokens,
  charge_nanos from usage_keys where ${OF_DAYS}`;

const HOURS = `select hour as at, model, endpoint, requests, errors, charge_nanos, ${HOUR_TOKENS}
  from usage_hours where ${OF_HOURS}`;

/** A key's values, and as null all requests that have none of them. */
const TAG_DAYS = `${tagDays("value", "")} from spending_tags where ${OF_DAYS} and tag_key = $5
  union all ${tagDays("null", "")} from spending_days where ${OF_DAYS}
  union all ${tagDays("null", "-")} from spending_tags where ${OF_DAYS} and tag_key = $5`;

function tagDays(value: string, sign: "" | "-"): string {
  const sums = ["requests", "errors", "input_tokens", "output_tokens", "charge_nanos"];
  return `select day::timestamp at time zone 'utc' as at, ${value} as value, ${sums.map((name) => `${sign}${name} as ${name}`).join(", ")}`;
}

const SOURCES: Readonly<Record<GroupedBy, string>> = {
  model: HOURS,
  endpoint: HOURS,
  key: KEY_DAYS,
  user: KEY_DAYS,
  tag: TAG_DAYS,
};

/** Gives each row its group. */
const NAMES: Readonly<Record<GroupedBy, string>> = {
  model: "cross join lateral (select u.model as id, u.model as name) g",
  endpoint: "cross join lateral (select u.endpoint as id, u.endpoint as name) g",
  key: `join (
      select id as key_id, case when playground then 'playground' else id::text end as id,
             case when playground then 'playground' else name end as name
        from api_keys where account_id = $1
    ) g using (key_id)`,
  user: `join (
      select k.id as key_id, coalesce(p.id::text, 'nobody') as id, p.name
        from api_keys k left join users p on p.id = k.created_by where k.account_id = $1
    ) g using (key_id)`,
  tag: `cross join lateral (
      select coalesce(case u.value when '' then '(other)' else u.value end, '(none)') as id, nullif(u.value, '') as name
    ) g`,
};
