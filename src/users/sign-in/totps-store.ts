import { type Seals, sealedRow } from "../../base/seal.ts";
import type { Queryable } from "../../storage/database.ts";
import type { UserId } from "../identity.ts";

export interface TotpRecord {
  readonly id: bigint;
  /** In base32, as apps read it. */
  readonly secret: string;
  readonly confirmed: boolean;
}

export async function readTotp(db: Queryable, seals: Seals, userId: UserId): Promise<TotpRecord | undefined> {
  const row = await db.maybeOne<{ id: bigint; sealed: string; confirmed: boolean }>(
    "select id, sealed, confirmed_at is not null as confirmed from user_totps where user_id = $1",
    [userId],
  );
  if (row === undefined) return undefined;
  const { id, sealed, confirmed } = row;
  return { id, confirmed, secret: seals.open(sealed, sealedRow("user_totps", id)) };
}

/** Begins an enrolment and replaces an unfinished one; false = one is confirmed already. */
export async function insertTotp(
  tx: Queryable,
  seals: Seals,
  userId: UserId,
  secret: string,
): Promise<boolean> {
  await tx.execute("delete from user_totps where user_id = $1 and confirmed_at is null", [userId]);
  const { id } = await tx.one<{ id: bigint }>(
    "select nextval(pg_get_serial_sequence('user_totps', 'id')) as id",
  );
  const inserted = await tx.execute(
    `insert into user_totps (id, user_id, sealed) overriding system value values ($1, $2, $3)
     on conflict (user_id) do nothing`,
    [id, userId, seals.seal(secret, sealedRow("user_totps", id))],
  );
  return inserted > 0;
}

/** Requires codes from now on; false = the enrolment was confirmed already. */
export async function confirmTotp(
  tx: Queryable,
  id: bigint,
  step: number,
  recoveryHashes: readonly Buffer[],
): Promise<boolean> {
  const statement = `update user_totps set confirmed_at = now(), last_step = $2, recovery_hashes = $3
     where id = $1 and confirmed_at is null`;
  return (await tx.execute(statement, [id, step, recoveryHashes])) > 0;
}

/** Uses up the code of a time step; false = it or a later one was used already. */
export async function useStep(tx: Queryable, id: bigint, step: number): Promise<boolean> {
  const statement = "update user_totps set last_step = $2 where id = $1 and last_step < $2";
  return (await tx.execute(statement, [id, step])) > 0;
}

/** Uses up a recovery code; false = it does not exist or was used. */
export async function useRecovery(tx: Queryable, id: bigint, hash: Buffer): Promise<boolean> {
  const statement = `update user_totps set recovery_hashes = array_remove(recovery_hashes, $2)
     where id = $1 and $2 = any(recovery_hashes)`;
  return (await tx.execute(statement, [id, hash])) > 0;
}

/** Returns false if there was none. */
export async function deleteTotp(tx: Queryable, userId: UserId): Promise<boolean> {
  return (await tx.execute("delete from user_totps where user_id = $1", [userId])) > 0;
}
