import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type BillingRig,
  completed,
  createBillingRig,
  eventually,
  order,
} from "../../../test/support/billing.ts";
import type { Caller } from "../../accounts/caller.ts";
import { systemClock } from "../../base/clock.ts";
import { NO_DIMENSIONS } from "../../catalog/price-table.ts";
import { silentLog } from "../../observe/log.ts";
import type { HoldOrder, Outcome } from "../billing.ts";
import type { JournalBilling } from "../journal/journal-billing.ts";
import { createReceiptReader, type ReadReceipt } from "./receipts.ts";
import { createUsageRetention } from "./usage-retention.ts";

let rig: BillingRig;
let billing: JournalBilling;
let readReceipt: ReadReceipt;
beforeAll(async () => {
  rig = await createBillingRig();
  billing = await rig.start("receipts");
  readReceipt = createReceiptReader(rig.database, billing);
});
afterAll(() => rig.close());

const PRICE: HoldOrder["price"] = {
  priceId: 7n,
  rates: { input: 3_000_000_000n, output: 15_000_000_000n, cacheRead: 300_000_001n },
  factorPpm: 850_000n,
};
const OUTCOME: Outcome = {
  ...completed(0),
  usage: { inputUncached: 1_001, cacheRead: 3, outputVisible: 17, outputReasoning: 0 },
  raw: { prompt_tokens: 1_004, text: "\u0000 and half a pair \ud800", deep: [{ a: 1 }] },
  hostile: ["cache_write_5m"],
  losses: ["logit_bias"],
};

