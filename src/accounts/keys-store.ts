import type { Queryable } from "../storage/database.ts";
import type { AccountId, KeyId, RateLimits, SpendingLimit } from "./caller.ts";
import { keyForm, keyHint } from "./key-form.ts";
import type { KeyHasher } from "./key-hasher.ts";
import { type LimitColumns, readRateLimits, readSpendingLimit } from "./key-limits.ts";

/** The rights of a key; a field left out means "no limit" or "not so". */
export interface KeyTerms {
  readonly disabled?: boolean;
  readonly expiresAt?: Date | null;
  /** The list of model ids; null = every model of the account's group. */
  readonly models?: readonly string[] | null;
  readonly spendingLimit?: SpendingLimit | null;
  readonly rateLimits?: RateLimits | null;
  /** Addresses and ranges from which it may be used; null = any. */
  readonly allowedAddresses?: readonly string[] | null;
}

/** The origin of a key. */
export interface KeyOrigin {
  /** The person who made it; null = the catalog file or the command line. */
  readonly createdBy?: bigint | null;
  /** For a page of the dashboard, for minutes: no list and no export shows it. */
  readonly playground?: boolean;
}

/** The text of a key, to be stored as a hash. */
export interface KeySecret {
  readonly credential: string;
  /** The environment variable the catalog file took it from, so that an export can name it. */
  readonly reference?: string | null;
}

export interface KeyRecord {
  readonly id: KeyId;
  readonly accountId: AccountId;
  readonly accountName: string;
  readonly name: string;
  /** Some characters of both ends of the current secret, for people. */
  readonly hint: string;
  /** Hash of the current secret in hexadecimal; equals hasher.hash(credential).toString("hex"). */
  readonly hash: string;
  readonly reference: string | null;
  readonly disabled: boolean;
  readonly expiresAt: Date | null;
  readonly models: readonly string[] | null;
  readonly spendingLimit: SpendingLimit | null;
  readonly rateLimits: RateLimits | null;
  readonly allowedAddresses: readonly string[] | null;
  readonly createdAt: Date;
}

/**
 * Creates a key. The credential (generateKey(), or one brought along) is stored as a hash only: show it
 * now or never. Unique violations: api_keys_name_unique (the account has such a key that is not
 * revoked), api_key_secrets_pkey (another key has this very credential).
 */
export async function createKey(
  tx: Queryable,
  hasher: KeyHasher,
  key: { readonly accountId: AccountId; readonly name: string } & KeyTerms & KeySecret & KeyOrigin,
): Promise<KeyId> {
  const { id } = await tx.one<{ id: KeyId }>(
    `insert into api_keys (account_id, name, created_by, playground, ${TERMS})
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
     returning id`,
    [key.accountId, key.name, key.createdBy ?? null, key.playground ?? false, ...termValues(key)],
  );
  await insertSecret(tx, hasher, id, key);
  return id;
}

/**
 * The names the account's keys have taken (those of revoked ones are free again). Locked until the
 * transaction ends: a name found free stays free for it.
 */
export async function lockKeyNames(tx: Queryable, accountId: AccountId): Promise<Set<string>> {
  await tx.one("select id from accounts where id = $1 for no key update", [accountId]);
  const rows = await tx.query<{ name: string }>(
    "select name from api_keys where account_id = $1 and revoked_at is null",
    [accountId],
  );
  return new Set(rows.map(({ name }) => name));
}

/** Replaces everything a key may do by `terms`. False = no such key, or it is revoked. */
export async function setKeyTerms(tx: Queryable, id: KeyId, terms: KeyTerms): Promise<boolean> {
  const touched = await tx.execute(
    `update api_keys set (${TERMS}) = ($2, $3, $4, $5, $6, $7, $8, $9, $10) where id = $1 and revoked_at is null`,
    [id, ...termValues(terms)],
  );
  return touched > 0;
}

/** Unique violation: api_keys_name_unique. False = no such key, or it is revoked. */
export async function renameKey(tx: Queryable, id: KeyId, name: string): Promise<boolean> {
  const statement = "update api_keys set name = $2 where id = $1 and revoked_at is null";
  return (await tx.execute(statement, [id, name])) > 0;
}

/** Revokes the account's keys for playgrounds that have expired: their names are free, and nothing piles up. */
export async function revokeExpiredPlaygroundKeys(tx: Queryable, accountId: AccountId): Promise<void> {
  await tx.execute(
    `update api_keys set revoked_at = now()
      where account_id = $1 and playground and revoked_at is null and expires_at < now()`,
    [accountId],
  );
}

