import type { AccountId, KeyId, RateLimits, SpendingLimit } from "../../accounts/caller.ts";
import { type LimitColumns, readRateLimits, readSpendingLimit } from "../../accounts/key-limits.ts";
import type { Queryable } from "../../storage/database.ts";

/** A key as the console shows it. */
export interface ShownKey {
  readonly id: KeyId;
  readonly name: string;
  readonly hint: string;
  readonly disabled: boolean;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly models: readonly string[] | null;
  readonly spendingLimit: SpendingLimit | null;
  readonly rateLimits: RateLimits | null;
  readonly allowedAddresses: readonly string[] | null;
  readonly createdAt: Date;
  readonly createdBy: { readonly id: bigint; readonly name: string } | null;
  readonly oldSecretUntil: Date | null;
  readonly lastUsedAt: Date | null;
  readonly spentMonthNanos: bigint;
  readonly spentTotalNanos: bigint;
}

export interface KeysQuery {
  readonly accountId: AccountId;
  readonly revoked: boolean;
  /** Part of the name; "" = all. */
  readonly search: string;
  /** Only older ones than this key. */
  readonly afterId: KeyId | null;
  readonly most: number;
}

/** The account's keys, newest first, by index api_keys_account; sums come from the days of these keys only. */
export async function readShownKeys(db: Queryable, wanted: KeysQuery): Promise<ShownKey[]> {
  const rows = await db.query<ShownKeyRow>(
    `with page as (
       select * from api_keys k
        where account_id = $1 and not playground and (revoked_at is not null) = $2
          and ($3 = '' or position(lower($3) in lower(name)) > 0) and ($4::int8 is null or id < $4)
        order by id desc limit $5
     ) ${SHOW} order by k.id desc`,
    [wanted.accountId, wanted.revoked, wanted.search, wanted.afterId, wanted.most],
  );
  return rows.map(shownKey);
}

/** One key of the account, revoked ones too. */
export async function findShownKey(
  db: Queryable,
  accountId: AccountId,
  id: KeyId,
): Promise<ShownKey | undefined> {
  const row = await db.maybeOne<ShownKeyRow>(
    `with page as (select * from api_keys where account_id = $1 and id = $2 and not playground) ${SHOW}`,
    [accountId, id],
  );
  return row && shownKey(row);
}

/** Keeps others from changing the key until the transaction ends. */
export async function lockKey(tx: Queryable, id: KeyId): Promise<void> {
  await tx.one("select id from api_keys where id = $1 for update", [id]);
}

/** Counts the key's requests that were posted within the last hour. */
export async function countLastHour(db: Queryable, accountId: AccountId, id: KeyId): Promise<number> {
  const { requests } = await db.one<{ requests: bigint }>(
    `select count(*) as requests from usage
      where account_id = $1 and key_id = $2 and posted_at > now() - interval '1 hour'`,
    [accountId, id],
  );
  return Number(requests);
}

const SHOW = `
  select k.id, k.name, s.hint, k.disabled, k.expires_at, k.revoked_at, k.models, k.limit_nanos, k.limit_period,
         k.requests_per_minute, k.tokens_per_minute, k.concurrency, k.allowed_addresses, k.created_at, k.created_by, p.name as created_by_name,
         o.until as old_secret_until, u.last_used_at, coalesce(u.month, 0)::int8 as month, coalesce(u.total, 0)::int8 as total
    from page k
    join api_key_secrets s on s.key_id = k.id and s.expires_at is null
    left join users p on p.id = k.created_by
    left join lateral (
      select max(expires_at) as until from api_key_secrets where key_id = k.id and expires_at > now()
    ) o on true
    left join lateral (
      select max(last_at) as last_used_at, sum(charge_nanos) as total,
             sum(charge_nanos) filter (where day >= date_trunc('month', now() at time zone 'utc')) as month
        from usage_keys where account_id = k.account_id and key_id = k.id
    ) u on true`;

interface ShownKeyRow extends LimitColumns {
  readonly id: KeyId;
  readonly name: string;
  readonly hint: string;
  readonly disabled: boolean;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
  readonly models: string[] | null;
  readonly allowed_addresses: string[] | null;
  readonly created_at: Date;
  readonly created_by: bigint | null;
  readonly created_by_name: string | null;
  readonly old_secret_until: Date | null;
  readonly last_used_at: Date | null;
  readonly month: bigint;
  readonly total: bigint;
}

function shownKey(row: ShownKeyRow): ShownKey {
  const { created_by: creator, created_by_name: creatorName } = row;
  return {
    id: row.id,
    name: row.name,
    hint: row.hint,
    disabled: row.disabled,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    models: row.models,
    spendingLimit: readSpendingLimit(row),
    rateLimits: readRateLimits(row),
    allowedAddresses: row.allowed_addresses,
    createdAt: row.created_at,
    createdBy: creator === null || creatorName === null ? null : { id: creator, name: creatorName },
    oldSecretUntil: row.old_secret_until,
    lastUsedAt: row.last_used_at,
    spentMonthNanos: row.month,
    spentTotalNanos: row.total,
  };
}
