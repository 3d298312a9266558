import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { pipeline } from "node:stream";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { BUSY_TIMEOUT_MS, createTestDatabase, type TestDatabase } from "../../test/support/database.ts";
import { deafListener } from "../../test/support/deaf-listener.ts";
import { removeDataDir, serverPid } from "../../test/support/embedded.ts";
import { freePort } from "../../test/support/free-port.ts";
import { databaseUrl } from "../../test/support/global-database.ts";
import { waitFor } from "../../test/support/wait.ts";
import type { Database } from "./database.ts";
import { type DatabaseOptions, isLent, openDatabase } from "./open-database.ts";
import type { Run } from "./pool.ts";

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

let test: TestDatabase;
let dataDir: string;
const opened: Database[] = [];
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(async () => {
  dataDir = await mkdtemp("/tmp/faregate-database-");
});
afterEach(async () => {
  for (const database of opened.splice(0)) await database.close();
  await removeDataDir(dataDir);
});

async function open(options: Partial<DatabaseOptions> = {}): Promise<Database> {
  const database = await openDatabase({
    dataDir,
    role: "owner",
    applicationName: "test",
    timeoutMs: BUSY_TIMEOUT_MS,
    log: quiet,
    ...options,
  });
  opened.push(database);
  return database;
}

/** Backends that hold a claim on a data folder now. */
async function claimants(): Promise<readonly number[]> {
  const rows = await test.database.query<{ pid: number }>(
    `select distinct pid from pg_locks join pg_stat_activity using (pid)
      where locktype = 'advisory' and granted and application_name like 'faregate owner%' and datname = current_database()`,
  );
  return rows.map(({ pid }) => pid);
}

describe("the embedded database", () => {
  it("serves statements, transactions and notifications, and is reached by others under its URL", async () => {
    const database = await open();
    const heard: string[] = [];
    await database.listen({ channel: "rows_changed", onMessage: (payload) => void heard.push(payload) });
    await database.ping();
    const other = await open({ databaseUrl: database.url, role: "guest" });
    await other.transaction((tx) => tx.execute("select pg_notify('rows_changed', 'now')"));
    await vi.waitFor(() => expect(heard).toEqual(["now"]), 20_000);
    for (const each of opened.splice(0).reverse()) await each.close();
    expect(await serverPid(dataDir)).toBeUndefined();
  });
});

