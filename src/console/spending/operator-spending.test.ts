import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type BillingRig,
  completed,
  createBillingRig,
  order,
  TOKEN_NANOS,
} from "../../../test/support/billing.ts";
import type { Caller, KeyId } from "../../accounts/caller.ts";
import { systemClock } from "../../base/clock.ts";
import { parseUsd } from "../../base/money.ts";
import type { Outcome } from "../../billing/billing.ts";
import { archiveUsageDay } from "../../billing/usage-log/usage-store.ts";
import type { ConsoleDeps } from "../deps.ts";
import type { Call, JsonOperation, TextOperation } from "../operation.ts";
import { type OperatorSpending, operatorSpendingQuery, SPENDING_BY } from "./operator-contract.ts";
import { operatorSpendingOperations } from "./operator-operations.ts";
import { periodSpan, spanOf } from "./spending-span.ts";

let rig: BillingRig;
const callers: Caller[] = [];
const PLACE = { upstreamModel: "theirs", credential: "1", cost: null } as const;

beforeAll(async () => {
  rig = await createBillingRig();
  const { database } = rig;
  await database.execute("insert into groups (name, factor_ppm) values ('big', 1000000)");
  const billing = await rig.start("operator-spending");
  for (const group of ["default", "big", "big"]) {
    const caller = await rig.account(10n ** 15n);
    await database.execute("update accounts set group_name = $2 where id = $1", [caller.accountId, group]);
    const user = await database.one<{ id: bigint }>(
      "insert into users (email, name, email_trusted) values ($1, 'Ada', true) returning id",
      [`ada${caller.accountId}@team.example`],
    );
    const { id } = await database.one<{ id: bigint }>(
      "insert into api_keys (account_id, name, created_by) values ($1, 'ci', $2) returning id",
      [caller.accountId, user.id],
    );
    callers.push({ ...caller, keyId: id as KeyId });
  }
  const outcomes: Outcome[] = [
    completed(100),
    {
      ...completed(40),
      attempts: 2,
      attemptUses: [
        { ...PLACE, upstream: "first", used: { usage: { inputUncached: 7 } } },
        { ...PLACE, upstream: "sandbox", used: "charged" },
      ],
    },
    // The first upstream may bill for what it did not tell.
    {
      ...completed(10),
      attempts: 2,
      attemptUses: [
        { ...PLACE, upstream: "first", used: "unknown" },
        { ...PLACE, upstream: "sandbox", used: "charged" },
      ],
    },
    { ...completed(0), reason: "no_upstream", usage: {}, upstream: null, attempts: 0, attemptUses: [] },
  ];
  for (const caller of callers) {
    for (const [index, outcome] of outcomes.entries()) {
      const tags =
        index === 0 ? ["env=prod", `team=t${caller.accountId}`] : index === 1 ? ["team=both"] : undefined;
      const hold = await billing.take({
        ...order(caller, 500n * TOKEN_NANOS),
        model: `vendor/m-${index % 2}`,
        tags,
      });
      await hold.settle(outcome);
    }
  }
  await billing.drain();
});
afterAll(() => rig.close());

async function ask(query: Record<string, unknown>): Promise<OperatorSpending> {
  const [list] = operations() as [JsonOperation];
  return (await list.run({ query: operatorSpendingQuery.parse(query) } as unknown as Call<
    unknown,
    unknown
  >)) as OperatorSpending;
}

async function csv(query: Record<string, unknown>): Promise<Record<string, string>[]> {
  const [, file] = operations() as [JsonOperation, TextOperation];
  let text = "";
  const call = { query: operatorSpendingQuery.parse(query) } as unknown as Call<unknown, undefined>;
  for await (const piece of file.run(call)) text += piece;
  const [titles = "", ...lines] = text.trimEnd().split("\r\n");
  const names = titles.split(",");
  return lines.map((line) => Object.fromEntries(line.split(",").map((cell, at) => [names[at] ?? "", cell])));
}

const operations = () =>
  operatorSpendingOperations({ database: rig.database, clock: systemClock } as unknown as ConsoleDeps);

/** What the ledger says that accounts were charged this month. */
async function chargedThisMonth(): Promise<bigint> {
  const { charged } = await rig.database.one<{ charged: bigint }>(
    `select coalesce(sum(t.amount), 0)::int8 as charged from transfers t join ledgers l on l.id = t.ledger
      where t.kind in ('post', 'settle') and t.to_side = 'revenue' and t.ledger = 'account:' || l.account_id
        and t.at >= date_trunc('month', now(), 'UTC')`,
  );
  return charged;
}

