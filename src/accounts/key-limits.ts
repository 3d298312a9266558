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

export function readRateLimits(row: LimitColumns): RateLimits | null {
  const { requests_per_minute: requests, tokens_per_minute: tokens, concurrency } = row;
  if (requests === null && tokens === null && concurrency === null) return null;
  return {
    ...(requests !== null && { requestsPerMinute: requests }),
    ...(tokens !== null && { tokensPerMinute: tokens }),
    ...(concurrency !== null && { concurrency }),
  };
}
