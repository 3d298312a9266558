import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import pg from "pg";
import { PACKAGE_FILES } from "../base/package-files.ts";
import { counted } from "../base/text.ts";
import { connect, connectionConfig } from "./connection.ts";
import type { DatabaseLog, Queryable } from "./database.ts";

/**
 * Brings the schema up to date: runs the files the database does not know yet in order, each in a
 * transaction of its own, the last together with all functions; several programs at once wait for each
 * other. Gives the names of those run. Refuses, changing nothing, a database that a newer program has
 * migrated and files that differ from what was run.
 */
export async function migrate(
  url: string,
  log: DatabaseLog,
  folder = PACKAGE_FILES.migrations,
): Promise<string[]> {
  const program = await readMigrations(folder);
  // A connection of its own without time limits: a migration may rewrite a large table.
  const client = new pg.Client(connectionConfig(url, "faregate migrate"));
  client.on("error", () => undefined); // the statement under way says so itself
  await connect(client);
  try {
    // For the whole session, so that the check and what follows it are one; it ends with the connection.
    await client.query("select pg_advisory_lock(hashtextextended('faregate migrations', 0))");
    await client.query(CREATE_TABLE).catch(async (error: unknown) => {
      throw await plainReason(client, error);
    });
    const { rows } = await client.query<Applied>(READ_APPLIED);
    const status = compare(program, rows);
    if (status.state === "ahead" || status.state === "changed") throw new Error(status.reason);
    const pending = program.files.slice(rows.length);
    for (const file of pending) {
      await apply(client, file, program.functions, file === pending.at(-1));
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
  const program = await readMigrations(folder);
  const { present } = await db.one<{ present: boolean }>(
    "select to_regclass('schema_migrations') is not null as present",
  );
  return compare(program, present ? await db.query<Applied>(READ_APPLIED) : []);
}

interface Migration {
  readonly version: number;
  readonly name: string;
  readonly text: string;
  readonly checksum: string;
}

interface SqlFunction {
  /** In SQL; the file is called so too. */
  readonly name: string;
  /** Within the folder of migrations. */
  readonly path: string;
  readonly text: string;
}

interface Migrations {
  readonly files: readonly Migration[];
  readonly functions: SqlFunctions;
}

interface SqlFunctions {
  readonly all: readonly SqlFunction[];
  readonly checksum: string;
}

interface Applied {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
  /** The checksum of all functions at the time of this migration. No database from before the first release has it. */
  readonly functions_checksum?: string;
}

const CREATE_TABLE = `create table if not exists schema_migrations (
  version int4 primary key,
  name text not null,
  checksum text not null,
  functions_checksum text not null,
  applied_at timestamptz not null default now()
)`;
const READ_APPLIED = "select * from schema_migrations order by version";

async function readMigrations(folder: string): Promise<Migrations> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
  const files: Migration[] = [];
  for (const name of names) {
    const version = Number(/^(\d{6})_[a-z0-9_]+\.sql$/.exec(name)?.[1]);
    if (!version) throw new Error(`${join(folder, name)} is not named like a migration (000001_schema.sql)`);
    if (files.at(-1)?.version === version)
      throw new Error(`two migrations have the number ${version}: ${files.at(-1)?.name}, ${name}`);
    const text = await readSql(join(folder, name));
    files.push({ version, name, text, checksum: checksumOf([text]) });
  }
  return { files, functions: await readFunctions(folder) };
}

export async function readFunctions(folder: string): Promise<SqlFunctions> {
  const root = join(folder, "functions");
  const names = existsSync(root) ? await readdir(root, { recursive: true }) : [];
  const all: SqlFunction[] = [];
  for (const path of names.filter((name) => name.endsWith(".sql")).sort())
    all.push({
      name: basename(path, ".sql"),
      path: join("functions", path),
      text: await readSql(join(root, path)),
    });
  return { all, checksum: checksumOf(all.map(({ text }) => text)) };
}

/** Git may check files out with other line ends; that is no change. */
async function readSql(path: string): Promise<string> {
  return (await readFile(path, "utf8")).replaceAll("\r\n", "\n");
}

function checksumOf(texts: readonly string[]): string {
  return createHash("sha256").update(texts.join("\0")).digest("hex");
}

/** PostgreSQL 15 and later let nobody but a database's owner make tables, so that many meet this first. */
async function plainReason(client: pg.Client, error: unknown): Promise<unknown> {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code !== INSUFFICIENT_PRIVILEGE && code !== INVALID_SCHEMA_NAME) return error;
  const { rows } = await client.query<{ user: string; schema: string }>(
    "select current_user as user, coalesce(current_schema, 'public') as schema",
  );
  const { user = "", schema = "" } = rows[0] ?? {};
  return new Error(
    `The database user "${user}" may not create tables in the schema "${schema}". Let the database's owner run: ` +
      `GRANT USAGE, CREATE ON SCHEMA "${schema}" TO "${user}"`,
    { cause: error },
  );
}

