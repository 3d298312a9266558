import type { Queryable } from "../../storage/database.ts";

export interface DayOfUpstream {
  readonly day: string;
  readonly requests: bigint;
  readonly errors: bigint;
  readonly inputTokens: bigint;
  readonly outputTokens: bigint;
  readonly images: bigint;
  readonly videoSeconds: bigint;
  readonly chargeNanos: bigint;
  /** The requests for which the vendor states a cost; null = there are none. */
  readonly reportedRequests: bigint | null;
  readonly reportedChargeNanos: bigint | null;
  /** Numeric, as a sum of what vendors say has no bound. */
  readonly costNanos: string | null;
}

/** An upstream's revenue and stated cost by day. Uses the index usage_hours_upstream. */
export function readUpstreamDays(db: Queryable, name: string, days: number): Promise<DayOfUpstream[]> {
  return db.query<DayOfUpstream>(
    `with brought as (
       select (hour at time zone 'utc')::date as day, sum(requests)::int8 as requests, sum(errors)::int8 as errors,
              sum(input_uncached + cache_read + cache_write_5m + cache_write_1h)::int8 as input_tokens,
              sum(output_visible + output_reasoning)::int8 as output_tokens, sum(images)::int8 as images,
              sum(video_seconds)::int8 as video_seconds, sum(charge_nanos)::int8 as charge_nanos
         from usage_hours
        where upstream = $1 and hour >= date_trunc('day', now(), 'UTC') - ($2 - 1) * interval '1 day'
        group by 1
     ), billed as (
       select day, sum(stated_attempts)::int8 as stated,
              sum(stated_charge_nanos)::int8 as stated_charge_nanos, sum(stated_nanos) as stated_nanos
         from cost_days where upstream = $1 and day > (now() at time zone 'utc')::date - $2::int4 group by 1
     )
     select b.day::text as day, b.requests, b.errors, b.input_tokens as "inputTokens",
            b.output_tokens as "outputTokens", b.images, b.video_seconds as "videoSeconds",
            b.charge_nanos as "chargeNanos", nullif(c.stated, 0) as "reportedRequests",
            c.stated_charge_nanos as "reportedChargeNanos", c.stated_nanos as "costNanos"
       from brought b left join billed c on c.day = b.day
      order by b.day`,
    [name, days],
  );
}

export interface FailureAtUpstream {
  readonly requestId: string;
  readonly at: Date;
  readonly accountId: bigint;
  readonly model: string;
  readonly status: number;
  readonly reason: string;
  readonly errorCode: string | null;
  readonly attempts: number;
}

/** The latest requests that failed there for good. By index usage_upstream_failed. */
export function readUpstreamFailures(
  db: Queryable,
  name: string,
  most: number,
): Promise<FailureAtUpstream[]> {
  return db.query<FailureAtUpstream>(
    `select request_id as "requestId", posted_at as at, account_id as "accountId", model, status, reason,
            error_code as "errorCode", attempts
       from usage where upstream = $1 and usage_failed(reason) order by posted_at desc limit $2`,
    [name, most],
  );
}