export async function setKeyDisabled(tx: Queryable, id: KeyId, disabled: boolean): Promise<boolean> {
  const statement = "update api_keys set disabled = $2 where id = $1 and revoked_at is null";
  return (await tx.execute(statement, [id, disabled])) > 0;
}

/** Null = it never expires. */
export async function setKeyExpiry(tx: Queryable, id: KeyId, expiresAt: Date | null): Promise<boolean> {
  const statement = "update api_keys set expires_at = $2 where id = $1 and revoked_at is null";
  return (await tx.execute(statement, [id, expiresAt])) > 0;
}

/** For ever. False = no such key, or it was revoked already. */
export async function revokeKey(tx: Queryable, id: KeyId): Promise<boolean> {
  const statement = "update api_keys set revoked_at = now() where id = $1 and revoked_at is null";
  return (await tx.execute(statement, [id])) > 0;
}

/**
 * Gives a key a new secret; id, terms and what its spending limit has left stay. The old secret works
 * until `oldUntil` (a moment past = at once no more), and those before it no longer than that, as a rotation may
 * be a response to a leak. Throws on an unknown or revoked key.
 */
export async function rotateKey(
  tx: Queryable,
  hasher: KeyHasher,
  rotation: { readonly id: KeyId; readonly oldUntil: Date } & KeySecret,
): Promise<void> {
  // Locks the key, so that two rotations at once are one after the other.
  await tx.one("select id from api_keys where id = $1 and revoked_at is null for update", [rotation.id]);
  await tx.execute(
    "update api_key_secrets set expires_at = $2 where key_id = $1 and (expires_at is null or expires_at > $2)",
    [rotation.id, rotation.oldUntil],
  );
  await insertSecret(tx, hasher, rotation.id, rotation);
}

/** The keys that are not revoked (nor a playground's), of one account or of all, by account and name. */
export async function readKeys(db: Queryable, accountId?: AccountId): Promise<KeyRecord[]> {
  const rows = await db.query<KeyRow>(
    `select k.id, k.account_id, a.name as account_name, k.name, s.hint, encode(s.hash, 'hex') as hash, s.reference,
            ${TERMS.split(", ")
              .map((column) => `k.${column}`)
              .join(", ")}, k.created_at
     from api_keys k
     join accounts a on a.id = k.account_id
     join api_key_secrets s on s.key_id = k.id and s.expires_at is null
     where k.revoked_at is null and not k.playground and ($1::int8 is null or k.account_id = $1)
     order by a.name, k.name`,
    [accountId ?? null],
  );
  return rows.map(readKeyRow);
}

/** Columns of a key's terms, in the order of termValues. */
const TERMS =
  "disabled, expires_at, models, limit_nanos, limit_period, requests_per_minute, tokens_per_minute, concurrency, allowed_addresses";

function termValues(terms: KeyTerms): unknown[] {
  return [
    terms.disabled ?? false,
    terms.expiresAt ?? null,
    terms.models ?? null,
    terms.spendingLimit?.amountNanos ?? null,
    terms.spendingLimit?.period ?? null,
    terms.rateLimits?.requestsPerMinute ?? null,
    terms.rateLimits?.tokensPerMinute ?? null,
    terms.rateLimits?.concurrency ?? null,
    terms.allowedAddresses ?? null,
  ];
}

async function insertSecret(
  tx: Queryable,
  hasher: KeyHasher,
  keyId: KeyId,
  secret: KeySecret,
): Promise<void> {
  const { credential, reference = null } = secret;
  const lookalike = keyForm(credential) === "lookalike";
  await tx.execute(
    "insert into api_key_secrets (hash, key_id, hint, lookalike, reference) values ($1, $2, $3, $4, $5)",
    [hasher.hash(credential), keyId, keyHint(credential), lookalike, reference],
  );
}

interface KeyRow extends LimitColumns {
  readonly id: KeyId;
  readonly account_id: AccountId;
  readonly account_name: string;
  readonly name: string;
  readonly hint: string;
  readonly hash: string;
  readonly reference: string | null;
  readonly disabled: boolean;
  readonly expires_at: Date | null;
  readonly models: string[] | null;
  readonly allowed_addresses: string[] | null;
  readonly created_at: Date;
}

function readKeyRow(row: KeyRow): KeyRecord {
  return {
    id: row.id,
    accountId: row.account_id,
    accountName: row.account_name,
    name: row.name,
    hint: row.hint,
    hash: row.hash,
    reference: row.reference,
    disabled: row.disabled,
    expiresAt: row.expires_at,
    models: row.models,
    spendingLimit: readSpendingLimit(row),
    rateLimits: readRateLimits(row),
    allowedAddresses: row.allowed_addresses,
    createdAt: row.created_at,
  };
}
