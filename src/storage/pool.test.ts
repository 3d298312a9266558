import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BUSY_TIMEOUT_MS, createTestDatabase, type TestDatabase } from "../../test/support/database.ts";
import type { Queryable } from "./database.ts";
import { constraintOf, failureOf, isConnectionLoss } from "./failures.ts";
import { openPool } from "./pool.ts";

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
  await test.database.execute(
    "create table things (id int8 primary key, name text unique, size int4 check (size > 0))",
  );
});
afterAll(() => test.drop());

describe("values", () => {
  it("come back exactly, whatever their size", async () => {
    const row = await test.database.one(
      `select 9007199254740993::int8 as big, array[1, null, 9007199254740993]::int8[] as bigs, 1.10::numeric as decimal,
              7::int4 as small, '2026-11-21'::date as day, '2026-11-21 01:02:03'::timestamp as local,
              '2026-11-21 01:02:03+02'::timestamptz as moment, '{"a":[1]}'::jsonb as json, '\\x00ff'::bytea as bytes`,
      [],
    );
    expect(row).toEqual({
      big: 9007199254740993n,
      bigs: [1n, null, 9007199254740993n],
      decimal: "1.10",
      small: 7,
      day: "2026-11-21",
      local: new Date("2026-11-21T01:02:03Z"),
      moment: new Date("2026-11-20T23:02:03Z"),
      json: { a: [1] },
      bytes: Buffer.from([0, 255]),
    });
  });

  it("go in exactly", async () => {
    const values = [9007199254740993n, [1n, 9007199254740993n], JSON.stringify([1, { a: 2 }])];
    const row = await test.database.one(
      "select $1::int8 as big, $2::int8[] as bigs, $3::jsonb as json",
      values,
    );
    expect(row).toEqual({ big: 9007199254740993n, bigs: [1n, 9007199254740993n], json: [1, { a: 2 }] });
  });
});

describe("connections", () => {
  it("go by our settings, whatever the database or the role has", async () => {
    const { name } = await test.database.one<{ name: string }>("select current_database() as name");
    const foreign = {
      datestyle: "'SQL, DMY'",
      timezone: "'Asia/Kathmandu'",
      default_transaction_isolation: "serializable",
      statement_timeout: "'10 s'",
      lock_timeout: "'10 s'",
      idle_session_timeout: "'1 h'",
    };
    for (const [setting, value] of Object.entries(foreign))
      await test.database.execute(`alter database ${name} set ${setting} = ${value}`);
    const pool = openPool({ url: test.url, applicationName: "test", timeoutMs: BUSY_TIMEOUT_MS });
    const settings = Object.keys(foreign).map((setting) => `current_setting('${setting}') as ${setting}`);
    const row = await pool.one(`select '2026-11-21'::date::text as day, ${settings.join()}`);
    await pool.close();
    for (const setting of Object.keys(foreign))
      await test.database.execute(`alter database ${name} reset ${setting}`);
    expect(row).toEqual({
      day: "2026-11-21",
      datestyle: "ISO, DMY",
      timezone: "UTC",
      default_transaction_isolation: "read committed",
      statement_timeout: "30s",
      lock_timeout: "0",
      idle_session_timeout: "0",
    });
  });
});

describe("rows", () => {
  it("one() refuses none and several, maybeOne() several", async () => {
    await expect(test.database.one("select 1 where false")).rejects.toThrow("got none");
    await expect(test.database.one("values (1), (2)")).rejects.toThrow("got 2");
    await expect(test.database.maybeOne("values (1), (2)")).rejects.toThrow("got 2");
    expect(await test.database.maybeOne("select 1 where false")).toBeUndefined();
  });
});

describe("transactions", () => {
  it("are rolled back when the work rejects", async () => {
    const failing = test.database.transaction(async (tx) => {
      await tx.execute("insert into things values (1, 'a', 1)");
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(await test.database.query("select from things")).toHaveLength(0);
  });

  it("do not pretend to have committed when a failed statement was ignored", async () => {
    const failing = test.database.transaction(async (tx) => {
      await tx.execute("insert into things values (2, 'b', 1)");
      await tx.execute("select 1 / 0").catch(() => undefined);
    });
    await expect(failing).rejects.toThrow("rolled back");
    expect(await test.database.query("select from things where id = 2")).toHaveLength(0);
  });

  it("hold what was started side by side, and nothing that comes too late", async () => {
    const insert = (n: number) => `insert into things values (${n}, 'late ${n}', 1)`;
    let leaked: Queryable | undefined;
    const failing = test.database.transaction(async (tx) => {
      leaked = tx;
      await Promise.all([tx.execute("select 1 / 0"), tx.execute(insert(20)), tx.execute(insert(21))]);
    });
    await expect(failing).rejects.toThrow("division by zero");
    await expect(leaked?.execute(insert(22))).rejects.toThrow("the transaction is over");
    expect(await test.database.query("select from things where id >= 20")).toHaveLength(0);
  });

  it("see one snapshot when repeatable read is asked for", async () => {
    const { database } = test;
    const counts = await database.transaction(
      async (tx) => {
        const before = await tx.query("select from things");
        await database.execute("insert into things values (3, 'c', 1)");
        return [before.length, (await tx.query("select from things")).length];
      },
      { isolation: "repeatable read", readOnly: true },
    );
    expect(counts[0]).toBe(counts[1]);
    await expect(
      database.transaction((tx) => tx.execute("delete from things"), { readOnly: true }),
    ).rejects.toThrow("read-only");
  });

  it("a connection killed inside one rejects it and leaves the pool whole", async () => {
    const { database } = test;
    const failing = database.transaction(async (tx) => {
      const { pid } = await tx.one<{ pid: number }>("select pg_backend_pid() as pid");
      await database.query("select pg_terminate_backend($1)", [pid]);
      await tx.execute("insert into things values (4, 'd', 1)");
    });
    expect(isConnectionLoss(await failing.catch((error: unknown) => error))).toBe(true);
    expect(await database.query("select 1")).toHaveLength(1);
  });
});

describe("failures", () => {
  const failing = (text: string) => test.database.execute(text).catch((error: unknown) => error);

  it("say what they mean and which constraint they broke", async () => {
    await test.database.execute("insert into things values (10, 'ten', 1)");
    const twice = await failing("insert into things values (11, 'ten', 1)");
    expect([failureOf(twice), constraintOf(twice)]).toEqual(["unique", "things_name_key"]);
    const small = await failing("insert into things values (12, 'x', 0)");
    expect([failureOf(small), constraintOf(small)]).toEqual(["check", "things_size_check"]);
    expect(failureOf(await failing("set statement_timeout = 10; select pg_sleep(1)"))).toBe("timeout");
    expect(failureOf(await failing("select nonsense"))).toBe("other");
    expect(failureOf(new Error("anything"))).toBe("other");
  });
});
