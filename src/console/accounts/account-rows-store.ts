import type { AccountId } from "../../accounts/caller.ts";
import type { Queryable } from "../../storage/database.ts";

export interface StoredRow {
  readonly id: AccountId;
  readonly name: string;
  readonly group: string;
  readonly disabled: boolean;
  readonly createdAt: Date;
  readonly balanceNanos: bigint;
  readonly availableNanos: bigint;
  readonly spentThisMonthNanos: bigint;
}

export interface RowsQuery {
  readonly search?: string | undefined;
  readonly group?: string | undefined;
  readonly disabled?: boolean | undefined;
  /** Only names behind this one. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** Accounts by name, along the index of its uniqueness; the sums of a page's accounts come from the rollups. */
export function readAccountRows(db: Queryable, query: RowsQuery): Promise<StoredRow[]> {
  return db.query<StoredRow>(
    `with page as materialized (
       select a.* from accounts a
        where ($1::text is null or position(lower($1) in lower(a.name)) > 0)
          and ($2::text is null or a.group_name = $2)
          and ($3::boolean is null or a.disabled = $3)
          and ($4::text is null or a.name > $4)
        order by a.name limit $5
     )
     select ${COLUMNS} from page a ${SUMS} order by a.name`,
    [query.search ?? null, query.group ?? null, query.disabled ?? null, query.after ?? null, query.limit],
  );
}

const COLUMNS = `a.id, a.name, a.group_name as "group", a.disabled, a.created_at as "createdAt",
  coalesce(l.wallet + l.leased + l.held, 0) as "balanceNanos", coalesce(l.wallet + l.leased, 0) as "availableNanos",
  s.spent as "spentThisMonthNanos"`;

const SUMS = `
  left join ledgers l on l.id = 'account:' || a.id
  cross join lateral (
    select coalesce(sum(h.charge_nanos), 0)::int8 as spent from usage_hours h
     where h.account_id = a.id and h.hour >= date_trunc('month', now(), 'UTC')) s`;

export interface StoredDetail extends StoredRow {
  readonly keys: number;
  readonly members: number;
  readonly requestsLastHour: number;
  readonly tagKeys: readonly string[];
}

export function readAccountDetail(db: Queryable, id: AccountId): Promise<StoredDetail | undefined> {
  return db.maybeOne<StoredDetail>(
    `select ${COLUMNS}, a.tag_keys as "tagKeys",
            (select count(*)::int4 from api_keys k where k.account_id = a.id and k.revoked_at is null) as keys,
            (select count(*)::int4 from account_members m where m.account_id = a.id) as members,
            (select coalesce(sum(h.requests), 0)::int4 from usage_hours h
              where h.account_id = a.id and h.hour >= date_trunc('hour', now(), 'UTC') - interval '1 h') as "requestsLastHour"
       from accounts a ${SUMS} where a.id = $1`,
    [id],
  );
}

/** Breaks accounts_name_unique, accounts_group_exists. */
export async function insertAccount(
  tx: Queryable,
  { name, group }: { readonly name: string; readonly group: string },
): Promise<AccountId> {
  const { id } = await tx.one<{ id: AccountId }>(
    "insert into accounts (name, group_name) values ($1, $2) returning id",
    [name, group],
  );
  return id;
}

/** What an operator may change of an account. */
export interface AccountTerms {
  readonly group: string;
  readonly disabled: boolean;
  readonly tagKeys: readonly string[];
}

/** Holds the account for the transaction: how it stands, until it is written. */
export function lockAccount(
  tx: Queryable,
  id: AccountId,
): Promise<(AccountTerms & { readonly name: string }) | undefined> {
  return tx.maybeOne(
    `select name, group_name as "group", disabled, tag_keys as "tagKeys" from accounts where id = $1 for no key update`,
    [id],
  );
}

/** Breaks accounts_group_exists. */
export async function updateAccount(
  tx: Queryable,
  id: AccountId,
  { group, disabled, tagKeys }: AccountTerms,
): Promise<void> {
  await tx.execute("update accounts set group_name = $2, disabled = $3, tag_keys = $4 where id = $1", [
    ...[id, group, disabled, tagKeys],
  ]);
}
