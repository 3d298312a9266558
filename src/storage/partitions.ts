import type { Database, Queryable } from "./database.ts";

/**
 * Tables partitioned by day (UTC) on a timestamptz column: old days leave by dropping a table, which
 * costs nothing, instead of deleting rows one by one. The parent is declared in a migration as
 * `partition by range (<column>)` and gets its days from here. All functions may run in several processes
 * at once.
 */
export interface DailyPartition {
  /** Table of the day, such as `usage_20261121`. */
  readonly name: string;
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
}

/**
 * Makes the partitions of yesterday (a row stamped just before midnight arrives after it), today and
 * `daysAhead` more. Today is the database's, since processes' clocks differ. Gives those it made.
 */
export async function ensurePartitions(
  db: Database,
  table: string,
  daysAhead: number,
): Promise<DailyPartition[]> {
  const parent = checkedName(table);
  const [have, days] = await Promise.all([listPartitions(db, parent), upcomingDays(db, daysAhead)]);
  const missing = days.filter((day) => !have.some((partition) => partition.day === day));
  const made: DailyPartition[] = [];
  for (const day of missing) {
    const name = partitionName(parent, day);
    const created = await underLock(db, parent, async (tx) => {
      if ((await listPartitions(tx, parent)).some((partition) => partition.day === day)) return false;
      // The table is created first and then attached, because `create table ... partition of` would make every insert
      // into the parent wait.
      await tx.execute(`create table ${name} (like ${parent} including defaults including constraints)`);
      await tx.execute(
        `alter table ${parent} attach partition ${name} for values from ('${day} 00:00+00') to ('${nextDay(day)} 00:00+00')`,
      );
      return true;
    });
    if (created) made.push({ name, day });
  }
  return made;
}

/**
 * Drops the days that ended more than `keepDays` days ago, each in a transaction of its own, oldest first;
 * gives those dropped. `archive` runs in that transaction before the drop. For the table `usage` it must
 * write the day's rollup for good: `ledger verify` counts every charge ever made, and the archived daily
 * rollups stand in for the dropped partitions. If `archive` rejects, the day stays. A day is old only by both clocks, the
 * database's and the caller's: one that is far ahead for an hour must not cost the log of months.
 */
export async function dropPartitionsOlderThan(
  db: Database,
  table: string,
  keepDays: number,
  nowMs: number,
  archive: (tx: Queryable, partition: DailyPartition) => Promise<void>,
): Promise<DailyPartition[]> {
  const parent = checkedName(table);
  const { oldest } = await db.one<{ oldest: string }>(
    "select ((least(now(), to_timestamp($2 / 1000.0)) at time zone 'utc')::date - $1::int4)::text as oldest",
    [keepDays, nowMs],
  );
  const dropped: DailyPartition[] = [];
  for (const partition of (await listPartitions(db, parent)).filter(({ day }) => day < oldest)) {
    const done = await underLock(db, parent, async (tx) => {
      const stillThere = (await listPartitions(tx, parent)).some(({ name }) => name === partition.name);
      if (!stillThere) return false;
      await archive(tx, partition);
      await tx.execute(`drop table ${partition.name}`);
      return true;
    });
    if (done) dropped.push(partition);
  }
  return dropped;
}

/** The days a table has, oldest first. */
export async function listPartitions(db: Queryable, table: string): Promise<DailyPartition[]> {
  return db.query<DailyPartition>(
    `select c.relname as name, to_char(to_date(right(c.relname, 8), 'YYYYMMDD'), 'YYYY-MM-DD') as day
       from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = $1::regclass and c.relname ~ '_[0-9]{8}$'
      order by c.relname`,
    [checkedName(table)],
  );
}

/** One process at a time changes the days of a table. */
async function underLock<T>(db: Database, parent: string, work: (tx: Queryable) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    // A drop locks the parent, and all inserts queue behind it while it waits for a long reader: rather
    // give up and try the next time.
    await tx.execute("set local lock_timeout = '1s'");
    await tx.execute("select pg_advisory_xact_lock(hashtextextended('partitions of ' || $1, 0))", [parent]);
    return work(tx);
  });
}

async function upcomingDays(db: Queryable, daysAhead: number): Promise<string[]> {
  const rows = await db.query<{ day: string }>(
    `select ((now() at time zone 'utc')::date + n)::text as day from generate_series(-1, $1::int4) as n`,
    [daysAhead],
  );
  return rows.map(({ day }) => day);
}

function partitionName(parent: string, day: string): string {
  return `${parent}_${day.replaceAll("-", "")}`;
}

function nextDay(day: string): string {
  const ONE_DAY_MS = 86_400_000;
  return new Date(Date.parse(`${day}T00:00:00Z`) + ONE_DAY_MS).toISOString().slice(0, 10);
}

/** Names cannot be parameters, so only plain ones of our own are let into the text. */
function checkedName(table: string): string {
  // PostgreSQL cuts names at 63 bytes; "_YYYYMMDD" takes 9.
  if (!/^[a-z_][a-z0-9_]{0,53}$/.test(table)) throw new Error(`"${table}" is not a table name`);
  return table;
}
