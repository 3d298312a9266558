import { createServer, type Server } from "node:net";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { BUSY_TIMEOUT_MS } from "../../test/support/database.ts";
import type { Queryable } from "./database.ts";
import { failureOf } from "./failures.ts";
import { openPool } from "./pool.ts";

/** Accepts and never says a word, as a network that swallows packets looks. */
let silent: Server;
let silentUrl: string;
beforeAll(async () => {
  silent = createServer();
  await new Promise<void>((done) => silent.listen(0, "127.0.0.1", done));
  const address = silent.address();
  silentUrl = `postgresql://x@127.0.0.1:${typeof address === "object" && address?.port}/x`;
});
afterAll(() => silent.close());

const caught = (promise: Promise<unknown>) => promise.then(() => "no error", failureOf);

/** The driver's own words for a lost connection carry no code; a new version of it may change them. */
describe("a connection that is lost is told from a statement that failed", () => {
  it("when nobody answers, directly and through a pool", async () => {
    const options = { connectionString: silentUrl, connectionTimeoutMillis: 50 };
    expect(await caught(new pg.Client(options).connect())).toBe("connection");
    const pool = new pg.Pool(options);
    expect(await caught(pool.query("select"))).toBe("connection");
    await pool.end();
    expect(await caught(pool.query("select"))).toBe("connection");
  });

  it("when all connections of a pool are busy for too long", async () => {
    const pool = new pg.Pool({
      connectionString: inject("testDatabase").adminUrl,
      max: 1,
      connectionTimeoutMillis: 2_000,
    });
    const client = await pool.connect();
    expect(await caught(pool.query("select"))).toBe("connection");
    client.release();
    await pool.end();
  });

  it("when the server has become read-only, and such a connection is not kept for transactions", async () => {
    const pool = openPool({
      url: inject("testDatabase").adminUrl,
      applicationName: "test",
      timeoutMs: BUSY_TIMEOUT_MS,
      maxConnections: 1,
    });
    const pidOf = (queryable: Queryable) => queryable.one<{ pid: number }>("select pg_backend_pid() as pid");
    const before = await pidOf(pool);
    await pool.query("set default_transaction_read_only = on");
    expect(await caught(pool.transaction((tx) => tx.execute("create table never ()")))).toBe("connection");
    expect(await pidOf(pool)).not.toEqual(before);
    await pool.close();
  });

  it("when the server is silent in the middle, cuts the session, or the client is closed", async () => {
    const url = inject("testDatabase").adminUrl;
    const client = new pg.Client({ connectionString: url, query_timeout: 50 });
    client.on("error", () => undefined);
    await client.connect();
    expect(await caught(client.query("select pg_sleep(0.2)"))).toBe("connection");
    await client.end();
    expect(await caught(client.query("select"))).toBe("connection");
    const cut = new pg.Client({ connectionString: url });
    cut.on("error", () => undefined);
    await cut.connect();
    expect(await caught(cut.query("select pg_terminate_backend(pg_backend_pid())"))).toBe("connection");
    expect(await caught(cut.query("select"))).toBe("connection");
  });

  it("when there is no such host, port or socket", async () => {
    for (const url of ["postgresql://x@127.0.0.1:9/x", "postgresql://x@/x?host=/nonexistent"]) {
      expect(await caught(new pg.Client({ connectionString: url }).connect())).toBe("connection");
    }
  });

  it("but not a statement that is merely wrong", async () => {
    const client = new pg.Client({ connectionString: inject("testDatabase").adminUrl });
    await client.connect();
    expect(await caught(client.query("select nonsense"))).toBe("other");
    expect(
      await caught(client.query("do $$ begin raise exception 'x' using errcode = '40P01'; end $$")),
    ).toBe("conflict");
    await client.end();
  });
});
