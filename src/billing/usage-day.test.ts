import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test/support/database.ts";

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

it("the day's part of the log is made once by whoever charges first, and who comes at the same moment finds it", async () => {
  const { database } = test;
  let second = Promise.resolve(0);
  await database.transaction(async (tx) => {
    await tx.execute("select ensure_usage_day()");
    second = database.execute("select ensure_usage_day()");
    // It has looked in vain and waits for the first.
    for (let waiting = 0n; waiting === 0n; ) {
      const row = await tx.one<{ waiting: bigint }>(
        `select count(*) as waiting from pg_locks l join pg_database d on d.oid = l.database
          where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`,
      );
      waiting = row.waiting;
    }
  });
  await expect(second).resolves.toBe(1);
});
