import type { Queryable } from "../../storage/database.ts";

/** An id that an upstream gave to what it keeps for an account, and where: no other place knows it. */
export interface IssuedId {
  readonly id: string;
  readonly accountId: bigint;
  readonly upstreamId: bigint;
  readonly credentialId: bigint;
}

/** Writes ids in one statement; one that is there already stays. */
export async function insertIssuedIds(db: Queryable, issued: readonly IssuedId[]): Promise<void> {
  await db.execute(
    `insert into issued_ids (id, account_id, upstream_id, credential_id)
     select * from unnest($1::text[], $2::int8[], $3::int8[], $4::int8[])
     on conflict do nothing`,
    [
      issued.map(({ id }) => id),
      issued.map(({ accountId }) => accountId),
      issued.map(({ upstreamId }) => upstreamId),
      issued.map(({ credentialId }) => credentialId),
    ],
  );
}

/** The owners of these ids, other accounts included. */
export async function findIssuedIds(db: Queryable, ids: readonly string[]): Promise<IssuedId[]> {
  return db.query<IssuedId>(
    `select id, account_id as "accountId", upstream_id as "upstreamId", credential_id as "credentialId"
     from issued_ids where id = any($1)`,
    [ids],
  );
}

/** Forgets ids older than the vendors keep what they name. */
export function deleteIssuedIdsOlderThan(db: Queryable, days: number): Promise<number> {
  return db.execute("delete from issued_ids where created_at < now() - make_interval(days => $1)", [days]);
}