describe("a receipt", () => {
  it("shows buckets x frozen prices x factor = charge to the last digit, the same before and after posting", async () => {
    const caller = await rig.account(1_000_000_000n);
    const request = { ...order(caller, 100_000_000n, "receipt-1"), price: PRICE };
    const hold = await billing.take(request);
    expect(await readReceipt(caller.accountId, "receipt-1")).toMatchObject({
      state: "running",
      hold_usd: "0.1",
    });
    await hold.settle(OUTCOME);
    const pending = await readReceipt(caller.accountId, "receipt-1");
    await eventually(() => billing.counts().unposted === 0);
    const posted = await readReceipt(caller.accountId, "receipt-1");
    expect(posted).toMatchObject({
      state: "posted",
      reason: "completed",
      charged: true,
      ignored_values: ["cache_write_5m"],
      losses: ["logit_bias"],
      lines: [
        { bucket: "input_uncached", tokens: 1_001, usd_per_million_tokens: "3", usd: "0.003003" },
        { bucket: "cache_read", tokens: 3, usd_per_million_tokens: "0.300000001", usd: "0.000000900000003" },
        { bucket: "output_visible", tokens: 17, usd_per_million_tokens: "15", usd: "0.000255" },
        { bucket: "output_reasoning", tokens: 0, usd_per_million_tokens: "15", usd: "0" },
      ],
      sum_usd: "0.003258900000003",
      factor: "0.85",
      exact_usd: "0.00277006500000255",
      charge_usd: "0.002770065",
      charge_nanos: "2770065",
    });
    expect({ ...pending, state: "posted" }).toEqual(posted);
  });

  it("names the row of the price table that was taken, and shows its prices, before and after posting", async () => {
    const caller = await rig.account(1_000_000_000n);
    const prices = { input: 6_000_000_000n, output: 30_000_000_000n, cacheRead: 300_000_001n };
    const calls = { search: { per: "use", nanos: 500_000n } } as const;
    const dimensions = { ...NO_DIMENSIONS, steps: [{ above: 1_003, prices }], calls };
    const price = { ...PRICE, dimensions };
    const hold = await billing.take({ ...order(caller, 100_000_000n, "receipt-row"), price });
    await hold.settle({ ...OUTCOME, calls: [{ tool: "search", count: 2 }] });
    const pending = await readReceipt(caller.accountId, "receipt-row");
    await eventually(() => billing.counts().unposted === 0);
    const posted = await readReceipt(caller.accountId, "receipt-row");
    expect(posted).toMatchObject({
      row: "above 1003",
      sum_usd: "0.007516900000003",
      exact_usd: "0.00638936500000255",
      charge_nanos: "6389365",
    });
    expect(posted?.lines?.[0]).toMatchObject({ usd_per_million_tokens: "6", usd: "0.006006" });
    expect(posted?.lines?.at(-1)).toEqual({
      kind: "call",
      name: "search",
      count: 2,
      usd_each: "0.0005",
      usd: "0.001",
    });
    expect({ ...pending, state: "posted" }).toEqual(posted);
    // Two requests of half the input each stay below.
    const halves = await billing.take({ ...order(caller, 100_000_000n, "receipt-halves"), price });
    await halves.settle({ ...OUTCOME, requests: 2, calls: [{ tool: "search", count: 2 }] });
    expect(await readReceipt(caller.accountId, "receipt-halves")).toMatchObject({ charge_nanos: "3620065" });
  });

  it("names tier, speed and hours with their factors, which its lines include, and what has no price", async () => {
    const caller = await rig.account(1_000_000_000n);
    const price: HoldOrder["price"] = {
      ...PRICE,
      dimensions: {
        ...NO_DIMENSIONS,
        tiers: { priority: { factor: 2_000_000n } },
        speeds: { fast: 1_500_001n },
        hours: [{ name: "off peak", ranges: [], factor: 500_000n }],
      },
      hours: { name: "off peak", factor: 500_000n },
      asked: { tier: "priority", speed: "fast" },
    };
    const hold = await billing.take({ ...order(caller, 100_000_000n, "receipt-terms"), price });
    await hold.settle({ ...OUTCOME, served: { tier: "priority", region: "moon" } });
    const pending = await readReceipt(caller.accountId, "receipt-terms");
    await eventually(() => billing.counts().unposted === 0);
    const posted = await readReceipt(caller.accountId, "receipt-terms");
    expect(posted).toMatchObject({
      served: [
        { dimension: "tier", name: "priority", from: "response", factor: "2" },
        { dimension: "speed", name: "fast", from: "asked", factor: "1.500001" },
        { dimension: "region", name: "moon", from: "response", factor: "1" },
        { dimension: "hours", name: "off peak", from: "time", factor: "0.5" },
      ],
      unpriced: ["region moon"],
      // 0.003258900000003 x 2 x 1.500001 x 0.5, by hand.
      sum_usd: "0.004888353258904500003",
    });
    expect(posted?.lines?.[0]).toMatchObject({ usd_per_million_tokens: "3", usd: "0.004504503003" });
    expect(posted?.charge_nanos).toBe("4155100");
    expect({ ...pending, state: "posted" }).toEqual(posted);
    const unasked = await billing.take({ ...order(caller, 100_000_000n, "receipt-unasked"), price });
    await unasked.settle({ ...OUTCOME, withoutOptions: true });
    expect((await readReceipt(caller.accountId, "receipt-unasked"))?.served).toEqual([
      { dimension: "hours", name: "off peak", from: "time", factor: "0.5" },
    ]);
  });

  it("of another account is as unknown as one that never was", async () => {
    const [owner, other] = [await rig.account(1_000_000_000n), await rig.account(0n)];
    const hold = await billing.take(order(owner, 1_000n, "receipt-2"));
    expect(await readReceipt(other.accountId, "receipt-2")).toBeUndefined();
    await hold.settle(completed(0));
    expect(await readReceipt(other.accountId, "receipt-2")).toBeUndefined();
    await eventually(() => billing.counts().unposted === 0);
    expect(await readReceipt(other.accountId, "receipt-2")).toBeUndefined();
    expect(await readReceipt(owner.accountId, "receipt-3")).toBeUndefined();
  });
});

