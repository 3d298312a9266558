import type { Queryable } from "../storage/database.ts";

/** A stored response and where it is kept; readable only by the account that made it. */
export interface ResponsePin {
  readonly responseId: string;
  readonly accountId: bigint;
  readonly upstreamId: bigint;
  readonly credentialId: bigint;
}

/** Writes pins in one statement; one that is there already stays. */
export async function insertPins(db: Queryable, pins: readonly ResponsePin[]): Promise<void> {
  await db.execute(
    `insert into stored_responses (response_id, account_id, upstream_id, credential_id)
     select * from unnest($1::text[], $2::int8[], $3::int8[], $4::int8[])
     on conflict do nothing`,
    [
      pins.map((pin) => pin.responseId),
      pins.map((pin) => pin.accountId),
      pins.map((pin) => pin.upstreamId),
      pins.map((pin) => pin.credentialId),
    ],
  );
}

export async function findPin(
  db: Queryable,
  accountId: bigint,
  responseId: string,
): Promise<ResponsePin | undefined> {
  const row = await db.maybeOne<{ upstream_id: bigint; credential_id: bigint }>(
    "select upstream_id, credential_id from stored_responses where account_id = $1 and response_id = $2",
    [accountId, responseId],
  );
  return row && { responseId, accountId, upstreamId: row.upstream_id, credentialId: row.credential_id };
}

/** Forgets pins older than the vendors keep the responses themselves. */
export function deletePinsOlderThan(db: Queryable, days: number): Promise<number> {
  return db.execute("delete from stored_responses where created_at < now() - make_interval(days => $1)", [
    days,
  ]);
}
