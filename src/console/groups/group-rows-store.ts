import type { Queryable } from "../../storage/database.ts";

export interface GroupRow {
  readonly name: string;
  readonly factorPpm: bigint;
  readonly accounts: number;
  readonly models: number;
  readonly upstreams: number;
}

/** Every group with what uses it, by name; accounts are counted along accounts_group. */
export function readGroupRows(db: Queryable): Promise<GroupRow[]> {
  return db.query<GroupRow>(`${ROWS} order by g.name`);
}

/** Holds the group for the transaction, accounts that would join it included. */
export async function lockGroup(tx: Queryable, name: string): Promise<GroupRow | undefined> {
  await tx.execute("select from groups where name = $1 for update", [name]);
  return tx.maybeOne<GroupRow>(`${ROWS} where g.name = $1`, [name]);
}

const ROWS = `
  select g.name, g.factor_ppm as "factorPpm",
         (select count(*)::int4 from accounts a where a.group_name = g.name) as accounts,
         (select count(*)::int4 from models m where g.name = any(m.groups)) as models,
         (select count(*)::int4 from upstreams u where g.name = any(u.groups)) as upstreams
    from groups g`;
