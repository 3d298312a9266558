import type { Queryable } from "../storage/database.ts";
import type { AccountId, Caller, KeyId } from "./caller.ts";
import { type LimitColumns, readRateLimits, readSpendingLimit } from "./key-limits.ts";

/** A key that works, until it expires. */
export interface KnownKey {
  readonly caller: Caller;
  /** Milliseconds since 1970; Infinity = never. */
  readonly expiresAtMs: number;
}

/**
 * The keys that work among those with these hashes, by hash in hexadecimal. A key that is unknown, disabled or
 * revoked, or whose account is disabled, is simply not there: nobody outside learns which.
 */
export async function findKeys(db: Queryable, hashes: readonly Buffer[]): Promise<Map<string, KnownKey>> {
  const rows = await db.query<KnownKeyRow>(
    `select encode(s.hash, 'hex') as hash, least(s.expires_at, k.expires_at) as expires_at,
            a.id as account_id, a.name as account_name, a.group_name, k.id as key_id, k.name as key_name, k.models,
            k.limit_nanos, k.limit_period, k.requests_per_minute, k.tokens_per_minute, k.concurrency
     from api_key_secrets s
     join api_keys k on k.id = s.key_id and k.revoked_at is null and not k.disabled
     join accounts a on a.id = k.account_id and not a.disabled
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
  readonly account_id: AccountId;
  readonly account_name: string;
  readonly group_name: string;
  readonly key_id: KeyId;
  readonly key_name: string;
  readonly models: string[] | null;
}

function readKnownKey(row: KnownKeyRow): KnownKey {
  const caller: Caller = Object.freeze({
    accountId: row.account_id,
    accountName: row.account_name,
    group: row.group_name,
    keyId: row.key_id,
    keyName: row.key_name,
    models: row.models && new Set(row.models),
    spendingLimit: readSpendingLimit(row),
    rateLimits: readRateLimits(row),
  });
  return { caller, expiresAtMs: row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY };
}