describe("a line that the database refuses", () => {
  it("goes to quarantine alone, the house bears its hold, and the lines beside it are posted", async () => {
    const caller = await rig.account(1_000_000_000n);
    const refused = { ...completed(10), status: 3_000_000_000 }; // no int4
    const [bad, good] = [
      await billing.take(order(caller, 40_000n, "refused")),
      await billing.take(order(caller, 30_000n, "fine")),
    ];
    await Promise.all([bad.settle(refused), good.settle(completed(10))]);
    await eventually(() => billing.counts().unposted === 0);
    expect(await readReceipt(caller.accountId, "refused")).toMatchObject({
      state: "quarantined",
      charge_usd: "0",
    });
    expect(await readReceipt(caller.accountId, "fine")).toMatchObject({
      state: "posted",
      charge_nanos: "30000",
    });
    expect((await rig.balance(caller)).balanceNanos).toBe(1_000_000_000n - 30_000n);
    const { breaches, quarantined_records, loss_nanos } = await rig.verify();
    expect({ breaches, quarantined_records, loss_nanos }).toEqual({
      breaches: [],
      quarantined_records: 1,
      loss_nanos: 40_000n,
    });
  });
});

describe("retention", () => {
  it("drops old days of the usage log, and the books stay right to the nano", async () => {
    const before = await rig.verify();
    await makeOld();
    await dropOld();
    const { count } = await rig.database.one<{ count: bigint }>("select count(*) as count from usage");
    expect(count).toBe(0n);
    const after = await rig.verify();
    expect(after.breaches).toEqual([]);
    expect(after.revenue_nanos).toBe(before.revenue_nanos);
    const { archived } = await rig.database.one<{ archived: bigint }>(
      "select sum(charge_nanos)::int8 as archived from usage_days where ledger like 'account:%'",
    );
    // What the house paid for quarantined lines is revenue too, and stands on its own.
    expect(archived).toBe(after.revenue_nanos - after.loss_nanos);
  });

  it("drops a day again that got rows after its sums were archived, as a clock brings that jumped ahead and back", async () => {
    const caller = await rig.account(1_000_000_000n);
    for (let round = 0; round < 2; round += 1) {
      await settleOne(caller);
      await makeOld();
      expect((await rig.verify()).breaches).toEqual([]);
      await dropOld();
      const { count } = await rig.database.one<{ count: bigint }>("select count(*) as count from usage");
      expect(count).toBe(0n);
      expect((await rig.verify()).breaches).toEqual([]);
    }
  });
});

async function dropOld(): Promise<void> {
  const { database } = rig;
  const retention = createUsageRetention({ database, clock: systemClock, log: silentLog, days: () => 5 });
  await retention.run();
  await retention.close();
}

async function settleOne(caller: Caller): Promise<void> {
  const { requestId } = order(caller, 0n);
  const hold = await billing.take(order(caller, 300_000n, requestId));
  await hold.settle(completed(100));
  await eventually(() => billing.findUnposted(requestId) === undefined);
}

/** Makes today's rows ten days old, and with them the sums: the partition of that day gets them. */
async function makeOld(): Promise<void> {
  await rig.database.transaction(async (tx) => {
    await tx.execute("set local session_replication_role = replica");
    const { day, name } = await tx.one<{ day: string; name: string }>(
      "select ((now() - interval '10 days') at time zone 'utc')::date as day, to_char((now() - interval '10 days') at time zone 'utc', '\"usage_\"YYYYMMDD') as name",
    );
    await tx.execute(
      `create table ${name} partition of usage for values from ('${day} 00:00+00') to ('${day} 23:59:59.999+00')`,
    );
    await tx.execute(`update usage set posted_at = '${day} 12:00+00'`);
    for (const sums of ["usage_hours", "usage_keys", "usage_latencies", "cost_days", "spending_days"]) {
      await tx.execute(`delete from ${sums}`);
      await tx.execute(`insert into ${sums} select * from ${sums}_of_log`);
    }
  });
}
