import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { PACKAGE_FILES } from "../base/package-files.ts";
import { connect, connectionConfig } from "./connection.ts";
import type { DatabaseLog, Queryable } from "./database.ts";

/**
 * Brings the schema up to date: runs the files the database does not know yet in order, each in a
 * transaction of its own; several programs at once wait for each other. Gives the names of those run.
 * Refuses, changing nothing, a database that a newer program has migrated and files that differ from
 * what was run.
 */
export async function migrate(
  url: string,
  log: DatabaseLog,
  folder = PACKAGE_FILES.migrations,
): Promise<string[]> {
  const files = await readMigrations(folder);
  // A connection of its own without time limits: a migration may rewrite a large table.
  const client = new pg.Client(connectionConfig(url, "faregate migrate"));
  client.on("error", () => undefined); // the statement under way says so itself
  await connect(client);
  try {
    // For the whole session, so that the check and what follows it are one; it ends with the connection.
    await client.query("select pg_advisory_lock(hashtextextended('faregate migrations', 0))");
    await client.query(CREATE_TABLE);
    const { rows } = await client.query<Applied>(READ_APPLIED);
    const status = compare(files, rows);
    if (status.state === "ahead" || status.state === "changed") throw new Error(status.reason);
    for (const file of files.slice(rows.length)) {
      await apply(client, file);
      log.info({ migration: file.name }, "migration applied");
    }
    return status.pending;
  } finally {
    await client.end();
  }
}

export interface MigrationStatus {
  /** "ahead" = a newer program has migrated the database; "changed" = a file is not what was run. */
  readonly state: "current" | "behind" | "ahead" | "changed";
  /** One sentence on what is wrong and what to do; "" when current. */
  readonly reason: string;
  readonly pending: string[];
}

/**
 * Compares the database with this program's files, for readiness and the doctor. A program that was
 * current when it started and finds the database "ahead" is being replaced in a rolling upgrade: it may
 * go on serving.
 */
export async function migrationStatus(
  db: Queryable,
  folder = PACKAGE_FILES.migrations,
): Promise<MigrationStatus> {
  const files = await readMigrations(folder);
  const { present } = await db.one<{ present: boolean }>(
    "select to_regclass('schema_migrations') is not null as present",
  );
  return compare(files, present ? await db.query<Applied>(READ_APPLIED) : []);
}

interface Migration {
  readonly version: number;
  readonly name: string;
  readonly text: string;
  readonly checksum: string;
}

interface Applied {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
}

const CREATE_TABLE = `create table if not exists schema_migrations (
  version int4 primary key,
  name text not null,
  checksum text not null,
  applied_at timestamptz not null default now()
)`;
const READ_APPLIED = "select version, name, checksum from schema_migrations order by version";

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
  const files: Migration[] = [];
  for (const name of names) {
    const version = Number(/^(\d{6})_[a-z0-9_]+\.sql$/.exec(name)?.[1]);
    if (!version)
      throw new Error(`${join(folder, name)} is not named like a migration (000001_accounts.sql)`);
    if (files.at(-1)?.version === version)
      throw new Error(`two migrations have the number ${version}: ${files.at(-1)?.name}, ${name}`);
    // Git may check files out with other line ends; that is no change.
    const text = (await readFile(join(folder, name), "utf8")).replaceAll("\r\n", "\n");
    files.push({ version, name, text, checksum: createHash("sha256").update(text).digest("hex") });
  }
  return files;
}

function compare(files: readonly Migration[], applied: readonly Applied[]): MigrationStatus {
  const newest = files.at(-1)?.version ?? 0;
  const beyond = applied.find(({ version }) => version > newest);
  if (beyond) {
    const reason =
      `The database was migrated by a newer faregate (it has ${beyond.name}, this program ends at number ${newest}). ` +
      "Run that version, or restore a backup made before the upgrade.";
    return { state: "ahead", reason, pending: [] };
  }
  for (const [index, was] of applied.entries()) {
    const file = files[index];
    if (file?.version === was.version && file.checksum === was.checksum) continue;
    const reason =
      file?.version === was.version
        ? `The migration ${file.name} is not the one that was run on this database. Migrations are never edited: restore the file and put the change into a new one.`
        : `The database has run ${was.name}, but this program has ${file?.name ?? "no file"} in its place. Migrations are only ever added at the end.`;
    return { state: "changed", reason, pending: [] };
  }
  const pending = files.slice(applied.length).map(({ name }) => name);
  if (pending.length === 0) return { state: "current", reason: "", pending };
  const reason = `The database lacks ${pending.length} migration(s), from ${pending[0]} on. Run: faregate migrate`;
  return { state: "behind", reason, pending };
}

async function apply(client: pg.Client, file: Migration): Promise<void> {
  try {
    await client.query("begin");
    await client.query(file.text);
    await client.query("insert into schema_migrations (version, name, checksum) values ($1, $2, $3)", [
      file.version,
      file.name,
      file.checksum,
    ]);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    throw new Error(`The migration ${file.name} failed and was undone: ${describe(error, file.text)}`, {
      cause: error,
    });
  }
}

function describe(error: unknown, text: string): string {
  if (!(error instanceof Error)) return String(error);
  const position = "position" in error ? Number(error.position) : Number.NaN;
  if (!Number.isInteger(position)) return error.message;
  return `${error.message} (line ${text.slice(0, position).split("\n").length})`;
}
