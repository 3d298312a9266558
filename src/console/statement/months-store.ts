import type { AccountId } from "../../accounts/caller.ts";
import type { Queryable } from "../../storage/database.ts";

/** What moved a balance in a month, and what it was before. */
export interface MonthSums {
  /** YYYY-MM. */
  readonly month: string;
  readonly openingNanos: bigint;
  readonly creditedNanos: bigint;
  readonly debitedNanos: bigint;
  readonly textNanos: bigint;
  readonly tasksNanos: bigint;
}

const CHANGE = "credited_nanos - debited_nanos - text_nanos - task_nanos";

/** The months in which an account's balance changed, and the current one, newest first. */
export function readMonths(
  db: Queryable,
  query: {
    readonly accountId: AccountId;
    readonly current: string;
    readonly before: string;
    readonly limit: number;
  },
): Promise<MonthSums[]> {
  return db.query<MonthSums>(
    `with months as (
       select to_char(day, 'YYYY-MM') as month, sum(credited_nanos)::int8 as credited, sum(debited_nanos)::int8 as debited,
              sum(text_nanos)::int8 as text, sum(task_nanos)::int8 as tasks, sum(${CHANGE})::int8 as change
         from (
           select day, credited_nanos, debited_nanos, text_nanos, task_nanos from balance_days where account_id = $1
           union all select ($2::text || '-01')::date, 0, 0, 0, 0
         ) as d group by 1
     )
     select * from (
       select month, (sum(change) over (order by month) - change)::int8 as "openingNanos", credited as "creditedNanos",
              debited as "debitedNanos", text as "textNanos", tasks as "tasksNanos"
         from months) as m
      where month < $3 order by month desc limit $4`,
    [query.accountId, query.current, query.before, query.limit],
  );
}

/** A month of an account, be it one in which nothing happened. */
export async function readMonth(db: Queryable, accountId: AccountId, month: string): Promise<MonthSums> {
  const sums = await db.one<Omit<MonthSums, "month">>(
    `select coalesce(sum(${CHANGE}) filter (where day < m.first), 0)::int8 as "openingNanos",
            ${inMonth("credited_nanos")} as "creditedNanos", ${inMonth("debited_nanos")} as "debitedNanos",
            ${inMonth("text_nanos")} as "textNanos", ${inMonth("task_nanos")} as "tasksNanos"
       from balance_days, (select ($2::text || '-01')::date as first) as m
      where account_id = $1 and day < m.first + interval '1 month'`,
    [accountId, month],
  );
  return { month, ...sums };
}

function inMonth(column: string): string {
  return `coalesce(sum(${column}) filter (where day >= m.first), 0)::int8`;
}

/** A row of a monthly statement: an entry, or all that one day's usage was charged. */
export interface MonthRow {
  readonly day: string;
  /** Its place within the day: the entry's id; the usage of a day comes behind all entries. */
  readonly place: bigint;
  /** Null of a day's usage. */
  readonly at: Date | null;
  readonly kind: string;
  readonly reference: string | null;
  readonly reason: string | null;
  readonly amountNanos: bigint;
  readonly changeNanos: bigint;
  readonly balanceNanos: bigint;
  readonly requests: bigint;
  readonly textNanos: bigint;
  readonly tasksNanos: bigint;
  readonly absorbedNanos: bigint;
}

export interface RowsQuery {
  readonly accountId: AccountId;
  /** YYYY-MM. */
  readonly month: string;
  readonly after: { readonly day: string; readonly place: bigint } | null;
  readonly limit: number;
}

/** The place of a day's usage: behind every entry's id. */
export const USAGE_PLACE = 9_223_372_036_854_775_807n;

// Ids rise with time but for transactions that overlap; none lasts as long as this.
const SLACK = "interval '15 min'";

// The kinds of each half stand in the statement itself, so that the partial indexes transfers_funding and transfers_refunds
// are used.
const entriesOf = (kinds: string): string => `
  select (t.at at time zone 'utc')::date as day, t.id as place, t.at, t.kind, t.reference, t.reason, t.amount,
         t.amount * ((t.from_side = 'funding')::int - (t.to_side = 'funding')::int) as change,
         0::int8 as text, 0::int8 as tasks, 0::int8 as absorbed
    from transfers t, month m
   where t.ledger = 'account:' || $1::int8 and ${kinds}
     and t.at >= m.first at time zone 'utc' and t.at < m.until at time zone 'utc'
     and t.id >= (select transfer_id_at(m.first at time zone 'utc' - ${SLACK}) from month m)
     and t.id < (select transfer_id_at(m.until at time zone 'utc' + ${SLACK}) from month m)`;

/** The rows of a month in order, each with the balance after it, counted on from the days before: from one snapshot. */
export function readMonthRows(db: Queryable, query: RowsQuery): Promise<MonthRow[]> {
  return db.query<MonthRow>(
    `with month as (
       select first, first + interval '1 month' as until from (select ($2::text || '-01')::timestamp as first) as f
     ), opening as (
       select coalesce(sum(${CHANGE}), 0) as nanos from balance_days, month where account_id = $1 and day < first
     ), rows as (
       ${entriesOf("t.kind in ('opening', 'credit', 'debit')")}
       union all ${entriesOf("t.kind = 'release'")}
       union all
       select day, ${USAGE_PLACE}, null, 'usage', null, null, text_nanos + task_nanos, -text_nanos - task_nanos,
              text_nanos, task_nanos, absorbed_nanos
         from balance_days, month
        where account_id = $1 and day >= first and day < until and text_nanos + task_nanos + absorbed_nanos > 0
     ), counted as (
       select r.*, o.nanos + sum(r.change) over (order by r.day, r.place) as balance from rows r, opening o
     ), requests as (
       select (hour at time zone 'utc')::date as day, sum(requests)::int8 as requests from usage_hours, month
        where account_id = $1 and hour >= first at time zone 'utc' and hour < until at time zone 'utc' group by 1
     )
     select c.day::text as day, c.place, c.at, c.kind, c.reference, c.reason, c.amount as "amountNanos",
            c.change as "changeNanos", c.balance::int8 as "balanceNanos", coalesce(q.requests, 0) as requests,
            c.text as "textNanos", c.tasks as "tasksNanos", c.absorbed as "absorbedNanos"
       from counted c left join requests q on q.day = c.day
      where $3::date is null or (c.day, c.place) > ($3::date, $4::int8)
      order by c.day, c.place limit $5`,
    [query.accountId, query.month, query.after?.day ?? null, query.after?.place ?? null, query.limit],
  );
}
