import { definedFields } from "../base/defined-fields.ts";
import type { RateLimits, SpendingLimit } from "./caller.ts";

/** A key's limits as its columns hold them. */
export interface LimitColumns {
  readonly limit_nanos: bigint | null;
  readonly limit_period: SpendingLimit["period"] | null;
  readonly requests_per_minute: number | null;
  readonly tokens_per_minute: number | null;
  readonly concurrency: number | null;
}

export function readSpendingLimit(row: LimitColumns): SpendingLimit | null {
  if (row.limit_nanos === null || row.limit_period === null) return null;
  return { amountNanos: row.limit_nanos, period: row.limit_period };
}

/** The same from a row and from a form; null = none. */
export function readRateLimits({
  requests_per_minute: requests,
  tokens_per_minute: tokens,
  concurrency,
}: Omit<LimitColumns, "limit_nanos" | "limit_period">): RateLimits | null {
  if (requests === null && tokens === null && concurrency === null) return null;
  return definedFields({
    requestsPerMinute: requests ?? undefined,
    tokensPerMinute: tokens ?? undefined,
    concurrency: concurrency ?? undefined,
  });
}
