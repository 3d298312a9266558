import { afterAll, beforeAll, expect, it } from "vitest";
import { silentLog } from "../../src/observe/log.ts";
import type { Queryable } from "../../src/storage/database.ts";
import { openDatabase } from "../../src/storage/open-database.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { fillRequests } from "../support/many-requests.ts";
import { report } from "../support/report.ts";
import { requestPaths } from "../support/request-paths.ts";
import { countRowsRead } from "../support/rows-read.ts";

/** A page is 50 rows; the rest are the keys of a person and what a filter leaves out. 50,000 are read in some 50 ms. */
const MOST_ROWS = 50_000;
/** Sums over weeks read an hour's rows for each of their hours. */
const MOST_ROWS_OF_WEEKS = 500_000;
const RUNS = 5;

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
  // Statements of 50,000 rows take longer than any of the gateway's.
  const patient = await openDatabase({
    databaseUrl: test.url,
    dataDir: "/nonexistent",
    role: "guest",
    applicationName: "faregate test",
    maxConnections: 1,
    timeoutMs: 600_000,
    log: silentLog,
  });
  await fillRequests(patient, {
    requests: 1_000_000,
    failures: 500_000,
    days: 20,
    accounts: 200,
    keys: 10_000,
  });
  await patient.close();
}, 1_800_000);
afterAll(() => test?.drop());

it("reads few of a million requests for each page of the console, whatever its filter", async () => {
  const { database } = test;
  const rows: Record<string, number> = {};
  const tooMany: string[] = [];
  for (const [name, read] of await requestPaths(database)) {
    const count = await countRowsRead(database, read);
    rows[name] = count;
    if (count > (name.includes("20 days") ? MOST_ROWS_OF_WEEKS : MOST_ROWS)) tooMany.push(name);
    report(`${name}: ${count} rows read, median ${await medianMs(database, read)} ms`);
  }
  expect(tooMany, JSON.stringify(rows)).toEqual([]);
}, 600_000);

/** For the reader of the output alone: no test depends on it. */
async function medianMs(
  database: Queryable,
  read: (database: Queryable) => Promise<unknown>,
): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const begun = performance.now();
    await read(database);
    times.push(performance.now() - begun);
  }
  return Math.round(times.sort((a, b) => a - b)[(RUNS - 1) / 2] ?? 0);
}
