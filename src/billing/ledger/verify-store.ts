import type { Queryable } from "../../storage/database.ts";

/** An archived day is left out: its rows are gone, but for those of a clock that jumped ahead and back. */
function sumsOfDaysNotArchived(suffix: "" | "_of_log"): string {
  const archived = "select from usage_days d where d.day";
  return `
    select 'hour ' || account_id || ' ' || hour as subject, to_jsonb(h) as sums from usage_hours${suffix} h
     where not exists (${archived} = (h.hour at time zone 'utc')::date)
    union all select 'key ' || key_id || ' ' || day, to_jsonb(k) from usage_keys${suffix} k
     where not exists (${archived} = k.day)
    union all select 'latency ' || account_id || ' ' || day, to_jsonb(l) from usage_latencies${suffix} l
     where not exists (${archived} = l.day)
    union all select 'cost ' || account_id || ' ' || day, to_jsonb(c) from cost_days${suffix} c
     where not exists (${archived} = c.day)
    union all select 'tag ' || account_id || ' ' || day, to_jsonb(t) from ${tagSums(suffix)} t
     where not exists (${archived} = t.day)
    union all select 'spending ' || account_id || ' ' || day, to_jsonb(s) from spending_days${suffix} s
     where not exists (${archived} = s.day)`;
}

/** By key alone: which values have sums of their own is no matter of the log. */
function tagSums(suffix: "" | "_of_log"): string {
  return suffix === "_of_log"
    ? `(select (posted_at at time zone 'utc')::date as day, account_id, split_part(tag, '=', 1) collate "C" as tag_key,
               count(*) as requests, sum(charge_nanos)::int8 as charge_nanos, coalesce(sum(cost_nanos), 0) as cost_nanos
          from usage, unnest(tags) as tag group by 1, 2, 3)`
    : `(select day, account_id, tag_key, sum(requests)::int8 as requests, sum(charge_nanos)::int8 as charge_nanos,
               sum(cost_nanos) as cost_nanos from spending_tags group by 1, 2, 3)`;
}

/**
 * The rules of the books, each a query that finds what breaks it: rows of (subject, found, expected).
 * Read in one repeatable-read snapshot, so that running requests cannot look like a breach.
 */
