import { limitStatements } from "../../billing/ledger/verify-store.ts";
import type { Implausible } from "../../billing/pricing/usage-bound.ts";
import type { Database, Queryable } from "../../storage/database.ts";
import type { CursorPosition } from "../input.ts";

export interface Loss {
  readonly id: bigint;
  readonly at: Date;
  readonly kind: "post" | "quarantine";
  readonly amountNanos: bigint;
  readonly account: { readonly id: string; readonly name: string };
  readonly reference: string;
}

/** Losses that the platform bore, newest first, along transfers_loss. */
export function readLosses(db: Queryable, before: bigint | null, limit: number): Promise<Loss[]> {
  return db.query<Loss>(
    `select t.id, t.at, t.kind, t.amount as "amountNanos", t.reference,
            jsonb_build_object('id', a.id::text, 'name', a.name) as account
       from transfers t join ledgers l on l.id = t.ledger join accounts a on a.id = l.account_id
      where t.from_side = 'loss' and ($1::int8 is null or t.id < $1)
      order by t.id desc limit $2`,
    [before, limit],
  );
}

/** The total of all time. Losses are rare, and an index has their amounts. */
export async function totalLoss(db: Queryable): Promise<bigint> {
  const { total } = await db.one<{ total: bigint }>(
    "select coalesce(sum(amount), 0)::int8 as total from transfers where from_side = 'loss'",
  );
  return total;
}

export interface WriteOff {
  readonly micros: bigint;
  readonly requestId: string;
  readonly at: Date;
  readonly account: { readonly id: string; readonly name: string };
  readonly model: string;
  readonly upstream: string | null;
  readonly amountNanos: bigint;
  readonly chargeNanos: bigint;
  /** The reason of the request's end. */
  readonly reason: string;
  /** Impossible counts that the vendor reported; they are no part of the amount. */
  readonly implausible: readonly Implausible[];
}

/** Requests that cost more than account and key could pay, by (posted_at, request_id) downwards, along usage_written_off. */
export function readWriteOffs(
  db: Queryable,
  before: CursorPosition | undefined,
  limit: number,
): Promise<WriteOff[]> {
  return db.query<WriteOff>(
    `select (extract(epoch from u.posted_at) * 1000000)::int8 as micros, u.request_id as "requestId",
            u.posted_at as at, u.model, u.upstream, u.written_off_nanos as "amountNanos",
            u.charge_nanos as "chargeNanos", u.reason, coalesce(u.implausible, '[]') as implausible,
            jsonb_build_object('id', u.account_id::text, 'name', coalesce(a.name, u.account_id::text)) as account
       from (select * from usage
              where written_off_nanos > 0
                and ($1::int8 is null
                     or (posted_at, request_id) < (timestamptz 'epoch' + $1 * interval '1 microsecond', $2))
              order by posted_at desc, request_id desc limit $3) u
       left join accounts a on a.id = u.account_id
      order by u.posted_at desc, u.request_id desc`,
    [before?.micros ?? null, before?.id ?? null, limit],
  );
}

/** The total of the days that the usage log still has; the index has the amounts. */
export async function totalWrittenOff(db: Queryable): Promise<bigint> {
  const { total } = await db.one<{ total: bigint }>(
    "select coalesce(sum(written_off_nanos), 0)::int8 as total from usage where written_off_nanos > 0",
  );
  return total;
}

export interface QuarantinedRecord {
  readonly journal: string;
  readonly record: bigint;
  readonly at: Date;
  readonly account: { readonly id: string; readonly name: string };
  readonly holdNanos: bigint;
  readonly refusal: string;
  /** The request id of the begin record, if it can be read. */
  readonly requestId: string | null;
  readonly model: string | null;
}

/** Records that the database refused, by journal and number; there should be none. */
export function readQuarantine(
  db: Queryable,
  after: { readonly journal: string; readonly record: bigint } | null,
  limit: number,
): Promise<QuarantinedRecord[]> {
  return db.query<QuarantinedRecord>(
    `select q.journal, q.record_number as record, q.at, q.hold_nanos as "holdNanos", q.refusal,
            substring(q.begin_record from '"request":"([^"]*)"') as "requestId",
            substring(q.begin_record from '"model":"([^"]*)"') as model,
            jsonb_build_object('id', l.account_id::text, 'name', coalesce(a.name, q.ledger)) as account
       from quarantined_records q left join ledgers l on l.id = q.ledger left join accounts a on a.id = l.account_id
      where $1::text is null or (q.journal, q.record_number) > ($1, $2::int8)
      order by q.journal, q.record_number limit $3`,
    [after?.journal ?? null, after?.record ?? null, limit],
  );
}

export interface UpstreamCosts {
  readonly upstream: string;
  readonly responses: number;
  readonly chargedNanos: bigint;
  readonly reporting: number;
  readonly reportingChargedNanos: bigint;
  readonly reportedCost: string | null;
}

export interface Costs {
  readonly text: readonly UpstreamCosts[];
  readonly tasks: readonly UpstreamCosts[];
}

/**
 * The costs that upstreams state beside the charges for them, today and on the days (UTC) before it: the usage object
 * of some vendors has a `cost` in dollars, the result of some task APIs one in a unit of their own.
 */
export function readVendorCosts(database: Database, days: number, limitMs: number): Promise<Costs> {
  return database.transaction(
    async (tx) => {
      await limitStatements(tx, limitMs);
      const text = await tx.query<UpstreamCosts>(
        `select b.upstream, b.responses, b.charge as "chargedNanos", coalesce(c.requests, 0)::int4 as reporting,
                coalesce(c.charge, 0)::int8 as "reportingChargedNanos",
                trim_scale(c.cost / 1000000000)::text as "reportedCost"
           from (select upstream, sum(requests - errors)::int4 as responses, sum(charge_nanos)::int8 as charge
                   from usage_hours
                  where hour >= ${FIRST_DAY} and upstream <> '' and endpoint not in ('images', 'videos')
                  group by upstream) as b
           left join (select upstream, sum(stated_attempts) as requests, sum(stated_charge_nanos) as charge,
                             sum(stated_nanos) filter (where stated_attempts > 0) as cost
                        from cost_days where day >= (${FIRST_DAY} at time zone 'utc')::date
                       group by upstream) as c on c.upstream = b.upstream
          where b.charge > 0 order by b.upstream`,
        [days],
      );
      const tasks = await tx.query<UpstreamCosts>(
        `select upstream, count(*)::int4 as responses, sum(charge)::int8 as "chargedNanos",
                count(cost)::int4 as reporting,
                coalesce(sum(charge) filter (where cost is not null), 0)::int8 as "reportingChargedNanos",
                trim_scale(sum(cost))::text as "reportedCost"
           from (select t.upstream_name as upstream, t.charge_nanos as charge,
                        case when json_typeof(t.result::json -> 'cost') = 'number'
                             then (t.result::json ->> 'cost')::numeric end as cost
                   from tasks t
                  where t.finished_at >= ${FIRST_DAY} and t.upstream_name is not null
                    and t.charge_nanos > 0) as each
          group by upstream order by upstream`,
        [days],
      );
      return { text, tasks };
    },
    { readOnly: true },
  );
}

/** The first of `$1` days, the last of which is today. */
const FIRST_DAY = "(date_trunc('day', now(), 'UTC') - ($1 - 1) * interval '1 day')";
