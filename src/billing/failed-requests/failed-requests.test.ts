import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database.ts";
import type { Timers } from "../../base/async/timers.ts";
import { silentLog } from "../../observe/log.ts";
import type { Database } from "../../storage/database.ts";
import { ERROR_HOURS, FAILURE_HOURS, UNKNOWN_KEYS } from "./count-table.ts";
import type { FailedAttempt, FailedRequest } from "./failed-request.ts";
import { createFailedRequests, type FailedRequests } from "./failed-requests.ts";

const DAY_MS = 86_400_000;
/** They post only when they are closed. */
const STOPPED: Timers = { after: () => () => undefined, defer: () => undefined };

let test: TestDatabase;
let nowMs: number;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(async () => {
  // The middle of an hour, so that none ends within a test.
  nowMs = Math.floor(Date.now() / 3_600_000) * 3_600_000 + 1_800_000;
  for (const table of ["failed_requests", "failure_hours", "error_hours", "unknown_keys"])
    await test.database.execute(`truncate ${table}`);
});

function open(database: Database = test.database, days = 7, countDays = 90): FailedRequests {
  return createFailedRequests({
    database,
    clock: { nowMs: () => nowMs, monotonicMs: () => nowMs },
    timers: STOPPED,
    log: silentLog,
    days: () => days,
    countDays: () => countDays,
  });
}

const FAILURE: FailedRequest = {
  requestId: "req_1",
  acceptedMs: 1_700_000_000_000,
  accountId: 1n,
  keyId: 1n,
  endpoint: "messages",
  model: "text",
  status: 502,
  code: "upstream_error",
  message: "The upstream failed.",
  limit: null,
  upstream: "acme",
  totalMs: 12,
  isInUsageLog: true,
  attempts: [],
};

function failure(different: Partial<FailedRequest>): FailedRequest {
  return { ...FAILURE, ...different };
}

function attempt(message: string): FailedAttempt {
  return {
    upstream: "acme",
    upstream_model: "m",
    credential: "key",
    status: 500,
    type: "",
    code: "",
    message,
    vendor_request_id: null,
    began_ms: 0,
    connected_ms: 1,
    first_byte_ms: 2,
    ended_ms: 3,
  };
}

async function rows(table: string): Promise<number> {
  return Number((await test.database.one<{ n: bigint }>(`select count(*) as n from ${table}`)).n);
}

async function counted(table: string): Promise<number> {
  const { sum } = await test.database.one<{ sum: bigint }>(
    `select coalesce(sum(requests), 0)::int8 as sum from ${table}`,
  );
  return Number(sum);
}

describe("counts of failures", () => {
  const MANY = 6_000;
  it.each([
    [
      "guesses from many addresses",
      UNKNOWN_KEYS,
      (log: FailedRequests, n: number) => log.recordUnknownKey(`10.${n}`, "sk-guess", `req_${n}`),
    ],
    [
      "failures of many accounts",
      FAILURE_HOURS,
      (log: FailedRequests, n: number) => log.record(failure({ accountId: BigInt(n + 1) })),
    ],
    [
      "failures with codes of their own",
      FAILURE_HOURS,
      (log: FailedRequests, n: number) => log.record(failure({ code: `code-${n}` })),
    ],
    [
      "messages of their own",
      ERROR_HOURS,
      (log: FailedRequests, n: number) => log.record(failure({ attempts: [attempt(`word-${n}x`)] })),
    ],
  ])(
    "are exact in bounded rows of an hour, over all processes and posts: %s",
    async (_what, { name, mostOfHour }, record) => {
      for (const round of [0, 1]) {
        const processes = [open(), open()];
        processes.forEach((log, process) => {
          for (let n = 0; n < MANY; n += 1) record(log, n + (round + process) * MANY);
        });
        await Promise.all(processes.map((log) => log.close()));
      }
      expect(await counted(name)).toBe(4 * MANY);
      expect(await rows(name)).toBeGreaterThanOrEqual(mostOfHour);
      expect(await rows(name)).toBeLessThanOrEqual(mostOfHour + 1);
    },
    60_000,
  );

  it("keep the most frequent of a post apart, and go on counting what an hour has", async () => {
    const log = open();
    for (let n = 0; n < 2_000; n += 1) log.recordUnknownKey(`10.${n}`, "sk-guess", "req_1");
    await log.close();
    const again = open();
    for (let n = 0; n < 5; n += 1) again.recordUnknownKey("10.1", "sk-guess", "req_2");
    await again.close();
    const row = await test.database.one(
      "select requests::int4, last_request_id from unknown_keys where address = '10.1'",
    );
    expect(row).toEqual({ requests: 6, last_request_id: "req_2" });
  });

  it("are those of an hour each", async () => {
    for (const _hour of [1, 2, 3]) {
      const log = open();
      log.record(FAILURE);
      await log.close();
      nowMs += 3_600_000;
    }
    expect(await rows("failure_hours")).toBe(3);
  });

  it("have none of a request that was answered after all, which has a row", async () => {
    const log = open();
    log.record(failure({ code: "", status: 200, attempts: [attempt("busy"), attempt("")] }));
    await log.close();
    expect([await rows("failed_requests"), await counted("failure_hours")]).toEqual([1, 0]);
  });

  it("tell the first and the last time and the last request of failures that are alike", async () => {
    const log = open();
    log.record(failure({ requestId: "first", attempts: [attempt("Try again in 3.2s.")] }));
    nowMs += 1_000;
    log.record(failure({ requestId: "last", attempts: [attempt("Try again in 17s.")] }));
    await log.close();
    const found = await test.database.query(
      `select message, requests::int4, last_request_id, extract(epoch from last_at - first_at)::int4 as seconds from error_hours`,
    );
    expect(found).toEqual([
      { message: "Try again in #s.", requests: 2, last_request_id: "last", seconds: 1 },
    ]);
  });
});