const INSUFFICIENT_PRIVILEGE = "42501";
const INVALID_SCHEMA_NAME = "3F000";

function compare({ files, functions }: Migrations, applied: readonly Applied[]): MigrationStatus {
  const refusal = (state: "ahead" | "changed", reason: string) => ({ state, reason, pending: [] });
  const newest = files.at(-1)?.version ?? 0;
  const last = applied.at(-1);
  if (last !== undefined && last.functions_checksum === undefined)
    return refusal(
      "changed",
      "This database was created by a version from before the first release, which can't be upgraded. " +
        "Start with an empty database or, for the embedded one, with an empty data folder.",
    );
  if (last && last.version > newest)
    return refusal(
      "ahead",
      `The database was migrated by a newer faregate (it has ${last.name}, this program ends at number ${newest}). ` +
        "Run that version, or restore a backup made before the upgrade.",
    );
  for (const [index, was] of applied.entries()) {
    const file = files[index];
    if (file?.version === was.version && file.checksum === was.checksum) continue;
    const reason =
      file?.version === was.version
        ? `The migration ${file.name} differs from the one that was run on this database. Migrations are never edited: restore the file and put the change into a new one.`
        : `The database has run ${was.name}, but this program has ${file?.name ?? "no file"} in its place. Migrations are only ever added at the end.`;
    return refusal("changed", reason);
  }
  const pending = files.slice(applied.length).map(({ name }) => name);
  if (pending.length > 0) {
    const reason = `The database lacks ${counted(pending.length, "migration")}, from ${pending[0]} on. Run: faregate migrate`;
    return { state: "behind", reason, pending };
  }
  // At the same number nobody can tell which functions are newer: an old program that restarts would undo the new ones.
  if (last && last.functions_checksum !== functions.checksum)
    return refusal(
      "changed",
      `The SQL functions of this program differ from those applied with ${last.name}. A changed function comes with a migration: restore the files, or add one.`,
    );
  return { state: "current", reason: "", pending };
}

/**
 * One migration, in a transaction. Triggers, indexes and checks need functions, and most functions need tables: so those
 * that the database lacks and that need no type of a table's are there before the file runs. The last file ends with all
 * functions as this program has them; until then those that are there do as they did.
 */
async function apply(
  client: pg.Client,
  file: Migration,
  { all, checksum }: SqlFunctions,
  isLast: boolean,
): Promise<void> {
  let step: { readonly name: string; readonly text: string } = file;
  try {
    await client.query("begin");
    // Functions may use names that the same file creates.
    await client.query("set local check_function_bodies = off");
    for (const each of await missing(client, all)) {
      step = { name: each.path, text: each.text };
      await createIfPossible(client, each);
    }
    await client.query("set local check_function_bodies = on");
    step = file;
    await client.query(file.text);
    if (isLast) {
      // The bodies of SQL functions are checked, but each may call any other: so they are all made, then made again.
      for (const checks of ["off", "on"]) {
        await client.query(`set local check_function_bodies = ${checks}`);
        for (const each of all) {
          step = { name: each.path, text: each.text };
          await client.query(each.text);
        }
      }
    }
    await client.query(
      "insert into schema_migrations (version, name, checksum, functions_checksum) values ($1, $2, $3, $4)",
      [file.version, file.name, file.checksum, checksum],
    );
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    const place = step === file ? "" : ` in ${step.name}`;
    throw new Error(
      `The migration ${file.name} failed${place} and was rolled back: ${describe(error, step.text)}`,
      { cause: error },
    );
  }
}

async function missing(client: pg.Client, functions: readonly SqlFunction[]): Promise<SqlFunction[]> {
  const { rows } = await client.query<{ proname: string }>(
    "select proname from pg_proc where pronamespace = current_schema()::regnamespace",
  );
  const present = new Set(rows.map(({ proname }) => proname));
  return functions.filter(({ name }) => !present.has(name));
}

const UNDEFINED_OBJECT = "42704";

async function createIfPossible(client: pg.Client, { text }: SqlFunction): Promise<void> {
  await client.query("savepoint before_function");
  try {
    await client.query(text);
  } catch (error) {
    // A type that the file makes.
    if (!(error instanceof Error && "code" in error && error.code === UNDEFINED_OBJECT)) throw error;
    await client.query("rollback to before_function");
  }
  await client.query("release before_function");
}

function describe(error: unknown, text: string): string {
  if (!(error instanceof Error)) return String(error);
  const position = "position" in error ? Number(error.position) : Number.NaN;
  if (!Number.isInteger(position)) return error.message;
  return `${error.message} (line ${text.slice(0, position).split("\n").length})`;
}
