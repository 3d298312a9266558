import { sealedRow } from "../base/seal.ts";
import type { Queryable } from "../storage/database.ts";

/** What the secret is bound to. */
export const HASHING_SECRET = sealedRow("key_hashing_secrets", 1);

export async function readHashingSecret(db: Queryable): Promise<string | undefined> {
  const row = await db.maybeOne<{ sealed: string }>("select sealed from key_hashing_secrets where id = 1");
  return row?.sealed;
}

/** Does nothing where there is one already: every key in the database depends on it. */
export async function insertHashingSecret(db: Queryable, sealed: string): Promise<void> {
  await db.execute("insert into key_hashing_secrets (id, sealed) values (1, $1) on conflict do nothing", [
    sealed,
  ]);
}