const TOKENS = 150n;
const tagOf = (by: string): object => (by === "tag" ? { tag_key: "team" } : {});
const THIS_YEAR = `${new Date(systemClock.nowMs()).getUTCFullYear()}-01-01`;

describe("the spending of all accounts", () => {
  it.each(SPENDING_BY)("by %s adds up to what the ledger charged this month, in its file too", async (by) => {
    const charged = await chargedThisMonth();
    expect(charged).toBe(3n * TOKENS * TOKEN_NANOS);
    const { totals, data } = await ask({ by, ...tagOf(by) });
    expect(BigInt(totals.charge_nanos)).toBe(charged);
    const sum = (name: "charge_nanos" | "cost_nanos" | "margin_nanos" | "unknown_charge_nanos"): bigint =>
      data.reduce((total, group) => total + BigInt(group[name]), 0n);
    expect(sum("charge_nanos")).toBe(charged);
    // Each account: 100 and 40 tokens, and 7 of a failed attempt, are known; 10 are not wholly.
    expect(sum("cost_nanos")).toBe(3n * 157n * TOKEN_NANOS);
    expect(sum("margin_nanos")).toBe(3n * -7n * TOKEN_NANOS);
    expect(sum("unknown_charge_nanos")).toBe(3n * 10n * TOKEN_NANOS);
    expect(totals).toMatchObject({ requests: 12, unknown_costs: 3, cost_nanos: String(sum("cost_nanos")) });
    const lines = await csv({ by, ...tagOf(by) });
    expect(lines.reduce((total, line) => total + parseUsd(line["charge_usd"] ?? ""), 0n)).toBe(charged);
    expect(lines.map(({ id }) => id)).toEqual(data.map(({ id }) => id));
    expect(lines.map(({ margin_usd }) => margin_usd)).toEqual(data.map(({ margin_usd }) => margin_usd));
  });

  it("names accounts, groups, users and keys, and tells keys of one name by their account", async () => {
    const names = async (by: string) =>
      (await ask({ by })).data.map(({ name, account }) => [name, account?.name]).sort();
    expect(await names("account")).toEqual([1, 2, 3].map((n) => [`account ${n}`, `account ${n}`]));
    expect(await names("key")).toEqual([1, 2, 3].map((n) => ["ci", `account ${n}`]));
    expect(await names("group")).toEqual([
      ["big", undefined],
      ["default", undefined],
    ]);
    expect(await names("user")).toEqual(
      callers.map(({ accountId }) => [`ada${accountId}@team.example`, undefined]),
    );
  });

  it("puts each attempt's cost with the upstream that was asked, and marks what nobody knows", async () => {
    const { data } = await ask({ by: "upstream" });
    const of = (id: string) => data.find((each) => each.id === id);
    expect(of("sandbox")).toMatchObject({
      requests: 9,
      cost_nanos: String(3n * 150n * TOKEN_NANOS),
      unknown_costs: 0,
    });
    expect(of("first")).toMatchObject({
      requests: 0,
      charge_nanos: "0",
      cost_nanos: String(21n * TOKEN_NANOS),
      unknown_costs: 3,
    });
    expect(of("")).toMatchObject({ requests: 3, name: null, cost_nanos: "0", unknown_costs: 0 });
  });

  it.each([
    [{ by: "model", account: "1" }, TOKENS],
    [{ by: "account", group: "big" }, 2n * TOKENS],
    [{ by: "day", model: "vendor/m-1" }, 3n * 40n],
    [{ by: "account", upstream: "sandbox", model: "vendor/m-0" }, 3n * 110n],
    [{ by: "key", group: "big", account: "1" }, 0n],
    [{ by: "model", account: "999999" }, 0n],
    [{ by: "account", period: "last_month" }, 0n],
    [{ by: "month", from: THIS_YEAR }, 3n * TOKENS],
  ])("has the filters %o", async (query, tokens) => {
    expect(BigInt((await ask(query)).totals.charge_nanos)).toBe(tokens * TOKEN_NANOS);
  });

  it("has a tag's values, and what has none, as groups and as a filter", async () => {
    const { data } = await ask({ by: "tag", tag_key: "team" });
    expect(data.map(({ id, charge_nanos }) => [id, BigInt(charge_nanos) / TOKEN_NANOS])).toEqual([
      ["both", 120n],
      ["t1", 100n],
      ["t2", 100n],
      ["t3", 100n],
      ["(none)", 30n],
    ]);
    const one = await ask({ by: "account", tag: "team=both" });
    expect(one.data.map(({ charge_nanos }) => BigInt(charge_nanos) / TOKEN_NANOS)).toEqual([40n, 40n, 40n]);
    expect((await ask({ by: "model", tag: "env=prod" })).totals.charge_nanos).toBe(
      String(300n * TOKEN_NANOS),
    );
    const rows = await rig.database.query("select from usage where tags @> array['team=both']");
    expect(rows).toHaveLength(3);
    await expect(ask({ by: "tag" })).rejects.toThrow("tag_key: is needed");
    await expect(ask({ by: "tag", tag_key: "team", tag: "env=prod" })).rejects.toThrow("not summed together");
  });

  it("filters by key and user", async () => {
    const { data } = await ask({ by: "user" });
    const one = await ask({ by: "account", user: data[0]?.id });
    expect(one.totals.charge_nanos).toBe(String(TOKENS * TOKEN_NANOS));
    const key = await ask({ by: "day", key: String(callers[2]?.keyId) });
    expect(key.totals.charge_nanos).toBe(String(TOKENS * TOKEN_NANOS));
  });

  it.each(SPENDING_BY)("by %s pages through every group once, though they cost the same", async (by) => {
    const all = (await ask({ by, ...tagOf(by) })).data.map(({ id }) => id);
    const paged: string[] = [];
    for (let after: string | null | undefined; after !== null; ) {
      const { data, next } = await ask({
        by,
        ...tagOf(by),
        limit: 1,
        ...(after === undefined ? {} : { after }),
      });
      paged.push(...data.map(({ id }) => id));
      after = next;
    }
    expect(paged).toEqual(all);
  });

  it("refuses what is not summed together, a span that is none and a mark that no list gave", async () => {
    await expect(ask({ by: "key", model: "m" })).rejects.toThrow("by: key, model are not summed together");
    await expect(ask({ period: "last_month", from: "2026-01-01" })).rejects.toThrow("Send either");
    await expect(ask({ from: "2026-02-01", to: "2026-01-01" })).rejects.toThrow("before the first day");
    await expect(ask({ from: "2020-02-01", to: "2026-01-01" })).rejects.toThrow("at most 731 days");
    await expect(ask({ after: "x" })).rejects.toThrow("use `next`");
  });

  it("stays exact once the usage log's days are gone", async () => {
    const before = await csv({ by: "account" });
    const days = await rig.database.query<{ name: string; day: string }>(
      `select distinct 'usage_' || to_char(posted_at at time zone 'utc', 'YYYYMMDD') as name,
              (posted_at at time zone 'utc')::date::text as day from usage`,
    );
    for (const { name, day } of days) {
      await rig.database.transaction(async (tx) => {
        await archiveUsageDay(tx, day);
        await tx.execute(`drop table ${name}`);
      });
    }
    expect(await rig.database.query("select from usage")).toEqual([]);
    expect(await csv({ by: "account" })).toEqual(before);
    expect((await rig.verify()).breaches).toEqual([]);
  });
});

describe("calendar periods", () => {
  it.each([
    ["this_month", "2027-01-15", "2027-01-01", "2027-01-31"],
    ["last_month", "2027-01-15", "2026-12-01", "2026-12-31"],
    ["this_quarter", "2027-01-15", "2027-01-01", "2027-03-31"],
    ["last_quarter", "2027-01-15", "2026-10-01", "2026-12-31"],
    ["this_quarter", "2028-02-29", "2028-01-01", "2028-03-31"],
    ["last_month", "2028-03-31", "2028-02-01", "2028-02-29"],
  ] as const)("%s on %s is from %s to %s", (period, today, from, to) => {
    expect(periodSpan(period, Date.parse(today))).toEqual({ from, to });
  });

  it("begin with this month where nothing is said, and end today where only a beginning is", () => {
    const now = Date.parse("2027-05-20T23:59:59Z");
    expect(spanOf({}, now)).toEqual({ from: "2027-05-01", to: "2027-05-31" });
    expect(spanOf({ from: "2027-05-02" }, now)).toEqual({ from: "2027-05-02", to: "2027-05-20" });
  });
});
