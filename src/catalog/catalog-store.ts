import type { Queryable } from "../storage/database.ts";
import type { Group } from "./catalog.ts";
import type { SettingsFile } from "./settings.ts";

/** Creates a group or sets its factor. */
export async function upsertGroup(tx: Queryable, group: Group): Promise<void> {
  await tx.execute(
    `insert into groups (name, factor_ppm) values ($1, $2)
     on conflict (name) do update set factor_ppm = excluded.factor_ppm`,
    [group.name, group.factorPpm],
  );
}

/**
 * Returns false if there was no such group. Fails on the foreign key accounts_group_exists while an account is in it.
 */
export async function deleteGroup(tx: Queryable, name: string): Promise<boolean> {
  return (await tx.execute("delete from groups where name = $1", [name])) > 0;
}

/** Every group, by name. */
export function readGroups(db: Queryable): Promise<Group[]> {
  return db.query<Group>(`select name, factor_ppm as "factorPpm" from groups order by name`);
}

/** Number of accounts in each group, counted up to two, because more make no difference to the catalog. */
export async function readAccountCounts(db: Queryable): Promise<ReadonlyMap<string, number>> {
  const rows = await db.query<{ name: string; accounts: number }>(
    `select g.name, (select count(*) from (select from accounts where group_name = g.name limit 2) as counted)::int4 as accounts
     from groups g`,
  );
  return new Map(rows.map(({ name, accounts }) => [name, accounts]));
}

/** Replaces the settings. Those that are not given have their defaults. */
export async function writeSettings(tx: Queryable, overrides: SettingsFile): Promise<void> {
  await tx.execute("update settings set overrides = $1 where id = 1", [JSON.stringify(overrides)]);
}

/** The settings without defaults, for a diff or an export; decodeSettings() adds the defaults. */
export async function readSettings(db: Queryable): Promise<SettingsFile> {
  const { overrides } = await db.one<{ overrides: SettingsFile }>(
    "select overrides from settings where id = 1",
  );
  return overrides;
}

/** The version increases in the transaction of every change to the catalog, so that polling reads one small row. */
export async function readCatalogVersion(db: Queryable): Promise<bigint> {
  const { version } = await db.one<{ version: bigint }>(
    "select version from change_counters where name = 'catalog'",
  );
  return version;
}
