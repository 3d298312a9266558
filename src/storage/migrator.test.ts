import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test/support/database.ts";
import { migrate, migrationStatus } from "./migrator.ts";

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

let test: TestDatabase;
let folder: string;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(async () => {
  await test.database.query("drop table if exists schema_migrations, first, second, third cascade");
  folder = await mkdtemp(join(tmpdir(), "faregate-migrations-"));
  await write("000001_first.sql", "create table first (n int8);\ninsert into first values (1);\n");
  await write("000002_second.sql", "create table second (n int8);\n");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const write = (name: string, text: string) => writeFile(join(folder, name), text);
const run = () => migrate(test.url, quiet, folder);
const status = () => migrationStatus(test.database, folder);

describe("migrate", () => {
  it("runs what is missing, in order, once", async () => {
    expect((await status()).state).toBe("behind");
    expect(await run()).toEqual(["000001_first.sql", "000002_second.sql"]);
    expect(await run()).toEqual([]);
    await write("000003_third.sql", "create table third (n int8)");
    expect(await status()).toMatchObject({ state: "behind", pending: ["000003_third.sql"] });
    expect(await run()).toEqual(["000003_third.sql"]);
    expect(await status()).toEqual({ state: "current", reason: "", pending: [] });
    expect(await test.database.query("select n from first")).toEqual([{ n: 1n }]);
  });

  it("says what a user lacks who may not make tables, and how to give it", async () => {
    const user = `plain_${process.pid}_${Date.now()}`;
    await test.database.execute(`create role ${user} login password 'plain'`);
    await test.database.execute("revoke create on schema public from public");
    const url = test.url.replace(/\/\/[^@]*@/, `//${user}:plain@`);
    await expect(migrate(url, quiet, folder)).rejects.toThrow(
      `The database user "${user}" may not create tables in the schema "public". ` +
        `Let the database's owner run: GRANT USAGE, CREATE ON SCHEMA "public" TO "${user}"`,
    );
    await test.database.execute(`drop role ${user}`);
  });

  it("runs each once when several programs start at the same time", async () => {
    const ran = await Promise.all([run(), run(), run(), run()]);
    expect(ran.flat()).toEqual(["000001_first.sql", "000002_second.sql"]);
  });

  it("takes as long as it takes, whatever limits the database has", async () => {
    const { name } = await test.database.one<{ name: string }>("select current_database() as name");
    await test.database.execute(`alter database ${name} set statement_timeout = 50`);
    await write("000003_third.sql", "create table third as select 1 from pg_sleep(0.2)");
    expect(
      await run().finally(() => test.database.execute(`alter database ${name} reset statement_timeout`)),
    ).toContain("000003_third.sql");
  });

  it("undoes a failing file wholly, keeps those before it, and names the line", async () => {
    await write("000002_second.sql", "create table second (n int8);\n\nselect nonsense;\n");
    await expect(run()).rejects.toThrow(
      /000002_second\.sql failed and was rolled back: .*nonsense.* \(line 3\)/,
    );
    expect(await status()).toMatchObject({ state: "behind", pending: ["000002_second.sql"] });
    expect(
      await test.database.one("select to_regclass('first') is null as f, to_regclass('second') is null as s"),
    ).toEqual({
      f: false,
      s: true,
    });
  });

  it("refuses a database that a newer program has migrated", async () => {
    await run();
    await rm(join(folder, "000002_second.sql"));
    await expect(run()).rejects.toThrow("migrated by a newer faregate (it has 000002_second.sql");
    expect((await status()).state).toBe("ahead");
  });

  it("refuses a file that was edited after it ran, but not other line ends", async () => {
    await run();
    await write("000001_first.sql", "create table first (n int8);\r\ninsert into first values (1);\r\n");
    expect(await run()).toEqual([]);
    await write("000001_first.sql", "create table first (n int4);\n");
    await write("000003_third.sql", "create table third (n int8)");
    await expect(run()).rejects.toThrow("000001_first.sql differs from the one that was run");
    expect(await test.database.one("select to_regclass('third') is null as absent")).toEqual({
      absent: true,
    });
  });

  it("refuses a file put in between", async () => {
    await write("000003_third.sql", "create table third (n int8)");
    await rm(join(folder, "000002_second.sql"));
    await run();
    await write("000002_second.sql", "create table second (n int8);\n");
    await expect(run()).rejects.toThrow("only ever added at the end");
  });

  it("refuses a file that is not named like one", async () => {
    await write("4_fourth.sql", "select");
    await expect(run()).rejects.toThrow("not named like a migration");
  });

  it("refuses a database from before the first release, whatever it has run", async () => {
    await test.database.query("create table schema_migrations (version int4, name text, checksum text)");
    await test.database.query(
      "insert into schema_migrations select n, 'old', 'old' from generate_series(1, 24) as n",
    );
    await expect(run()).rejects.toThrow("from before the first release");
    expect((await status()).reason).toContain("Start with an empty database");
    expect(await test.database.one("select to_regclass('first') is null as absent")).toEqual({
      absent: true,
    });
  });

  it("finds the project's own migrations, and they run on an empty database", async () => {
    await test.database.query("drop schema public cascade; create schema public");
    expect((await migrate(test.url, quiet))[0]).toMatch(/^000001_/);
    expect((await migrationStatus(test.database)).state).toBe("current");
  });
});

describe("functions", () => {
  const READS_FIRST =
    "create or replace function reads_first() returns int8 language sql as 'select max(n) + adds() from first';";
  const adds = (amount: number) =>
    writeFunction(
      "sums/adds.sql",
      `create or replace function adds() returns int8 language sql as 'select ${amount}::int8';`,
    );
  const writeFunction = (path: string, text: string) => write(`functions/${path}`, text);
  const result = () => test.database.one("select reads_first() as n");

  beforeEach(async () => {
    await test.database.query("drop function if exists reads_first(), adds(), of_row(first), touched()");
    await mkdir(join(folder, "functions/sums"), { recursive: true });
    await adds(10);
    await writeFunction("sums/reads_first.sql", READS_FIRST);
  });

  it("are there for a migration's triggers, and those of its types after it", async () => {
    await writeFunction(
      "sums/touched.sql",
      "create or replace function touched() returns trigger language plpgsql as 'begin new.n = of_row(new); return new; end';",
    );
    await writeFunction(
      "sums/of_row.sql",
      "create or replace function of_row(one first) returns int8 language sql as 'select one.n * 2';",
    );
    await write(
      "000001_first.sql",
      "create table first (n int8);\ncreate trigger t before insert on first for each row execute function touched();",
    );
    await run();
    await test.database.query("insert into first values (4)");
    expect(await result()).toEqual({ n: 18n });
  });

  it("change with a migration, in its transaction", async () => {
    await run();
    await adds(20);
    await write("000003_third.sql", "select nonsense");
    await expect(run()).rejects.toThrow("nonsense");
    expect(await result()).toEqual({ n: 11n });
    await write("000003_third.sql", "create table third (n int8)");
    await run();
    expect(await result()).toEqual({ n: 21n });
  });

  it("are not put back by an older program that starts again", async () => {
    await run();
    await adds(20);
    await write("000003_third.sql", "-- adds() adds more.");
    await run();
    await rm(join(folder, "000003_third.sql"));
    await adds(10);
    await expect(run()).rejects.toThrow("migrated by a newer faregate");
    expect(await result()).toEqual({ n: 21n });
  });

  it("are refused where they changed without a migration, so that nobody can undo another's", async () => {
    await run();
    await adds(20);
    await expect(run()).rejects.toThrow("A changed function comes with a migration");
    expect(await result()).toEqual({ n: 11n });
  });

  it("undo their migration where one fails, and are named", async () => {
    await writeFunction(
      "sums/adds.sql",
      "create or replace function adds() returns int8\nlanguage nonsense as '';",
    );
    await expect(run()).rejects.toThrow(/failed in functions\/sums\/adds\.sql and was rolled back/);
    expect(await test.database.one("select to_regclass('second') is null as absent")).toEqual({
      absent: true,
    });
  });
});
