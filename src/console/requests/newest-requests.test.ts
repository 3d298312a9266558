import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database.ts";
import type { AccountId } from "../../accounts/caller.ts";
import { newestRequests } from "./newest-requests.ts";
import type { LoggedRequest, Wanted } from "./request-rows-store.ts";

const ROWS = 600;
const HOUR_MS = 3_600_000;

let test: TestDatabase;
let accountId: AccountId;
let otherId: AccountId;
/** All rows of the account as the log has them, newest first. */
let all: readonly (LoggedRequest & { readonly at: Date })[];

beforeAll(async () => {
  test = await createTestDatabase();
  [accountId, otherId] = (await insertAccounts()) as [AccountId, AccountId];
  await insertKeys();
  await insert(accountId, ROWS, "a");
  await insert(otherId, 50, "b");
  all = (await newestRequests(test.database, { accountId }, 10_000)).map((row) => ({
    ...row,
    at: row.postedAt,
  }));
});
afterAll(() => test.drop());

async function insertAccounts(): Promise<AccountId[]> {
  const rows = await test.database.query<{ id: AccountId }>(
    "insert into accounts (name, group_name) values ('one', 'default'), ('two', 'default') returning id",
  );
  return rows.map(({ id }) => id);
}

/** Who made which of the account's keys; the others were made by nobody. */
const MAKERS: ReadonlyMap<bigint, bigint> = new Map([
  [1n, 1n],
  [2n, 2n],
  [4n, 1n],
]);

async function insertKeys(): Promise<void> {
  await test.database.execute(
    `insert into users (id, email, name, email_trusted) overriding system value
     values (1, 'ann@example.test', 'Ann', true), (2, 'ben@example.test', 'Ben', true), (3, 'cy@example.test', 'Cy', true)`,
  );
  for (const id of [1n, 2n, 3n, 4n, 5n]) {
    await test.database.execute(
      "insert into api_keys (id, account_id, name, created_by) overriding system value values ($1, $2, $3, $4)",
      [id, accountId, `key ${id}`, MAKERS.get(id) ?? null],
    );
  }
}

/** Rows of the last thirty hours in flushes of up to seven, so that many share a moment; one in fifty is of a rare model. */
async function insert(account: AccountId, count: number, mark: string): Promise<void> {
  for (const ago of [0, 1, 2]) await ensureDay(ago);
  await test.database.execute(
    `insert into usage (posted_at, request_id, accepted_at, ended_at, account_id, key_id, model, endpoint, streamed, upstream,
            status, reason, attempts, total_ms, estimated, hostile, price_id, rates, factor_ppm, hold_nanos, charge_nanos,
            ledgers, losses, journal)
     select at, 'req_' || $3 || md5(n::text), at, at, $1, 1 + n % 5, case n % 50 when 7 then 'rare' else 'm' || n % 4 end,
            (array['messages', 'responses'])[1 + n % 2], false, (array['one', 'two', null])[1 + n % 3],
            case n % 9 when 0 then 502 else 200 end, case n % 9 when 0 then 'upstream_failed' when 1 then 'client_aborted'
            else 'completed' end, 1, 5, false, '{}', 1, '{}', 1000000, 0, n * 1000, '{}', '{}', 'test'
       from (select n, now() - (n / 7) * interval '30 hours' / ($2::int4 / 7) as at from generate_series(1, $2::int4) as n) as d`,
    [account, count, mark],
  );
}

async function ensureDay(ago: number): Promise<void> {
  const { name, begins, ends } = await test.database.one<{ name: string; begins: string; ends: string }>(
    `select 'usage_' || to_char(d, 'YYYYMMDD') as name, d::text as begins, (d + 1)::text as ends
       from (select (now() at time zone 'utc')::date - $1::int4 as d) as day`,
    [ago],
  );
  await test.database.query(
    `create table if not exists ${name} partition of usage for values from ('${begins} 00:00+00') to ('${ends} 00:00+00')`,
  );
}

