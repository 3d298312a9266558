import type { AccountId } from "../accounts/caller.ts";
import type { Queryable } from "../storage/database.ts";
import type { UserId } from "./identity.ts";
import type { Scope } from "./scopes.ts";

export interface TokenRow {
  readonly id: bigint;
  readonly name: string;
  readonly hint: string;
  readonly scopes: readonly Scope[];
  readonly accountId: AccountId | null;
  readonly accountName: string | null;
  readonly allowedAddresses: readonly string[] | null;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  /** Exact to the minute. */
  readonly lastUsedAt: Date | null;
}

export interface NewToken {
  readonly userId: UserId;
  readonly name: string;
  readonly hash: Buffer;
  readonly hint: string;
  readonly scopes: readonly Scope[];
  /** Null = all accounts of its user. */
  readonly accountId: AccountId | null;
  readonly allowedAddresses: readonly string[] | null;
  readonly expiresAt: Date | null;
}

/** Returns undefined if the user has `most` tokens already. */
export async function insertToken(
  tx: Queryable,
  token: NewToken,
  most: number,
): Promise<TokenRow | undefined> {
  // The lock makes simultaneous calls count each other's tokens.
  await tx.execute("select from users where id = $1 for no key update", [token.userId]);
  return tx.maybeOne<TokenRow>(
    `with made as (
       insert into console_tokens (user_id, name, hash, hint, scopes, account_id, allowed_addresses,
         expires_at)
       select $1, $2, $3, $4, $5, $6, $7, $8 where (select count(*) from console_tokens where user_id = $1) < $9
       returning *
     )
     select ${COLUMNS} from made t left join accounts a on a.id = t.account_id`,
    [
      token.userId,
      token.name,
      token.hash,
      token.hint,
      token.scopes,
      token.accountId,
      token.allowedAddresses,
      token.expiresAt,
      most,
    ],
  );
}

/** A user's tokens, newest first. */
export function readTokens(db: Queryable, userId: UserId): Promise<TokenRow[]> {
  return db.query<TokenRow>(
    `select ${COLUMNS} from console_tokens t left join accounts a on a.id = t.account_id
     where t.user_id = $1 order by t.id desc`,
    [userId],
  );
}

/** Deletes a token and returns its name; undefined = the user has no such token. */
export async function deleteToken(tx: Queryable, userId: UserId, id: bigint): Promise<string | undefined> {
  const row = await tx.maybeOne<{ name: string }>(
    "delete from console_tokens where user_id = $1 and id = $2 returning name",
    [userId, id],
  );
  return row?.name;
}

export async function deleteTokens(tx: Queryable, userId: UserId): Promise<void> {
  await tx.execute("delete from console_tokens where user_id = $1", [userId]);
}

const COLUMNS = `t.id, t.name, t.hint, t.scopes, t.account_id as "accountId", a.name as "accountName",
  t.allowed_addresses as "allowedAddresses", t.created_at as "createdAt", t.expires_at as "expiresAt", t.last_used_at as "lastUsedAt"`;
