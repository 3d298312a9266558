import fc from "fast-check";
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
import type { SpendingResponse } from "./contract.ts";
import { forecastOf, percentile, spendingOf } from "./spending.ts";
import type { GroupedBy } from "./spending-store.ts";

const DAY_MS = 86_400_000;
const REQUESTS = 60;

let rig: BillingRig;
let caller: Caller;
let other: Caller;

beforeAll(async () => {
  rig = await createBillingRig();
  caller = await rig.account(10n ** 15n);
  other = await rig.account(10n ** 15n);
  const keys = await rig.database.query<{ id: bigint }>(
    `insert into api_keys (account_id, name, playground) values ($1, 'one', false), ($1, 'two', false), ($1, 'play', true)
     returning id`,
    [caller.accountId],
  );
  const billing = await rig.start("spending");
  for (let count = 0; count < REQUESTS; count += 1) {
    const key = { ...caller, keyId: (keys[count % 3]?.id ?? 0n) as KeyId };
    const tags = count % 4 === 0 ? undefined : [`team=t${count % 4}`];
    const hold = await billing.take({ ...order(key, 1n), model: `model-${count % 11}`, tags });
    await hold.begun;
    await hold.settle({ ...completed(count), reason: count % 10 === 0 ? "upstream_failed" : "completed" });
  }
  const foreign = await billing.take(order(other, 1n));
  await foreign.settle(completed(1_000_000));
  await billing.drain();
});
afterAll(() => rig.close());

function ask(by: GroupedBy, ago = 0, step: "day" | "hour" = "day"): Promise<SpendingResponse> {
  const nowMs = systemClock.nowMs();
  const from = new Date(Math.floor(nowMs / DAY_MS) * DAY_MS - ago * DAY_MS);
  const until = new Date(from.getTime() + (ago + 1) * DAY_MS);
  const span = { accountId: caller.accountId, from, until, tagKey: "team" };
  return spendingOf(rig.database, { span, by, step, nowMs });
}

const sum = (parts: readonly { readonly charge_nanos: string }[]): bigint =>
  parts.reduce((total, part) => total + BigInt(part.charge_nanos), 0n);

describe("spending", () => {
  const charged = (): bigint => {
    const tokens = Array.from({ length: REQUESTS }, (_, count) => (count % 10 === 0 ? 0 : count));
    return BigInt(tokens.reduce((total, each) => total + each, 0)) * TOKEN_NANOS;
  };

  it.each(["model", "key", "user", "endpoint", "tag"] as const)(
    "by %s adds up: groups, steps and totals are what the log charged this account",
    async (by) => {
      const response = await ask(by, 1);
      expect(response.totals).toMatchObject({
        requests: REQUESTS,
        errors: REQUESTS / 10,
        charge_nanos: String(charged()),
      });
      expect(sum([...response.groups, ...(response.others === null ? [] : [response.others])])).toBe(
        charged(),
      );
      expect(sum(response.series)).toBe(charged());
      expect(response.groups.map(({ requests }) => requests).reduce((a, b) => a + b)).toBe(REQUESTS);
      const charges = response.groups.map((group) => BigInt(group.charge_nanos));
      expect(charges).toEqual(charges.toSorted((a, b) => (a < b ? 1 : -1)));
    },
  );

  it("draws eight groups and puts the others together, by the hour too", async () => {
    const response = await ask("model", 1, "hour");
    expect(response.groups).toHaveLength(11);
    expect(new Set(response.series.map(({ group }) => group)).size).toBe(9);
    expect(response.series.filter(({ group }) => group === null).length).toBeLessThanOrEqual(2);
    expect(sum(response.series)).toBe(charged());
  });

  it("names keys, and the playground's as one", async () => {
    const { groups } = await ask("key");
    expect(new Set(groups.map(({ name }) => name))).toEqual(new Set(["one", "two", "playground"]));
  });

  it("tells latencies of models", async () => {
    const { totals, groups } = await ask("model");
    expect(totals.latencies.total?.p50_ms).toBeGreaterThanOrEqual(2);
    expect(groups[0]?.latencies?.first_byte?.p95_ms).toBeGreaterThanOrEqual(1);
  });

  it("has nothing in days without requests", async () => {
    const nowMs = systemClock.nowMs();
    const until = new Date(Math.floor(nowMs / DAY_MS) * DAY_MS - 3 * DAY_MS);
    const span = { accountId: caller.accountId, from: new Date(until.getTime() - DAY_MS), until };
    const response = await spendingOf(rig.database, { span, by: "model", step: "day", nowMs });
    expect(response).toMatchObject({ groups: [], others: null, series: [], totals: { requests: 0 } });
  });
});

describe("the forecast", () => {
  it("is what the month has cost and a usual day for each that is left", async () => {
    const account = await rig.account(1n);
    const charge = (day: string, nanos: bigint) =>
      rig.database.execute(
        `insert into usage_hours values ($1, $2, 'm', '', 'messages', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, $3)`,
        [account.accountId, new Date(`${day}T10:00:00Z`), nanos],
      );
    for (let day = 10; day < 17; day += 1) await charge(`2026-06-${day}`, 7_000n);
    await charge("2026-06-17", 500n);
    await charge("2026-05-31", 900_000n);
    const forecast = await forecastOf(rig.database, account.accountId, Date.parse("2026-06-17T12:00:00Z"));
    expect(forecast).toEqual({
      month: "2026-06",
      charged_nanos: "49500",
      day_nanos: "7000",
      expected_nanos: String(49_500 + 7_000 * 13.5),
    });
  });
});

/** Does what the SQL function latency_bucket does. */
const bucketOf = (ms: number): number => Math.floor(4 * Math.log2(Math.max(ms, 1)));

describe("a percentile read off the buckets", () => {
  it("is right within a fifth for any times", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 20, max: 3_600_000 }), { minLength: 1, maxLength: 300 }),
        fc.constantFrom(0.5, 0.95),
        (times, share) => {
          const histogram = new Map<number, number>();
          for (const ms of times) histogram.set(bucketOf(ms), (histogram.get(bucketOf(ms)) ?? 0) + 1);
          const exact = times.toSorted((a, b) => a - b)[Math.ceil(share * times.length) - 1] ?? 0;
          const read = percentile(histogram, share) ?? 0;
          expect(Math.abs(Math.log2(read / exact))).toBeLessThanOrEqual(0.3);
        },
      ),
    );
  });

  it("is nothing where there was nothing", () => {
    expect(percentile(new Map(), 0.5)).toBeNull();
  });
});
