import type { Queryable } from "../../storage/database.ts";
import type { MediaUnits } from "../../usage/usage.ts";
import type { ChargeText } from "../pricing/charge-text.ts";
import type { Implausible } from "../pricing/usage-bound.ts";

/**
 * Writes for good what a day of the usage log charged to each ledger, so that `ledger verify` stays exact
 * once the day's rows are gone. Part of the transaction that drops them; `day` is `YYYY-MM-DD`, UTC.
 */
export async function archiveUsageDay(tx: Queryable, day: string): Promise<void> {
  await tx.execute(
    `insert into usage_days (day, ledger, requests, charge_nanos)
     select $1::date, l.ledger, count(*), sum(u.charge_nanos)::int8
       from usage u, unnest(u.ledgers) as l (ledger)
      where u.posted_at >= $1::date at time zone 'utc' and u.posted_at < ($1::date + 1) at time zone 'utc'
      group by l.ledger`,
    [day],
  );
}

/** Deletes which values of tags had sums of their own in months that are over; the sums stay. */
export async function forgetTagValues(db: Queryable): Promise<void> {
  // A flush that began last month still asks for its values.
  const over = "month < date_trunc('month', now() - interval '1 day', 'UTC')";
  await db.execute(`delete from tag_values where ${over}`);
  await db.execute(`delete from tag_value_counts where ${over}`);
}

/** One request as the usage log has it. */
export interface UsageRow {
  readonly requestId: string;
  readonly acceptedAt: Date;
  readonly endedAt: Date;
  readonly keyId: bigint;
  readonly model: string;
  /** The requested name; null = the model's id. */
  readonly askedModel: string | null;
  readonly endpoint: string;
  readonly streamed: boolean;
  readonly status: number;
  readonly reason: string;
  readonly errorCode: string | null;
  readonly estimated: boolean;
  readonly hostile: readonly string[];
  /** By token class; `charged` holds the buckets within a class. */
  readonly inputUncached: number | null;
  readonly cacheRead: number | null;
  readonly cacheWrite5m: number | null;
  readonly cacheWrite1h: number | null;
  readonly outputVisible: number | null;
  readonly outputReasoning: number | null;
  readonly priceId: bigint;
  /** Units of an image or video; null = text. */
  readonly media: MediaUnits | null;
  /** Nanos per 1,000,000 tokens, as text; of images and videos MediaRates with the amounts as text. */
  readonly rates: Readonly<Record<string, string>>;
  readonly charged: ChargeText | null;
  readonly factorPpm: bigint;
  readonly holdNanos: bigint;
  readonly chargeNanos: bigint;
  readonly writtenOffNanos: bigint;
  readonly implausible: readonly Implausible[];
  readonly losses: readonly string[];
  readonly outputLimit: number | null;
  readonly tags: readonly string[] | null;
}

/** The account's request of that id; where a process died and a later one settled it after all, the settled record. */
export async function findUsage(
  db: Queryable,
  accountId: bigint,
  requestId: string,
): Promise<UsageRow | undefined> {
  return db.maybeOne<UsageRow>(
    `select request_id as "requestId", accepted_at as "acceptedAt", ended_at as "endedAt", key_id as "keyId",
            model, asked_model as "askedModel", endpoint, streamed, status, reason, error_code as "errorCode", estimated, hostile,
            input_uncached as "inputUncached", cache_read as "cacheRead", cache_write_5m as "cacheWrite5m",
            cache_write_1h as "cacheWrite1h", output_visible as "outputVisible",
            output_reasoning as "outputReasoning", media, price_id as "priceId", rates, charged, factor_ppm as "factorPpm",
            hold_nanos as "holdNanos", charge_nanos as "chargeNanos", losses,
            coalesce(written_off_nanos, 0) as "writtenOffNanos", coalesce(implausible, '[]') as implausible,
            output_limit as "outputLimit", tags
       from usage where account_id = $1 and request_id = $2
      order by record_number is null limit 1`,
    [accountId, requestId],
  );
}

/** True if the database rejected the record of this request and the platform absorbed its cost. */
export async function isQuarantined(db: Queryable, accountId: bigint, requestId: string): Promise<boolean> {
  const row = await db.maybeOne(
    `select from quarantined_records
      where ledger = 'account:' || $1::int8 and position($2 in begin_record) > 0 limit 1`,
    [accountId, `"request":${JSON.stringify(requestId)}`],
  );
  return row !== undefined;
}
