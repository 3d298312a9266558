import type { AccountId } from "../accounts/caller.ts";
import type { Queryable } from "../storage/database.ts";

/** The owner of a key with this text. */
export interface SecretOwner {
  readonly account: string;
  readonly key: string;
  /** "retired": rotated out or revoked; it does not work any more, or only for a grace. */
  readonly state: "current" | "retired";
}

/** The owners of key texts, by hash in hexadecimal, those that were revoked or rotated out too. */
export async function readSecretOwners(
  db: Queryable,
  hashes: readonly Buffer[],
): Promise<ReadonlyMap<string, SecretOwner>> {
  const rows = await db.query<{ hash: string; account: string; key: string; retired: boolean }>(
    `select encode(s.hash, 'hex') as hash, a.name as account, k.name as key,
            k.revoked_at is not null or s.expires_at is not null as retired
     from api_key_secrets s
     join api_keys k on k.id = s.key_id
     join accounts a on a.id = k.account_id
     where s.hash = any($1)`,
    [hashes],
  );
  return new Map(
    rows.map(({ hash, account, key, retired }) => [
      hash,
      { account, key, state: retired ? "retired" : "current" },
    ]),
  );
}

/** The opening balance of every account that was granted one, in nanos. */
export async function readOpeningBalances(db: Queryable): Promise<ReadonlyMap<AccountId, bigint>> {
  const rows = await db.query<{ id: AccountId; amount: bigint }>(
    "select a.id, t.amount from accounts a join transfers t on t.key = 'opening:' || a.id",
  );
  return new Map(rows.map(({ id, amount }) => [id, amount]));
}

/** Two files applied at once are applied one after the other; held to the end of the transaction. */
export async function lockManifest(tx: Queryable): Promise<void> {
  await tx.execute("select pg_advisory_xact_lock(hashtext('faregate manifest'))");
}
