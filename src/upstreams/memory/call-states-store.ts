import type { Queryable } from "../../storage/database.ts";

export interface CallStateRow {
  readonly key: Buffer;
  readonly sealed: string;
}

/** Writes states in one statement; the latest of a call counts. No key may be there twice. */
export async function writeCallStates(db: Queryable, rows: readonly CallStateRow[]): Promise<void> {
  await db.execute(
    `insert into call_states (call_key, sealed_state)
     select * from unnest($1::bytea[], $2::text[])
     on conflict (call_key) do update set sealed_state = excluded.sealed_state, created_at = now()`,
    [rows.map(({ key }) => key), rows.map(({ sealed }) => sealed)],
  );
}

export async function findCallStates(
  db: Queryable,
  keys: readonly Buffer[],
  hours: number,
): Promise<CallStateRow[]> {
  return db.query<CallStateRow>(
    `select call_key as "key", sealed_state as "sealed" from call_states
     where call_key = any($1::bytea[]) and created_at > now() - make_interval(hours => $2)`,
    [keys, hours],
  );
}

export function deleteCallStatesOlderThan(db: Queryable, hours: number): Promise<number> {
  return db.execute("delete from call_states where created_at < now() - make_interval(hours => $1)", [hours]);
}