describe("a database server", () => {
  it("may be shared, but not a data folder: a second gateway on it is refused, a guest is not", async () => {
    await open({ databaseUrl: test.url });
    await open({ databaseUrl: test.url, role: "guest" });
    await expect(open({ databaseUrl: test.url })).rejects.toThrow(
      `Another gateway (process ${process.pid}) already serves from ${dataDir}`,
    );
    const elsewhere = await mkdtemp("/tmp/faregate-database-");
    await open({ databaseUrl: test.url, dataDir: elsewhere });
    await rm(elsewhere, { recursive: true });
  });

  it("keeps the claim over a lost connection", async () => {
    const onLost = vi.fn();
    await open({ databaseUrl: test.url, onLost });
    const [ended] = await claimants();
    await test.database.query("select pg_terminate_backend($1)", [ended]);
    await waitFor("the claim on another connection", async () =>
      (await claimants()).some((pid) => pid !== ended),
    );
    await expect(open({ databaseUrl: test.url })).rejects.toThrow("already serves");
    expect(onLost).not.toHaveBeenCalled();
  });

  it("that is away is a sentence, without the password", async () => {
    const failing = open({ databaseUrl: "postgresql://someone:secret-word@127.0.0.1:9/none", role: "guest" });
    const error = await failing.catch((caught: unknown) => caught);
    expect(String(error)).toMatch(
      /The database is unreachable: nothing listens at 127\.0\.0\.1:9\. Check DATABASE_URL/,
    );
    expect(String(error)).not.toContain("secret-word");
  });

  it("that takes connections and says nothing is told without a word that is not known", async () => {
    const { port, close } = await deafListener();
    const failing = open({ databaseUrl: `postgresql://me@127.0.0.1:${port}/none`, role: "guest" });
    const error = String(await failing.catch((caught: unknown) => caught));
    expect(error).toMatch(/The database is unreachable: .* Check DATABASE_URL/);
    expect(error).not.toContain("undefined");
    await close();
  });

  it("whose certificate or socket is not there is told by its path", async () => {
    for (const [url, sentence] of [
      ["postgresql://me@127.0.0.1/none?sslrootcert=/nowhere/ca.pem", "there is no file /nowhere/ca.pem."],
      ["postgresql://me@/none?host=/nowhere", "there is no socket /nowhere/.s.PGSQL.5432."],
    ] as const)
      await expect(open({ databaseUrl: url, role: "guest" })).rejects.toThrow(sentence);
  });

  it("that loses committed money in a crash is refused", async () => {
    await test.database.execute(`alter database ${await name()} set synchronous_commit = off`);
    await expect(open({ databaseUrl: test.url, role: "guest" })).rejects.toThrow("synchronous_commit is off");
    await test.database.execute(`alter database ${await name()} reset synchronous_commit`);
  });

  it("that is read-only is refused to those who serve, and open to guests", async () => {
    await test.database.execute(`alter database ${await name()} set default_transaction_read_only = on`);
    await expect(open({ databaseUrl: test.url })).rejects.toThrow("is read-only");
    const guest = await open({ databaseUrl: test.url, role: "guest" });
    expect(await guest.query("select 1")).toHaveLength(1);
    await test.database.execute(`alter database ${await name()} reset default_transaction_read_only`);
  });

  it("that cannot hold every text is refused", async () => {
    for (const encoding of ["LATIN1", "SQL_ASCII"]) {
      const narrow = `${await name()}_${encoding.toLowerCase()}`;
      await test.database.execute(
        `create database ${narrow} template template0 encoding '${encoding}' locale 'C'`,
      );
      const failing = open({ databaseUrl: databaseUrl(test.url, narrow), role: "guest" });
      await expect(failing).rejects.toThrow(`encoding is ${encoding}`);
      await test.database.execute(`drop database ${narrow} with (force)`);
    }
  });

  it("that isn't up yet is waited for, and no longer than anybody wants it", async () => {
    const relay = await relayTo(test.url);
    const wait = { ms: 120_000, stop: new Promise<void>(() => undefined) };
    const warnings: string[] = [];
    const log = { ...quiet, warn: (_: object, text: string) => void warnings.push(text) };
    const opening = open({ databaseUrl: relay.url, role: "guest", wait, log });
    await vi.waitFor(() => expect(warnings).toEqual(["database is unreachable; waiting for it"]), 20_000);
    await relay.listen();
    await (await opening).ping();
    for (const each of opened.splice(0)) await each.close();
    await relay.close();
    const stopped = open({
      databaseUrl: relay.url,
      role: "guest",
      wait: { ...wait, stop: Promise.resolve() },
    });
    await expect(stopped).rejects.toThrow("nothing listens at");
    await expect(open({ databaseUrl: relay.url, role: "guest" })).rejects.toThrow("nothing listens at");
  });

  it("that stops answering fails a ping within its time", async () => {
    const database = await open({ databaseUrl: test.url, role: "guest", maxConnections: 1, timeoutMs: 600 });
    const sleeping = database.query("select pg_sleep(1.5)");
    await expect(database.ping()).rejects.toThrow("didn't respond within 1000 ms");
    await sleeping;
  });
});

/** Another way to a database, on a port where nothing listens yet. */
async function relayTo(
  databaseUrl: string,
): Promise<{ url: string; listen(): Promise<void>; close(): Promise<void> }> {
  const { host, port, user = "", password, database = "" } = new pg.Client({ connectionString: databaseUrl });
  const server = createServer((client) => {
    const line = host.startsWith("/") ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    pipeline([client, line, client], () => undefined);
  });
  const near = await freePort();
  return {
    url: `postgres://${user}:${password}@127.0.0.1:${near}/${database}`,
    listen: async () => void (await once(server.listen(near, "127.0.0.1"), "listening")),
    close: async () => void (await once(server.close(), "close")),
  };
}

async function name(): Promise<string> {
  return (await test.database.one<{ name: string }>("select current_database() as name")).name;
}

/** Two callers of a pooler; `lends` = a connection is a caller's only inside a transaction. */
function callers(lends: boolean): [Run, Run] {
  const idle = [11, 12];
  const caller = (): Run => {
    let own: number | undefined;
    return async (text) => {
      own ??= idle.shift();
      const result = { rows: [{ pid: own }] } as unknown as pg.QueryResult;
      if (lends && own !== undefined && text !== "begin") {
        idle.unshift(own);
        own = undefined;
      }
      return result;
    };
  };
  return [caller(), caller()];
}

describe("a pooler", () => {
  it("that lends connections for a transaction is told from one that leaves them", async () => {
    expect(await isLent(...callers(true))).toBe(true);
    expect(await isLent(...callers(false))).toBe(false);
  });
});