describe("rows", () => {
  it("of a key and of a minute are bounded, and the next minute has room again", async () => {
    const log = open();
    for (let n = 0; n < 200; n += 1) log.record(FAILURE);
    nowMs += 60_000;
    for (let n = 0; n < 3_000; n += 1) log.record(failure({ keyId: BigInt(n + 1) }));
    await log.close();
    expect(await rows("failed_requests")).toBe(60 + 2_000);
    expect(await counted("failure_hours")).toBe(3_200);
  });

  it("and counts that could not be written are written later, once", async () => {
    let isAway = true;
    const database = new Proxy(test.database, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (name === "transaction" && isAway) return () => Promise.reject(new Error("away"));
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const calls: (() => void)[] = [];
    const after: Timers["after"] = (_ms, call) => {
      calls.push(call);
      return () => undefined;
    };
    const log = createFailedRequests({
      database,
      clock: { nowMs: () => nowMs, monotonicMs: () => nowMs },
      timers: { after, defer: () => undefined },
      log: silentLog,
      days: () => 7,
      countDays: () => 90,
    });
    log.record(FAILURE);
    log.recordUnknownKey("10.1", "sk-guess", "req_2");
    for (const call of calls.splice(0)) call();
    await new Promise((resolve) => setImmediate(resolve));
    isAway = false;
    log.record(FAILURE);
    await log.close();
    expect([
      await rows("failed_requests"),
      await counted("failure_hours"),
      await counted("unknown_keys"),
    ]).toEqual([2, 2, 1]);
  });

  it("go with their days, and counts of unknown keys with them; counts of failures stay as long as the usage log", async () => {
    const { database } = test;
    await database.execute(
      `create table failed_requests_20200101 partition of failed_requests for values from ('2020-01-01 00:00+00') to ('2020-01-02 00:00+00')`,
    );
    const hour = new Date(nowMs - 10 * DAY_MS);
    const alike = "1, now(), now(), 'req_1'";
    await database.execute(`insert into failure_hours values ($1, 1, 'c', ${alike})`, [hour]);
    await database.execute(`insert into error_hours values ($1, 'c', '', '', ${alike})`, [hour]);
    await database.execute(`insert into unknown_keys values ($1, '10.1', 'sk-', ${alike})`, [hour]);
    await open(database, 7, 90).close();
    const left = async () =>
      Promise.all(["failure_hours", "error_hours", "unknown_keys"].map((table) => rows(table)));
    expect(await left()).toEqual([1, 1, 0]);
    const { partitions } = await database.one<{ partitions: bigint }>(
      "select count(*) as partitions from pg_tables where tablename = 'failed_requests_20200101'",
    );
    expect(partitions).toBe(0n);
    await open(database, 7, 9).close();
    expect(await left()).toEqual([0, 0, 0]);
  });
});