async function pages(wanted: Wanted, size: number): Promise<string[]> {
  const ids: string[] = [];
  for (let after = wanted.after; ; ) {
    const rows = await newestRequests(test.database, { ...wanted, after }, size);
    ids.push(...rows.map(({ requestId }) => requestId));
    const last = rows.at(-1);
    if (last === undefined || rows.length < size) return ids;
    after = { micros: last.micros, id: last.requestId };
  }
}

const wish = fc.record(
  {
    keyId: fc.constantFrom(1n, 2n),
    user: fc.constantFrom(1n, 2n, 3n, "nobody" as const),
    model: fc.constantFrom("rare", "m1", "unknown"),
    endpoint: fc.constantFrom("messages", "responses"),
    upstream: fc.constantFrom("one", "two"),
    failed: fc.boolean(),
    status: fc.constantFrom<[number, number]>([200, 300], [500, 600]),
    reason: fc.constantFrom("completed", "client_aborted", "upstream_failed"),
    minCostNanos: fc.constantFrom(0n, 300_000n, 590_000n),
    from: fc.integer({ min: 0, max: 30 }).map((hours) => new Date(Date.now() - hours * HOUR_MS)),
    to: fc.integer({ min: 0, max: 30 }).map((hours) => new Date(Date.now() - hours * HOUR_MS)),
  },
  { requiredKeys: [] },
);

describe("the list of requests", () => {
  it("has every row that fits its filters once, newest first, whatever they and the pages' size are", async () => {
    await fc.assert(
      fc.asyncProperty(wish, fc.integer({ min: 20, max: 400 }), async (filter, size) => {
        const fits = (row: (typeof all)[number]): boolean =>
          (filter.keyId === undefined || row.keyId === filter.keyId) &&
          (filter.user === undefined || (MAKERS.get(row.keyId) ?? "nobody") === filter.user) &&
          (filter.model === undefined || row.model === filter.model) &&
          (filter.endpoint === undefined || row.endpoint === filter.endpoint) &&
          (filter.upstream === undefined || row.upstream === filter.upstream) &&
          (filter.failed === undefined || row.failed === filter.failed) &&
          (filter.status === undefined ||
            (row.status >= filter.status[0] && row.status < filter.status[1])) &&
          (filter.reason === undefined || row.reason === filter.reason) &&
          (filter.minCostNanos === undefined || row.chargeNanos >= filter.minCostNanos) &&
          (filter.from === undefined || row.at >= filter.from) &&
          (filter.to === undefined || row.at < filter.to);
        const expected = all.filter(fits).map(({ requestId }) => requestId);
        expect(await pages({ accountId, ...filter }, size)).toEqual(expected);
      }),
      { numRuns: 60 },
    );
    expect(all).toHaveLength(ROWS);
    const places = all.map(({ micros, requestId }) => [micros, requestId] as const);
    const sorted = places.toSorted(([a, x], [b, y]) => (a === b ? (x < y ? 1 : -1) : a < b ? 1 : -1));
    expect(places).toEqual(sorted);
  });

  it("goes on where it was when rows arrive between two pages", async () => {
    const first = await newestRequests(test.database, { accountId }, 100);
    const last = first.at(-1);
    if (last === undefined) throw new Error("there are no requests");
    await insert(accountId, 30, "c");
    const rest = await pages({ accountId, after: { micros: last.micros, id: last.requestId } }, 100);
    const older = all.slice(100).map(({ requestId }) => requestId);
    expect(rest.filter((id) => !id.startsWith("req_c"))).toEqual(older);
  });

  it("shows nothing of another account, not even by id", async () => {
    const [foreign] = await newestRequests(test.database, { accountId: otherId }, 1);
    expect(foreign?.requestId).toMatch(/^req_b/);
    expect(await newestRequests(test.database, { accountId, requestId: foreign?.requestId }, 10)).toEqual([]);
  });
});
