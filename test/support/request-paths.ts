import type { AccountId } from "../../src/accounts/caller.ts";
import { findFailedRequest } from "../../src/billing/failed-requests/logged-failure-store.ts";
import {
  countByAccount,
  countByCode,
  groupErrors,
  readAccountFailures,
  readUnknownKeys,
  type Span,
  type WantedFailures,
} from "../../src/console/failed-requests/failed-requests-store.ts";
import type { CursorPosition } from "../../src/console/input.ts";
import { readRequestsOfAll, type WantedOfAll } from "../../src/console/requests/operator-requests-store.ts";
import { SPENDING_BY } from "../../src/console/spending/operator-contract.ts";
import { readSpending } from "../../src/console/spending/operator-spending-store.ts";
import { readMonthRows, readMonths } from "../../src/console/statement/months-store.ts";
import type { Database, Queryable } from "../../src/storage/database.ts";

export type Read = (database: Queryable) => Promise<readonly unknown[]>;

/** What the console reads of these logs, by name: each filter for what is frequent, rare and never there. */
export async function requestPaths(database: Database): Promise<readonly (readonly [string, Read])[]> {
  const { accountId, keyId, userId, requestId, vendorId, at } = await database.one<{
    accountId: bigint;
    keyId: bigint;
    userId: bigint;
    requestId: string;
    vendorId: string;
    at: Date;
  }>(
    `select f.account_id as "accountId", f.key_id as "keyId", k.created_by as "userId", f.request_id as "requestId",
            f.vendor_ids[1] as "vendorId", f.posted_at as at
       from failed_requests f join api_keys k on k.id = f.key_id where f.in_usage_log
      order by f.posted_at offset 1000 limit 1`,
  );
  const middle: CursorPosition = { micros: BigInt(at.getTime()) * 1_000n, id: requestId };
  const all: readonly (readonly [string, WantedOfAll])[] = [
    ["newest", {}],
    ["after the oldest", { after: middle }],
    ["id", { id: requestId }],
    ["vendor's id", { id: vendorId }],
    ["unknown id", { id: "req_never" }],
    ["account", { accountId }],
    ["key", { keyId }],
    ["person", { userId }],
    ["unknown person", { userId: 999_999n }],
    ["frequent model", { model: "model-0" }],
    ["rare model", { model: "model-15" }],
    ["unknown model", { model: "never" }],
    ["frequent upstream", { upstream: "upstream-0" }],
    ["rare upstream", { upstream: "upstream-9" }],
    ["unknown upstream", { upstream: "never" }],
    ["usual status", { status: 200 }],
    ["failed status", { status: 502 }],
    ["rare status", { status: 418 }],
    ["rare good status", { status: 204 }],
    ["no status", { status: 0 }],
    ["frequent code", { code: "code-0" }],
    ["rare code", { code: "code-9" }],
    ["code of failures", { code: "upstream_error" }],
    ["unknown code", { code: "never" }],
    ["failed", { outcome: "failed" }],
    ["refused", { outcome: "refused" }],
    ["time", { from: new Date(at.getTime() - 3_600_000), to: at }],
    ["account and rare model", { accountId, model: "model-15" }],
    ["account and failed", { accountId, outcome: "failed" }],
    ["account and rare code", { accountId, code: "code-9" }],
    ["account and rare upstream", { accountId, upstream: "upstream-9" }],
    ["person and failed", { userId, outcome: "failed" }],
    ["person and rare model", { userId, model: "model-15" }],
    ["rare model and rare upstream", { model: "model-12", upstream: "upstream-9" }],
    ["frequent model and failed status", { model: "model-0", status: 502 }],
    ["frequent model and rare upstream", { model: "model-0", upstream: "upstream-9" }],
    ["frequent model and rare code", { model: "model-0", code: "code-9" }],
    ["frequent model and rare status", { model: "model-0", status: 418 }],
  ];
  const own: readonly (readonly [string, Partial<WantedFailures>])[] = [
    ["newest", {}],
    ["key", { keyId }],
    ["rare model", { model: "model-15" }],
    ["rare code", { code: "code-9" }],
    ["code of failures", { code: "upstream_error" }],
    ["rare status", { status: 418 }],
    ["refused", { isRefused: true }],
    ["id", { requestId }],
    ["after the oldest", { after: middle }],
  ];
  const days = (count: number): Span => ({
    from: new Date(Date.now() - count * 86_400_000),
    to: new Date(Date.now() + 86_400_000),
  });
  const wholeTime = { from: "2000-01-01", to: "2999-12-31" };
  return [
    ...all.map(([name, wanted]): [string, Read] => [
      `requests of all: ${name}`,
      (db) => readRequestsOfAll(db, wanted, 51),
    ]),
    ...own.map(([name, wanted]): [string, Read] => [
      `failed requests of an account: ${name}`,
      (db) => readAccountFailures(db, { ...NO_FILTER, ...wanted, accountId: accountId as AccountId }, 51),
    ]),
    ...[1, 20].flatMap((count): [string, Read][] => [
      [`errors by code: ${count} days`, (db) => countByCode(db, days(count), undefined)],
      [`errors by account: ${count} days`, (db) => countByAccount(db, days(count), undefined, 20)],
      [`errors by words: ${count} days`, (db) => groupErrors(db, days(count), undefined, 200)],
      [`errors by words of a code: ${count} days`, (db) => groupErrors(db, days(count), "code-0", 200)],
      [`unknown keys: ${count} days`, (db) => readUnknownKeys(db, days(count), 200)],
    ]),
    ...["the current month", "the month before"].map((name, ago): [string, Read] => [
      `statement of an account: ${name}`,
      (db) =>
        readMonthRows(db, {
          accountId: accountId as AccountId,
          month: monthAgo(ago),
          after: null,
          limit: 201,
        }),
    ]),
    [
      "months of an account",
      (db) => {
        const query = { current: monthAgo(0), before: "9999-99", limit: 51 };
        return readMonths(db, { ...query, accountId: accountId as AccountId });
      },
    ],
    ...SPENDING_BY.map((by): [string, Read] => [
      `spending by ${by}: 20 days`,
      (db) => readSpending(db, { ...wholeTime, by, tag_key: "team" }, undefined, 51),
    ]),
    ["one of the command line", async (db) => [await findFailedRequest(db, vendorId)]],
  ];
}

function monthAgo(count: number): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - count, 1)).toISOString().slice(0, 7);
}

const NO_FILTER: Omit<WantedFailures, "accountId"> = {
  keyId: undefined,
  model: undefined,
  status: undefined,
  code: undefined,
  isRefused: undefined,
  requestId: undefined,
  from: undefined,
  to: undefined,
  after: undefined,
};
