import type { AccountId } from "../../accounts/caller.ts";
import type { Queryable } from "../../storage/database.ts";
import type { SpendingResponse } from "./contract.ts";
import { readDayCharges } from "./spending-store.ts";

const DAY_MS = 86_400_000;
/** A week, so that a weekend weighs what it does. */
const USUAL_DAYS = 7;

/** What the current month has cost, and will if the days to come are like the last seven that are over. */
export async function forecastOf(
  db: Queryable,
  accountId: AccountId,
  nowMs: number,
): Promise<SpendingResponse["forecast"]> {
  const now = new Date(nowMs);
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  const month = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1);
  const monthEnd = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1);
  const weekAgo = today - USUAL_DAYS * DAY_MS;
  const days = await readDayCharges(db, {
    accountId,
    from: new Date(Math.min(month, weekAgo)),
    until: new Date(today + DAY_MS),
  });
  const charged = (from: number, until: number): bigint =>
    days
      .filter(({ at }) => at.getTime() >= from && at.getTime() < until)
      .reduce((total, { chargeNanos }) => total + chargeNanos, 0n);
  const soFar = charged(month, monthEnd);
  const dayNanos = charged(weekAgo, today) / BigInt(USUAL_DAYS);
  return {
    month: now.toISOString().slice(0, 7),
    charged_nanos: String(soFar),
    day_nanos: String(dayNanos),
    expected_nanos: String(soFar + (dayNanos * BigInt(monthEnd - nowMs)) / BigInt(DAY_MS)),
  };
}
