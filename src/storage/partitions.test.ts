import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test/support/database.ts";
import { dropPartitionsOlderThan, ensurePartitions, listPartitions } from "./partitions.ts";

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(async () => {
  await test.database.query(`
    drop table if exists daily;
    create table daily (at timestamptz not null, n int8 not null default 7 check (n > 0), unique (n, at)) partition by range (at);
    create index on daily (n)`);
});

const noArchive = async () => undefined;

/** Gives the table a partition as it was made `daysAgo` days ago. */
async function addDay(daysAgo: number): Promise<string> {
  const { day, next } = await test.database.one<{ day: string; next: string }>(
    "select (d - $1::int4)::text as day, (d - $1::int4 + 1)::text as next from (select (now() at time zone 'utc')::date as d) as today",
    [daysAgo],
  );
  const name = `daily_${day.replaceAll("-", "")}`;
  await test.database.execute(
    `create table ${name} partition of daily for values from ('${day} 00:00+00') to ('${next} 00:00+00')`,
  );
  return day;
}

describe("making days", () => {
  it("takes rows from yesterday to the last day ahead, in UTC, with the parent's rules", async () => {
    const { database } = test;
    expect(await ensurePartitions(database, "daily", 2)).toHaveLength(4);
    await database.execute(
      "insert into daily (at) values (now()), (now() - interval '1 day'), (now() + interval '2 days')",
    );
    await expect(
      database.execute("insert into daily (at) values (now() + interval '3 days')"),
    ).rejects.toThrow("no partition");
    await expect(database.execute("insert into daily values (now(), 0)")).rejects.toThrow("check");
    const midnight = "date_trunc('day', now() at time zone 'utc') at time zone 'utc'";
    await database.execute(`insert into daily values (${midnight}, 99)`);
    const today = (await listPartitions(database, "daily"))[1];
    expect(await database.query(`select from ${today?.name} where n = 99`)).toHaveLength(1);
    await expect(database.execute(`insert into daily values (${midnight}, 99)`)).rejects.toThrow(
      "duplicate key",
    );
  });

  it("does nothing the second time, and leaves gaps to nobody when many do it at once", async () => {
    const made = await Promise.all(
      Array.from({ length: 6 }, () => ensurePartitions(test.database, "daily", 3)),
    );
    expect(
      made
        .flat()
        .map(({ day }) => day)
        .sort(),
    ).toHaveLength(5);
    expect(await ensurePartitions(test.database, "daily", 3)).toEqual([]);
  });

  it("goes on while another session is inserting", async () => {
    await ensurePartitions(test.database, "daily", 0);
    await test.database.transaction(async (tx) => {
      await tx.execute("insert into daily (at) values (now())");
      expect(await ensurePartitions(test.database, "daily", 1)).toHaveLength(1);
    });
  });

  it("refuses a name that could be more than a name", async () => {
    await expect(ensurePartitions(test.database, "daily; drop table daily", 1)).rejects.toThrow(
      "not a table name",
    );
  });
});

describe("dropping days", () => {
  it("drops exactly those that ended more than the given days ago, oldest first, archiving each before", async () => {
    const { database } = test;
    const days = [await addDay(0), await addDay(90), await addDay(91), await addDay(200)];
    const archived: string[] = [];
    const dropped = await dropPartitionsOlderThan(
      database,
      "daily",
      90,
      Date.now(),
      async (tx, { name, day }) => {
        await tx.query(`select from ${name}`);
        archived.push(day);
      },
    );
    expect(dropped.map(({ day }) => day)).toEqual([days[3], days[2]]);
    expect(archived).toEqual([days[3], days[2]]);
    expect((await listPartitions(database, "daily")).map(({ day }) => day)).toEqual([days[1], days[0]]);
  });

  it("drops none that is old only by the database's clock, which is far ahead", async () => {
    const { database } = test;
    await addDay(91);
    const daysBehindMs = 2 * 86_400_000;
    expect(
      await dropPartitionsOlderThan(database, "daily", 90, Date.now() - daysBehindMs, noArchive),
    ).toHaveLength(0);
    expect(
      await dropPartitionsOlderThan(database, "daily", 90, Date.now() + daysBehindMs, noArchive),
    ).toHaveLength(1);
  });

  it("keeps a day that could not be archived", async () => {
    const day = await addDay(100);
    const failing = dropPartitionsOlderThan(test.database, "daily", 90, Date.now(), async () => {
      throw new Error("no rollup");
    });
    await expect(failing).rejects.toThrow("no rollup");
    expect((await listPartitions(test.database, "daily")).map((partition) => partition.day)).toEqual([day]);
  });

  it("archives each day once when many do it at once", async () => {
    await addDay(100);
    await addDay(101);
    let archives = 0;
    const archive = async () => {
      archives += 1;
    };
    await Promise.all(
      Array.from({ length: 4 }, () =>
        dropPartitionsOlderThan(test.database, "daily", 90, Date.now(), archive),
      ),
    );
    expect(archives).toBe(2);
  });

  it("gives up quickly behind a long reader instead of holding up everybody's inserts", async () => {
    await addDay(100);
    await test.database.transaction(async (tx) => {
      await tx.query("select from daily");
      await expect(
        dropPartitionsOlderThan(test.database, "daily", 90, Date.now(), noArchive),
      ).rejects.toThrow("lock timeout");
    });
    expect(await dropPartitionsOlderThan(test.database, "daily", 90, Date.now(), noArchive)).toHaveLength(1);
  });
});
