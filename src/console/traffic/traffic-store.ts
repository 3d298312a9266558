import type { Queryable } from "../../storage/database.ts";

/** The requests that were posted in one slot of time for one model at one upstream, of one class of latency. */
export interface TrafficCell {
  /** Number of the slot since 1970. */
  readonly slot: bigint;
  readonly model: string;
  /** "" where none was asked. */
  readonly upstream: string;
  /** The class of the time to the first byte (latency_bucket); null if the response was incomplete. */
  readonly bucket: number | null;
  readonly requests: bigint;
  readonly errors: bigint;
  readonly inputTokens: bigint;
  readonly outputTokens: bigint;
  readonly chargeNanos: bigint;
}

/** The database's time in seconds, as `posted_at` is by its clock. */
export async function readDatabaseSeconds(db: Queryable): Promise<number> {
  const { now } = await db.one<{ now: number }>(
    "select extract(epoch from clock_timestamp())::float8 as now",
  );
  return now;
}

/** Everything posted from a moment on, in slots of so many seconds. By index usage_posted. */
export function readTrafficSince(
  db: Queryable,
  { sinceSeconds, slotSeconds }: { readonly sinceSeconds: number; readonly slotSeconds: number },
): Promise<TrafficCell[]> {
  return db.query<TrafficCell>(
    `select floor(extract(epoch from posted_at) / $2)::int8 as slot, model, coalesce(upstream, '') as upstream,
            case when first_byte_ms is not null and usage_completed(reason) then latency_bucket(first_byte_ms) end as bucket,
            count(*) as requests, count(*) filter (where usage_failed(reason)) as errors,
            coalesce(sum(coalesce(input_uncached, 0)::int8 + coalesce(cache_read, 0) + coalesce(cache_write_5m, 0)
              + coalesce(cache_write_1h, 0)), 0)::int8 as "inputTokens",
            coalesce(sum(coalesce(output_visible, 0)::int8 + coalesce(output_reasoning, 0)), 0)::int8 as "outputTokens",
            sum(charge_nanos)::int8 as "chargeNanos"
       from usage where posted_at >= to_timestamp($1) group by 1, 2, 3, 4`,
    [sinceSeconds, slotSeconds],
  );
}
