import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BillingRig, completed, createBillingRig, order, serve } from "../../test/support/billing.ts";
import type { Caller } from "../accounts/caller.ts";
import { readUnpricedUsage } from "../price-lists/unpriced-store.ts";
import { ensurePartitions } from "../storage/partitions.ts";
import type { ChargeReason, Outcome } from "./billing.ts";
import { archiveUsageDay } from "./usage-log/usage-store.ts";

let rig: BillingRig;
beforeAll(async () => {
  rig = await createBillingRig();
});
afterAll(() => rig.close());

const RICH = 10n ** 15n;

async function rollupBreaches(): Promise<readonly unknown[]> {
  const { breaches } = await rig.verify();
  return breaches;
}

const tokens = fc.option(fc.integer({ min: 0, max: 1_000_000 }), { nil: undefined });
const outcome: fc.Arbitrary<Outcome> = fc
  .record({
    reason: fc.constantFrom<ChargeReason>("completed", "client_aborted", "upstream_failed", "rejected"),
    usage: fc.record({
      inputUncached: tokens,
      cacheRead: tokens,
      cacheWrite5m: tokens,
      outputVisible: tokens,
      outputReasoning: tokens,
    }),
    estimated: fc.boolean(),
    upstream: fc.constantFrom(null, "one", "two"),
    firstByteMs: fc.option(fc.integer({ min: 0, max: 100_000 })),
    totalMs: fc.integer({ min: 0, max: 3_600_000 }),
  })
  .map((drawn) => ({ ...completed(0), ...drawn }) as Outcome);

describe("the sums over the usage log", () => {
  it("equal the log, whatever requests were posted", async () => {
    const billing = await rig.start("law");
    const callers = [await rig.account(RICH), await rig.account(RICH)] as const;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.boolean(), outcome), { minLength: 6 }), async (requests) => {
        await Promise.all(
          requests.map(async ([first, each]) => {
            const hold = await billing.take({ ...order(callers[first ? 0 : 1], 1n), model: "m" });
            await hold.begun;
            await hold.settle(each);
          }),
        );
      }),
      { numRuns: 20 },
    );
    await billing.drain();
    const { logged, summed } = await rig.database.one<{ logged: bigint; summed: bigint }>(
      `select (select count(*) from usage) as logged, (select sum(requests)::int8 from usage_hours) as summed`,
    );
    expect(logged).toBeGreaterThan(100n);
    expect(summed).toBe(logged);
    expect(await rollupBreaches()).toEqual([]);
  });

  it("stay equal, without a deadlock, where several processes post for the same accounts at once", async () => {
    const callers: Caller[] = [];
    for (let count = 0; count < 6; count += 1) callers.push(await rig.account(RICH));
    const processes = await Promise.all(["p1", "p2", "p3"].map((name) => rig.start(name)));
    const before = await deadlocks();
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(
        processes.flatMap((billing, index) =>
          // Each in another order, so that it is the statement that puts the rows in order.
          callers.map((_, place) => serve(billing, callers[(place + index * 2) % 6] as Caller, 10)),
        ),
      );
    }
    await Promise.all(processes.map((billing) => billing.drain()));
    expect(await deadlocks()).toBe(before);
    expect(await rollupBreaches()).toEqual([]);
  });

  it("stay equal, without a deadlock, where a refused record makes flushes write theirs one by one", async () => {
    const callers = await Promise.all(Array.from({ length: 8 }, () => rig.account(RICH)));
    const before = await deadlocks();
    await Promise.all(
      [1, -1, 1, -1].map(async (order, index) => {
        const journal = `journal-${index}`;
        await rig.database.execute(
          "insert into journals (id, label, flushed_through) values ($1, '', 1000)",
          [journal],
        );
        const accounts = callers.map(({ accountId }) => accountId).sort((a, b) => order * Number(a - b));
        for (let flush = 0; flush < 5; flush += 1) {
          const lines = accounts.map((account, place) => postedLine(account, `${journal} ${flush} ${place}`));
          const poison = {
            ...postedLine(accounts[0] ?? 0n, `${journal} ${flush} poison`),
            end: '{"total_ms":"x"}',
          };
          await postLines(journal, flush * 100, [...lines, poison]);
        }
      }),
    );
    expect(await deadlocks()).toBe(before);
    const { quarantined } = await rig.database.one<{ quarantined: bigint }>(
      "select count(*) as quarantined from quarantined_records",
    );
    expect(quarantined).toBe(20n);
    expect(await rollupBreaches()).toEqual([]);
  });

  it("outlive the log's days", async () => {
    const sums = () => rig.database.query("select * from usage_hours order by 1, 2, 3, 4, 5");
    const before = await sums();
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
    expect(await sums()).toEqual(before);
    expect(await rollupBreaches()).toEqual([]);
  });
});

