import { createSeals, SealError, type Seals, sealedRow } from "../base/seal.ts";
import type { Database, Queryable } from "../storage/database.ts";

/** The row that the secret is bound to. */
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

/** The channel that tells running gateways of a new master key. */
export const MASTER_KEY_CHANNEL = "master_key_changed";

/** Leaves the new key, sealed under the old one, for whoever knows the old one. */
export async function announceMasterKey(database: Database, oldKey: string, newKey: string): Promise<void> {
  const sealed = createSeals(oldKey).seal(newKey, HANDOVER);
  await database.transaction(async (tx) => {
    await tx.execute(
      `insert into master_key_handovers (id, sealed_under_old) values (1, $1)
       on conflict (id) do update set sealed_under_old = excluded.sealed_under_old, created_at = now()`,
      [sealed],
    );
    await tx.execute("select pg_notify($1, '')", [MASTER_KEY_CHANNEL]);
  });
}

/**
 * Adopts an announced master key if the one that `seals` has can read the announcement. Where it cannot,
 * `seals` began with the new key: the announcement is of no more use to this process.
 */
export async function learnMasterKey(
  db: Queryable,
  seals: Seals,
): Promise<"none" | "learned" | "unreadable"> {
  const row = await db.maybeOne<{ sealed_under_old: string }>(
    "select sealed_under_old from master_key_handovers",
  );
  if (!row) return "none";
  try {
    seals.adopt(seals.open(row.sealed_under_old, HANDOVER));
    return "learned";
  } catch (error) {
    if (error instanceof SealError && error.reason === "wrong-key") return "unreadable";
    throw error;
  }
}

/** Ends a rotation: from now on the old key opens nothing. */
export async function withdrawMasterKey(db: Queryable): Promise<void> {
  await db.execute("delete from master_key_handovers");
}

/**
 * Seals every secret of the database anew under the new key, in one transaction: all or none. Secrets that
 * are under it already stay readable, so repeating it does no harm. Gives their number. Whoever reads them
 * meanwhile must accept both keys. `trace` is part of the transaction.
 */
export async function resealAll(
  database: Database,
  oldKey: string,
  newKey: string,
  trace?: (tx: Queryable, resealed: number) => Promise<void>,
): Promise<number> {
  const seals = createSeals(oldKey);
  seals.adopt(newKey);
  return database.transaction(async (tx) => {
    let resealed = 0;
    for (const table of await tablesWithSecrets(tx)) resealed += await resealTable(tx, seals, table);
    await trace?.(tx, resealed);
    return resealed;
  });
}

/** Opens every secret of the database; throws SealError at the first that the keys of `seals` do not open. */
export async function openAll(db: Queryable, seals: Seals): Promise<void> {
  for (const table of await tablesWithSecrets(db)) {
    const rows = await db.query<SealedRow>(
      `select id, sealed from ${table} where sealed is not null order by id`,
    );
    for (const { id, sealed } of rows) seals.open(sealed, sealedRow(table, id));
  }
}

const HANDOVER = "master_key_handovers";

interface SealedRow {
  readonly id: bigint | number;
  readonly sealed: string;
}

/** Finds tables by a rule of the migrations: a sealed secret is in a column "sealed" of a table with an "id". */
async function tablesWithSecrets(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    `select quote_ident(table_name) as name from information_schema.columns
     where table_schema = current_schema() and column_name = 'sealed' order by table_name`,
  );
  return rows.map(({ name }) => name);
}

async function resealTable(tx: Queryable, seals: Seals, table: string): Promise<number> {
  const rows = await tx.query<SealedRow>(
    `select id, sealed from ${table} where sealed is not null order by id for update`,
  );
  for (const { id, sealed } of rows) {
    const row = sealedRow(table, id);
    await tx.execute(`update ${table} set sealed = $2 where id = $1`, [
      id,
      seals.seal(seals.open(sealed, row), row),
    ]);
  }
  return rows.length;
}
