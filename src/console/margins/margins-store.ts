import type { Queryable } from "../../storage/database.ts";
import type { MarginsQuery } from "./contract.ts";

export interface StoredMargin {
  /** null = of all. */
  readonly id: string | null;
  readonly name: string | null;
  readonly attempts: bigint;
  readonly unknown: bigint;
  readonly chargeNanos: bigint;
  /** Costs are numeric: sums of what vendors say have no bound. */
  readonly costNanos: string;
  readonly statedAttempts: bigint;
  readonly statedNanos: string;
  readonly statedCostNanos: string;
}

export interface MarginsSpan {
  /** Days, UTC, both included. */
  readonly from: string;
  readonly to: string;
  readonly by: NonNullable<MarginsQuery["by"]>;
}

const ID = {
  upstream: "d.upstream",
  model: "d.model",
  account: "d.account_id::text",
  month: "to_char(d.day, 'YYYY-MM')",
} as const satisfies Record<MarginsSpan["by"], string>;

/** Charges and costs of text requests, off the sums by day; the total first, then `most` rows. */
export async function readMargins(
  db: Queryable,
  { from, to, by }: MarginsSpan,
  most: number | null,
): Promise<StoredMargin[]> {
  const order = by === "month" ? "id" : `"costNanos" desc, id`;
  return db.query<StoredMargin>(
    `with sums as (
       select ${ID[by]} as id, sum(attempts)::int8 as attempts, sum(unknown)::int8 as unknown,
              sum(charge_nanos)::int8 as "chargeNanos", sum(cost_nanos) as "costNanos",
              sum(stated_attempts)::int8 as "statedAttempts", sum(stated_nanos) as "statedNanos",
              sum(stated_cost_nanos) as "statedCostNanos"
         from cost_days d where d.day between $1::date and $2::date group by 1
     ), listed as (
       select s.*, ${by === "account" ? "a.name" : "null::text"} as name from sums s
         ${by === "account" ? "left join accounts a on a.id = s.id::int8" : ""}
        order by ${order} limit $3
     )
     select null as id, null as name, coalesce(sum(attempts), 0)::int8 as attempts, coalesce(sum(unknown), 0)::int8 as unknown,
            coalesce(sum("chargeNanos"), 0)::int8 as "chargeNanos", coalesce(sum("costNanos"), 0) as "costNanos",
            coalesce(sum("statedAttempts"), 0)::int8 as "statedAttempts",
            coalesce(sum("statedNanos"), 0) as "statedNanos",
            coalesce(sum("statedCostNanos"), 0) as "statedCostNanos"
       from sums
     union all
     select id, name, attempts, unknown, "chargeNanos", "costNanos", "statedAttempts", "statedNanos", "statedCostNanos"
       from listed`,
    [from, to, most],
  );
}
