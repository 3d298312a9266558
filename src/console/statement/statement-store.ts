import type { Queryable } from "../../storage/database.ts";
import type { StatementView } from "./contract.ts";

/** A transfer as it stands in the ledger. */
export interface LedgerEntry {
  readonly id: bigint;
  readonly at: Date;
  readonly kind: string;
  readonly from: string;
  readonly to: string;
  readonly amountNanos: bigint;
  readonly reference: string;
  readonly reason: string | null;
  /** Charged requests that a flush summed up; 0 of anything else. */
  readonly requests: number;
}

export interface EntryQuery {
  readonly accountId: bigint;
  readonly view: StatementView;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Only older ones. */
  readonly before: bigint | null;
  readonly limit: number;
}

// The words stand in the statement itself and not in a parameter, so that the partial indexes transfers_funding and
// transfers_tasks are used; the others are frequent and found along transfers_ledger.
const OF_VIEW: Readonly<Record<StatementView, string>> = {
  everything: "true",
  changes: "t.kind not in ('lease', 'return')",
  funding: "t.kind in ('opening', 'credit', 'debit')",
  usage: "t.kind in ('post', 'quarantine')",
  tasks: "t.kind in ('hold', 'settle', 'release')",
};

/** Entries of the account's balance, newest first, and the balance after the newest entry of all, from one snapshot. */
export async function readEntries(
  db: Queryable,
  query: EntryQuery,
): Promise<{ readonly entries: readonly LedgerEntry[]; readonly balanceNanos: bigint }> {
  const rows = await db.query<Partial<LedgerEntry> & { balanceNanos: bigint }>(
    `with page as (
       select t.* from transfers t
        where t.ledger = 'account:' || $1::int8 and ${OF_VIEW[query.view]}
          and ($2::int8 is null or t.id < $2)
          and ($3::timestamptz is null or t.at >= $3
               and t.id >= (select transfer_id_at($3::timestamptz - ${SLACK})))
          and ($4::timestamptz is null or t.at < $4
               and t.id < (select transfer_id_at($4::timestamptz + ${SLACK})))
        order by t.id desc limit $5
     )
     select p.id, p.at, p.kind, p.from_side as "from", p.to_side as "to", p.amount as "amountNanos",
            p.reference, p.reason, n.requests, l.balance as "balanceNanos"
       from (select coalesce(sum(wallet + leased + held), 0)::int8 as balance
               from ledgers where id = 'account:' || $1::int8) l
       left join page p on true
       left join lateral (
         select count(*)::int4 as requests from usage u
          where p.kind = 'post' and u.account_id = $1 and u.posted_at = p.at and u.charge_nanos > 0
            and u.journal = split_part(p.reference, ':', 2)) n on true
      order by p.id desc`,
    [query.accountId, query.before, momentOf(query.from), momentOf(query.to), query.limit],
  );
  return {
    entries: rows.filter((row): row is LedgerEntry & { balanceNanos: bigint } => row.id != null),
    balanceNanos: rows[0]?.balanceNanos ?? 0n,
  };
}

/** Read here: the database knows fewer zones and years than the console takes. */
function momentOf(text: string | undefined): Date | null {
  return text === undefined ? null : new Date(text);
}

// Ids rise with time but for transactions that overlap; none lasts as long as this.
const SLACK = "interval '15 min'";

export interface EntryRequest {
  readonly requestId: string;
  readonly endedAt: Date;
  readonly model: string;
  readonly endpoint: string;
  readonly chargeNanos: bigint;
}

/** The charged requests that a flush's entry of this account sums up: they were posted in the same transaction. */
export function readEntryRequests(
  db: Queryable,
  query: {
    readonly accountId: bigint;
    readonly entryId: bigint;
    readonly after: string | null;
    readonly limit: number;
  },
): Promise<EntryRequest[]> {
  return db.query<EntryRequest>(
    `select u.request_id as "requestId", u.ended_at as "endedAt", u.model, u.endpoint, u.charge_nanos as "chargeNanos"
       from transfers t
       join usage u on u.account_id = $1 and u.posted_at = t.at and u.journal = split_part(t.reference, ':', 2)
      where t.id = $2 and t.ledger = 'account:' || $1::int8 and t.kind = 'post' and u.charge_nanos > 0
        and ($3::text is null or u.request_id > $3)
      order by u.request_id limit $4`,
    [query.accountId, query.entryId, query.after, query.limit],
  );
}