export const LEDGER_RULES: readonly {
  readonly rule: string;
  readonly says: string;
  readonly finds: string;
}[] = [
  {
    rule: "transfer_sides",
    says: "every transfer moves a positive amount between the sides of its kind",
    finds: `select 'transfer ' || id as subject, kind || ': ' || from_side || ' -> ' || to_side || ' ' || amount as found,
                   'a known movement' as expected
              from transfers
             where amount <= 0 or (kind, from_side, to_side) not in (values
               ('opening', 'funding', 'wallet'), ('credit', 'funding', 'wallet'), ('debit', 'wallet', 'funding'),
               ('allowance', 'allowance', 'wallet'), ('allowance', 'wallet', 'allowance'),
               ('lease', 'wallet', 'leased'), ('return', 'leased', 'wallet'),
               ('post', 'leased', 'revenue'), ('post', 'wallet', 'revenue'), ('post', 'loss', 'revenue'),
               ('post', 'leased', 'spent'), ('post', 'wallet', 'spent'), ('post', 'excess', 'spent'),
               ('quarantine', 'loss', 'revenue'),
               ('hold', 'wallet', 'held'), ('settle', 'held', 'revenue'), ('settle', 'held', 'spent'),
               ('settle', 'held', 'wallet'), ('release', 'held', 'wallet'))`,
  },
  {
    rule: "ledger_equals_transfers",
    says: "wallet, leased and held of each ledger equal the sum of its transfers",
    finds: `select coalesce(l.id, t.ledger) as subject,
                   coalesce(l.wallet || ' ' || l.leased || ' ' || l.held, 'no such ledger') as found,
                   coalesce(t.wallet || ' ' || t.leased || ' ' || t.held, '0 0 0') as expected
              from ledgers l full join (
                select ledger,
                       sum(amount * ((to_side = 'wallet')::int - (from_side = 'wallet')::int)) as wallet,
                       sum(amount * ((to_side = 'leased')::int - (from_side = 'leased')::int)) as leased,
                       sum(amount * ((to_side = 'held')::int - (from_side = 'held')::int)) as held
                  from transfers group by ledger
              ) t on t.ledger = l.id
             where l.id is null and (t.wallet, t.leased, t.held) <> (0, 0, 0)
                or (l.wallet, l.leased, l.held) <> (coalesce(t.wallet, 0), coalesce(t.leased, 0), coalesce(t.held, 0))`,
  },
  {
    rule: "balance_days_equal_transfers",
    says: "what moved each balance on each day, as statements show it, equals the transfers of that day",
    finds: `select 'account ' || coalesce(d.account_id, t.account_id) || ' ' || coalesce(d.day, t.day) as subject,
                   coalesce(to_jsonb(d)::text, 'no such day') as found, coalesce(to_jsonb(t)::text, 'no such day') as expected
              from balance_days d full join balance_days_of_transfers t on to_jsonb(t) = to_jsonb(d)
             where d.account_id is null or t.account_id is null limit 100`,
  },
  {
    rule: "never_negative",
    says: "no customer is below zero",
    finds: `select id as subject, wallet || ' ' || leased || ' ' || held as found, 'at least 0' as expected
              from ledgers where least(wallet, leased, held) < 0`,
  },
  {
    rule: "leased_equals_leases",
    says: "the leased amount of each ledger equals its leases",
    finds: `select coalesce(l.id, s.ledger) as subject, coalesce(l.leased::text, 'no such ledger') as found,
                   coalesce(s.amount, 0)::text as expected
              from ledgers l full join (select ledger, sum(amount) as amount from leases group by ledger) s on s.ledger = l.id
             where l.leased is distinct from coalesce(s.amount, 0)`,
  },
  {
    rule: "closed_journal_leases_nothing",
    says: "a closed journal has no leases",
    finds: `select 'journal ' || j.id as subject, l.ledger || ' ' || l.amount as found, 'no lease' as expected
              from journals j join leases l on l.journal = j.id where j.closed`,
  },
  {
    rule: "allowance_equals_transfers",
    says: "each spending limit is funded with its allowance",
    finds: `select l.id as subject, l.allowance::text as found, coalesce(t.amount, 0)::text as expected
              from ledgers l left join (
                select ledger, sum(amount * ((from_side = 'allowance')::int - (to_side = 'allowance')::int)) as amount
                  from transfers where kind = 'allowance' group by ledger
              ) t on t.ledger = l.id
             where l.allowance <> coalesce(t.amount, 0)`,
  },
  {
    rule: "usage_equals_revenue",
    says: "charges in the usage log, deleted days included, equal the transfers of each ledger",
    finds: `with logged as (
              select ledger, sum(charge) as charge from (
                select l.ledger, u.charge_nanos as charge from usage u, unnest(u.ledgers) as l (ledger)
                union all select ledger, charge_nanos from usage_days
              ) as each group by ledger
            ), paid as (
              select ledger, sum(amount) as amount from transfers
               where kind in ('post', 'settle') and to_side in ('revenue', 'spent') group by ledger
            )
            select coalesce(l.ledger, p.ledger) as subject, coalesce(p.amount, 0)::text as found,
                   coalesce(l.charge, 0)::text as expected
              from logged l full join paid p on p.ledger = l.ledger
             where coalesce(l.charge, 0) <> coalesce(p.amount, 0)`,
  },
  {
    rule: "charge_within_hold",
    says: "no charge exceeds its hold",
    finds: `select 'request ' || request_id as subject, charge_nanos::text as found, 'at most ' || hold_nanos as expected
              from usage where charge_nanos > hold_nanos`,
  },
  {
    rule: "cost_equals_attempts",
    says: "each request's cost is the sum of its attempts' costs",
    finds: `select 'request ' || u.request_id as subject, u.cost_nanos::text as found,
                   coalesce(sum(a.cost_nanos), 0)::text as expected
              from usage u left join attempt_costs a on a.posted_at = u.posted_at and a.request_id = u.request_id
             where u.cost_nanos is not null
             group by u.request_id, u.posted_at, u.cost_nanos having u.cost_nanos <> coalesce(sum(a.cost_nanos), 0)`,
  },
  {
    rule: "rollups_equal_usage",
    says: "totals by hour, key, latency, cost and spending match the usage log as far back as it goes",
    finds: `with mine as (${sumsOfDaysNotArchived("")}), log as (${sumsOfDaysNotArchived("_of_log")})
            select coalesce(m.subject, l.subject) as subject, coalesce(m.sums::text, 'no sums') as found,
                   coalesce(l.sums::text, 'no sums') as expected
              from mine m full join log l on l.sums = m.sums where m.sums is null or l.sums is null limit 100`,
  },
  {
    rule: "request_recorded_once",
    says: "every request is in the usage log once",
    finds: `select 'request ' || request_id as subject, count(*)::text as found, '1' as expected
              from usage group by request_id having count(*) > 1`,
  },
  {
    rule: "record_posted_once",
    says: "every journal record is posted once, in the usage log or in quarantine",
    finds: `select 'record ' || journal || ':' || record_number as subject, count(*)::text as found, '1' as expected
              from (select journal, record_number from usage where record_number is not null
                    union all select journal, record_number from quarantined_records) as each
             group by journal, record_number having count(*) > 1`,
  },
  {
    rule: "watermark_covers_records",
    says: "no posted record is beyond its journal's watermark",
    finds: `select 'journal ' || u.journal as subject, max(u.record_number)::text as found,
                   'at most ' || coalesce(j.flushed_through, 0) as expected
              from usage u left join journals j on j.id = u.journal
             group by u.journal, j.flushed_through having max(u.record_number) > coalesce(j.flushed_through, 0)`,
  },
  {
    rule: "quarantine_equals_loss",
    says: "the platform paid the holds of quarantined records",
    finds: `select coalesce(q.ledger, t.ledger) as subject, coalesce(t.amount, 0)::text as found,
                   coalesce(q.amount, 0)::text as expected
              from (select ledger, sum(hold_nanos) as amount from quarantined_records group by ledger) q
              full join (select ledger, sum(amount) as amount from transfers where kind = 'quarantine' group by ledger) t
                on t.ledger = q.ledger
             where coalesce(q.amount, 0) <> coalesce(t.amount, 0)`,
  },
  {
    rule: "code_credited_once",
    says: "every redeemed code was credited once to its account, and no other code was",
    finds: `select coalesce('code ' || c.id, t.key) as subject,
                   coalesce(t.amount || ' to ' || t.ledger, 'no credit') as found,
                   coalesce(c.amount_nanos || ' to account:' || c.account_id, 'no credit') as expected
              from (select c.id, c.account_id, b.amount_nanos
                      from redemption_codes c join redemption_batches b on b.id = c.batch_id
                     where c.redeemed_at is not null) c
              full join (select key, ledger, amount from transfers where key like 'redemption:%') t
                on t.key = 'redemption:' || c.id
             where (t.ledger, t.amount) is distinct from ('account:' || c.account_id, c.amount_nanos)`,
  },
  {
    rule: "held_equals_open_tasks",
    says: "the held amount of each ledger equals the holds of its open tasks",
    finds: `select coalesce(l.id, t.ledger) as subject, coalesce(l.held::text, 'no such ledger') as found,
                   coalesce(t.amount, 0)::text as expected
              from ledgers l full join (
                select h.ledger, sum(t.hold_nanos) as amount from tasks t, unnest(t.ledgers) as h (ledger)
                 where t.finished_at is null group by h.ledger
              ) t on t.ledger = l.id
             where coalesce(l.held, 0) <> coalesce(t.amount, 0)`,
  },
  {
    rule: "hold_resolved_at_most_once",
    says: "each task's hold is taken once, and settled or released at most once and in full",
    finds: `select reference || ' ' || ledger as subject,
                   holds || ' holds of ' || held || ', ' || ends || ' ends of ' || ended as found,
                   '1 hold, and no end or 1 of the same amount' as expected
              from (
                select reference, ledger,
                       count(*) filter (where kind = 'hold') as holds,
                       coalesce(sum(amount) filter (where kind = 'hold'), 0) as held,
                       count(*) filter (where key = reference || ':end:' || ledger) as ends,
                       coalesce(sum(amount) filter (where kind in ('settle', 'release')), 0) as ended
                  from transfers where kind in ('hold', 'settle', 'release') group by reference, ledger
              ) as each
             where holds <> 1 or ends > 1 or ended <> case ends when 0 then 0 else held end`,
  },
  {
    rule: "task_resolved_once",
    says: "each finished task has settled or released its holds according to its charge",
    finds: `select 'task ' || t.id || ' ' || h.ledger as subject,
                   coalesce(e.paid, 0) || ' paid, ' || coalesce(e.back, 0) || ' given back, by ' || coalesce(e.kinds, 'nothing') as found,
                   coalesce(t.charge_nanos, 0) || ' paid of ' || t.hold_nanos || ', ' || t.state as expected
              from tasks t cross join unnest(t.ledgers) as h (ledger)
              left join (
                select reference, ledger, string_agg(distinct kind, ' and ') as kinds,
                       sum(amount) filter (where to_side <> 'wallet') as paid,
                       sum(amount) filter (where to_side = 'wallet') as back
                  from transfers where kind in ('settle', 'release') group by reference, ledger
              ) e on e.reference = 'task:' || t.id and e.ledger = h.ledger
             where t.hold_nanos > 0
               and (e.kinds is distinct from
                      (case when t.finished_at is null then null when t.state = 'SUCCESS' then 'settle' else 'release' end)
                 or coalesce(e.paid, 0) <> coalesce(t.charge_nanos, 0)
                 or coalesce(e.back, 0) <> case when t.finished_at is null then 0 else t.hold_nanos - t.charge_nanos end)`,
  },
];