describe("the sums of tags", () => {
  it("have 10,000 values of a key in a month by themselves, and count all others as one", async () => {
    await ensurePartitions(rig.database, "usage", 1);
    const { accountId } = await rig.account(RICH);
    const other = await rig.account(RICH);
    const post = (account: bigint, first: number, last: number) =>
      rig.database.execute(
        `insert into usage (request_id, accepted_at, ended_at, account_id, key_id, model, endpoint, streamed, status, reason,
           attempts, total_ms, estimated, hostile, price_id, rates, factor_ppm, hold_nanos, charge_nanos, ledgers, losses,
           journal, cost_nanos, tags)
         select 'tagged-' || $1 || '-' || n, now(), now(), $1::int8, 1, 'm', 'messages', false, 200, 'completed', 1, 5, false,
                '{}', 1, '{}', 1000000, 2, 2, '{}', '{}', 'tagged', 1, array['env=prod', 'end_user=u' || n]
           from generate_series($2::int4, $3::int4) n`,
        [account, first, last],
      );
    await post(accountId, 1, 9_990);
    // Two processes at once; each adds what fits.
    await Promise.all([post(accountId, 9_991, 10_030), post(accountId, 9_981, 10_010)]);
    await post(accountId, 10_030, 10_040);
    await post(other.accountId, 20_000, 20_001);
    const rows = await rig.database.query<{
      account: bigint;
      key: string;
      named: bigint;
      other: bigint;
      all: bigint;
    }>(
      `select account_id as account, tag_key as key, count(distinct value) filter (where value <> '') as named,
              coalesce(sum(charge_nanos) filter (where value = ''), 0)::int8 as other, sum(charge_nanos)::int8 as all
         from spending_tags where account_id = any($1) group by 1, 2 order by 1, 2`,
      [[accountId, other.accountId]],
    );
    expect(rows.map(({ key, named, all }) => [key, named, all])).toEqual([
      ["end_user", 10_000n, 20_142n],
      ["env", 1n, 20_142n],
      ["end_user", 2n, 4n],
      ["env", 1n, 4n],
    ]);
    expect(rows.map((row) => row.other > 0n)).toEqual([true, false, false, false]);
    const { counted } = await rig.database.one<{ counted: bigint }>(
      "select sum(named)::int8 as counted from tag_value_counts where account_id = $1",
      [accountId],
    );
    expect(counted).toBe(10_001n);
  });
});

describe("the list of what has no price", () => {
  beforeAll(() => rig.database.query("select ensure_usage_day()"));

  it("stays bounded whatever words a vendor makes up, and keeps no request from being posted", async () => {
    const { accountId } = await rig.account(RICH);
    const hostile: unknown[] = [
      "word",
      { a: 1 },
      7,
      null,
      [],
      [null],
      [{}],
      ["x".repeat(100_000)],
      [`x of ${"y".repeat(100_000)}`],
    ];
    const made = Array.from({ length: 1_500 }, (_, index) => [`tier t${index}`]);
    const lines = [...hostile, ...made].map((words, index) =>
      postedLine(accountId, `unpriced-${index}`, {
        at: 1_000 + index,
        charged: { lines: [], unpriced: words },
      }),
    );
    await postLines("unpriced", 0, lines.slice(0, 700));
    await postLines("unpriced", 700, lines.slice(700));
    const posted = await rig.database.query("select from usage where request_id like 'unpriced-%'");
    expect(posted).toHaveLength(lines.length);
    const kept = await readUnpricedUsage(rig.database);
    expect(kept).toHaveLength(1_000);
    const latest = { model: "m", what: "tier t1499", requests: 1n, requestId: "unpriced-1508" };
    expect(kept).toContainEqual(expect.objectContaining(latest));
    expect(kept.map(({ what }) => what)).not.toContain("tier t0");
  });

  it("counts requests of the same, with the first and the latest", async () => {
    const { accountId } = await rig.account(RICH);
    const line = (request: string, at: number, ...unpriced: string[]) =>
      postedLine(accountId, request, { at, upstream: "u", charged: { lines: [], unpriced } });
    await postLines("counted", 0, [line("b", 9_000_002, "tier x"), line("a", 9_000_001, "tier x", "call y")]);
    await postLines("counted", 2, [
      line("c", 9_000_000, "tier x"),
      line("d", 8_000_000, "speed fast of another-model"),
    ]);
    const kept = (await readUnpricedUsage(rig.database)).filter(({ upstream }) => upstream === "u");
    expect(kept).toEqual([
      {
        ...{ model: "m", upstream: "u", what: "tier x", requests: 3n, requestId: "b" },
        ...{ firstAt: new Date(9_000_000), lastAt: new Date(9_000_002) },
      },
      {
        ...{ model: "m", upstream: "u", what: "call y", requests: 1n, requestId: "a" },
        ...{ firstAt: new Date(9_000_001), lastAt: new Date(9_000_001) },
      },
      {
        ...{ model: "another-model", upstream: "u", what: "speed fast", requests: 1n, requestId: "d" },
        ...{ firstAt: new Date(8_000_000), lastAt: new Date(8_000_000) },
      },
    ]);
  });
});

interface Line {
  readonly balance: string;
  readonly begin: string;
  readonly end: string;
}

/** A request that cost nothing, as its two lines. */
function postedLine(account: bigint, request: string, more: object = {}): Line {
  const ledgers = [`account:${account}`];
  const begin = { at: 1, request, account: String(account), key: "1", model: "m", endpoint: "messages" };
  const price = { streamed: false, price: "1", rates: {}, factor: "1000000", hold: "0", ledgers };
  const end = {
    at: 1,
    status: 200,
    reason: "completed",
    attempts: 1,
    total_ms: 5,
    charge: "0",
    usage: {},
    ...more,
  };
  return {
    balance: `account:${account}`,
    begin: JSON.stringify({ ...begin, ...price }),
    end: JSON.stringify(end),
  };
}

async function postLines(journal: string, first: number, lines: readonly Line[]): Promise<void> {
  await rig.database.query("select log_rows($1, $2, $3, $4, $5, $6)", [
    ...[journal, first, lines.map((_, index) => first + index + 1), lines.map(({ balance }) => balance)],
    ...[lines.map(() => 0), lines.map(({ begin, end }) => `${begin}\t${end}`)],
  ]);
}

async function deadlocks(): Promise<bigint> {
  const { deadlocks } = await rig.database.one<{ deadlocks: bigint }>(
    "select deadlocks from pg_stat_database where datname = current_database()",
  );
  return deadlocks;
}
