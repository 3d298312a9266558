import { readAddressList } from "../base/fetch/address-list.ts";
import type { Queryable } from "../storage/database.ts";
import type { AccountId, Budget, Caller, KeyId } from "./caller.ts";
import { type LimitColumns, readRateLimits, readSpendingLimit } from "./key-limits.ts";

/** A key that works, until it expires. */
export interface KnownKey {
  readonly caller: Caller;
  /** Milliseconds since 1970; Infinity = never. */
  readonly expiresAtMs: number;
  /** The kind of that end: the key's own, or another secret in its place. */
  readonly endsAs: "expired" | "rotated";
}

/** Why a key that was issued does not work: whoever sends it has the secret itself, so that a stranger learns nothing of it. */
export type KeyEnd = "revoked" | "disabled" | "account_suspended" | "rotated" | "expired";

/** A key that was issued: one that works until it expires, or what has ended it before. */
export interface FoundKey extends KnownKey {
  readonly ended: Exclude<KeyEnd, KnownKey["endsAs"]> | null;
}

/** The keys with these hashes, by hash in hexadecimal; an unknown one is not there. */
export async function findKeys(db: Queryable, hashes: readonly Buffer[]): Promise<Map<string, FoundKey>> {
  const rows = await db.query<KnownKeyRow>(
    `select encode(s.hash, 'hex') as hash, least(s.expires_at, k.expires_at) as expires_at,
            s.expires_at <= coalesce(k.expires_at, 'infinity') as rotated,
            a.id as account_id, a.name as account_name, a.group_name, a.tag_keys, k.id as key_id, k.name as key_name, k.models,
            k.limit_nanos, k.limit_period, k.requests_per_minute, k.tokens_per_minute, k.concurrency,
            k.allowed_addresses,
            array(select jsonb_build_object('id', b.id::text, 'name', b.name, 'amount', b.amount_nanos::text,
                                            'period', b.period, 'hard', b.hard, 'model', b.model)
                    from budgets b
                   where b.account_id = a.id and (b.key_id is null or b.key_id = k.id)
                     and (b.user_id is null or b.user_id = k.created_by)
                   order by b.id) as budgets,
            case when k.revoked_at is not null then 'revoked' when a.disabled then 'account_suspended'
                 when k.disabled then 'disabled' end as ended
     from api_key_secrets s
     join api_keys k on k.id = s.key_id
     join accounts a on a.id = k.account_id
     where s.hash = any($1)`,
    [hashes],
  );
  return new Map(rows.map((row) => [row.hash, readKnownKey(row)]));
}

export interface KeyState {
  /** Rises in the transaction of every change to keys and accounts. */
  readonly version: bigint;
  /** Some key looks like a generated one but has no valid checksum, so a checksum proves nothing here. */
  readonly lookalikes: boolean;
}

/** One small row and one index probe: what is polled to notice a change whose message was lost. */
export function readKeyState(db: Queryable): Promise<KeyState> {
  return db.one<KeyState>(
    `select version, exists (select from api_key_secrets where lookalike) as lookalikes
     from change_counters where name = 'keys'`,
  );
}

interface KnownKeyRow extends LimitColumns {
  readonly hash: string;
  readonly expires_at: Date | null;
  readonly rotated: boolean | null;
  readonly account_id: AccountId;
  readonly account_name: string;
  readonly group_name: string;
  readonly tag_keys: string[];
  readonly key_id: KeyId;
  readonly key_name: string;
  readonly models: string[] | null;
  readonly allowed_addresses: string[] | null;
  readonly budgets: readonly BudgetColumns[];
  readonly ended: FoundKey["ended"];
}

/** As JSON: integers are texts. */
interface BudgetColumns extends Pick<Budget, "name" | "period" | "hard" | "model"> {
  readonly id: string;
  readonly amount: string;
}

function readBudget({ id, amount, name, period, hard, model }: BudgetColumns): Budget {
  return Object.freeze({ id: BigInt(id), amountNanos: BigInt(amount), name, period, hard, model });
}

function readKnownKey(row: KnownKeyRow): FoundKey {
  const caller: Caller = Object.freeze({
    accountId: row.account_id,
    accountName: row.account_name,
    group: row.group_name,
    keyId: row.key_id,
    keyName: row.key_name,
    models: row.models && new Set(row.models),
    spendingLimit: readSpendingLimit(row),
    budgets: row.budgets.map(readBudget),
    tagKeys: row.tag_keys,
    rateLimits: readRateLimits(row),
    allowedAddresses: row.allowed_addresses && readAddressList(row.allowed_addresses),
  });
  const expiresAtMs = row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY;
  return { caller, expiresAtMs, endsAs: row.rotated === true ? "rotated" : "expired", ended: row.ended };
}