/** Lets the statements of this transaction run longer than those of requests may, or less long. */
export async function limitStatements(tx: Queryable, limitMs: number): Promise<void> {
  await tx.execute("select set_config('statement_timeout', $1, true)", [`${limitMs}ms`]);
}

export interface Finding {
  readonly subject: string;
  readonly found: string;
  readonly expected: string;
}

export async function findBreaches(db: Queryable, finds: string): Promise<Finding[]> {
  return db.query<Finding>(finds);
}

export interface LedgerTotals {
  readonly revenueNanos: bigint;
  readonly absorbedLossNanos: bigint;
  readonly fundingNanos: bigint;
  readonly quarantinedRecords: bigint;
}

export async function readTotals(db: Queryable): Promise<LedgerTotals> {
  return db.one<LedgerTotals>(
    `select coalesce(sum(amount) filter (where to_side = 'revenue'), 0)::int8 as "revenueNanos",
            coalesce(sum(amount) filter (where from_side = 'loss'), 0)::int8 as "absorbedLossNanos",
            coalesce(sum(amount * ((from_side = 'funding')::int - (to_side = 'funding')::int)), 0)::int8 as "fundingNanos",
            (select count(*) from quarantined_records) as "quarantinedRecords"
       from transfers`,
  );
}

export interface AccountBalance {
  readonly name: string;
  readonly balanceNanos: bigint;
  readonly availableNanos: bigint;
}

export async function readAccountBalances(db: Queryable): Promise<AccountBalance[]> {
  return db.query<AccountBalance>(
    `select a.name, coalesce(l.wallet + l.leased + l.held, 0) as "balanceNanos",
            coalesce(l.wallet + l.leased, 0) as "availableNanos"
       from accounts a left join ledgers l on l.id = 'account:' || a.id
      order by a.id`,
  );
}
