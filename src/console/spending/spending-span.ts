import { GatewayError } from "../../errors.ts";
import type { OperatorSpendingQuery } from "./operator-contract.ts";

/** First and last day, `YYYY-MM-DD`, UTC. */
export interface DaySpan {
  readonly from: string;
  readonly to: string;
}

const DAY_MS = 86_400_000;
/** A longer look back is a statistic and no bill; the sums of more days take seconds. */
const MAX_DAYS = 731;

/** The days that are asked for. Throws 400 on what is no span. */
export function spanOf(
  { period, from, to }: Pick<OperatorSpendingQuery, "period" | "from" | "to">,
  nowMs: number,
): DaySpan {
  if (from === undefined && to === undefined) return periodSpan(period ?? "this_month", nowMs);
  if (period !== undefined) throw refusal("period", "Send either period or from and to.");
  if (from === undefined) throw refusal("from", "from: is needed with to.");
  const last = to ?? dayAt(nowMs);
  if (from > last) throw refusal("to", "to: is before the first day.");
  if ((Date.parse(last) - Date.parse(from)) / DAY_MS >= MAX_DAYS)
    throw refusal("from", `from: at most ${MAX_DAYS} days.`);
  return { from, to: last };
}

type Period = NonNullable<OperatorSpendingQuery["period"]>;

/** How many months a period has, and how many periods ago it began. */
const PERIOD_MONTHS: Readonly<Record<Period, readonly [months: number, ago: number]>> = {
  this_month: [1, 0],
  last_month: [1, 1],
  this_quarter: [3, 0],
  last_quarter: [3, 1],
};

/** The whole of a calendar period in UTC, days to come included. */
export function periodSpan(period: Period, nowMs: number): DaySpan {
  const [months, ago] = PERIOD_MONTHS[period];
  const now = new Date(nowMs);
  const first = now.getUTCMonth() - (now.getUTCMonth() % months) - ago * months;
  return {
    from: dayAt(Date.UTC(now.getUTCFullYear(), first, 1)),
    to: dayAt(Date.UTC(now.getUTCFullYear(), first + months, 0)),
  };
}

function dayAt(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function refusal(param: string, words: string): GatewayError {
  return new GatewayError("invalid_request", words, { param });
}
