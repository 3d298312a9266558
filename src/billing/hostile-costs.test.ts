import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type BillingRig,
  completed,
  createBillingRig,
  endOf,
  order,
  TOKEN_NANOS,
} from "../../test/support/billing.ts";
import type { UpstreamCost } from "../catalog/catalog.ts";
import type { AttemptUse, Outcome, ReportedUse } from "./billing.ts";
import { FlushBatch, rowOfRecords } from "./journal/flush-batch.ts";
import { encodeBegin, encodeEnd, recordOf, textOf } from "./journal/journal-record.ts";
import { createJournalStore } from "./journal/journal-store.ts";
import { ledgersOf } from "./leases/ledger-ref.ts";

let rig: BillingRig;
beforeAll(async () => {
  rig = await createBillingRig();
});
afterAll(() => rig.close());

const TOKENS = 10;
const HOLD = BigInt(TOKENS) * TOKEN_NANOS;

/** Whatever a vendor may write where a number belongs. */
const written = fc.oneof(
  fc.constantFrom<unknown>(
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1e300,
    -1e300,
    1e30,
    5e-324,
    -0,
    -1,
    1e18,
    1e21,
  ),
  fc.constantFrom<unknown>("", "free", "1e300", "-3", "0.1", "\u0000", "\ud800", null, true, [], {}, [[1]]),
  fc.bigInt({ min: 0n, max: 10n ** 30n }).map(Number),
  fc.double(),
);

const usageObject = fc.record(
  {
    cost: fc.oneof(written, fc.record({ total_cost: written })),
    cost_in_usd_ticks: written,
    estimated_cost: written,
  },
  { requiredKeys: [] },
);
const raws = fc.oneof(usageObject, fc.array(usageObject, { maxLength: 3 }), written);

const counts = fc.oneof(
  fc.nat({ max: 1_000 }),
  fc.constantFrom(-1, 1.5, Number.NaN, 1e300, 2 ** 31, Number.MAX_SAFE_INTEGER),
);
const reported: fc.Arbitrary<ReportedUse> = fc
  .record({ inputUncached: counts, outputVisible: counts, tool: fc.string(), count: counts, raw: raws })
  .map(({ inputUncached, outputVisible, tool, count, raw }) => ({
    usage: { inputUncached, outputVisible },
    calls: [{ tool, count }],
    raw,
  }));

const amounts = fc.oneof(fc.nat({ max: 10 }).map(BigInt), fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }));
const upstreamCosts: fc.Arbitrary<UpstreamCost | null> = fc.option(
  fc.record({ factorPpm: amounts, ownInput: fc.option(amounts) }).map(({ factorPpm, ownInput }) => ({
    factorPpm,
    prices: new Map(ownInput === null ? [] : [["text-large", { rates: { input: ownInput }, media: {} }]]),
  })),
);
const names = fc.constantFrom("sandbox", "other", "a\tb", "ü\\\n", "\u0000", "\ud800");
const attempts: fc.Arbitrary<AttemptUse> = fc.record({
  upstream: names,
  upstreamModel: names,
  credential: names,
  cost: upstreamCosts,
  used: fc.oneof(fc.constantFrom("charged" as const, "nothing" as const, "unknown" as const), reported),
});
const outcomes: fc.Arbitrary<Outcome> = fc
  .record({ attemptUses: fc.array(attempts, { maxLength: 3 }), raw: raws })
  .map((given) => ({ ...completed(TOKENS), ...given }));

const postedCharges = (ids: readonly string[]) =>
  rig.database.query<{ charge: bigint }>(
    `select charge_nanos as charge from usage where request_id = any($1)`,
    [ids],
  );

const quarantined = () => rig.database.query("select refusal, end_record from quarantined_records");

describe("costs that make no sense", () => {
  it("keep no charge from being posted, whatever vendors say and upstreams are said to bill", async () => {
    let journals = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(outcomes, { minLength: 30, maxLength: 60 }), async (given) => {
        journals += 1;
        const caller = await rig.account(1_000n * HOLD);
        const billing = await rig.start(`law-${journals}`);
        const ids = [];
        for (const outcome of given) {
          const asked = order(caller, HOLD);
          const hold = await billing.take(asked);
          await hold.settle(outcome);
          ids.push(asked.requestId);
        }
        await billing.drain();
        expect(await quarantined()).toEqual([]);
        expect(await postedCharges(ids)).toEqual(given.map(() => ({ charge: HOLD })));
      }),
      { numRuns: 8 },
    );
    expect((await rig.verify()).breaches).toEqual([]);
  });

  it("are left out of records that another program wrote, and records without any are read", async () => {
    const costs = [
      {},
      ...[undefined, "-5", -5, "1e300", 1e300, "NaN", "", "9".repeat(31), null, [], {}].map((cost) => ({
        cost,
      })),
      ...[
        null,
        {},
        [],
        "x",
        5,
        [null],
        [{}],
        [{ nanos: "x" }],
        [{ nanos: -1 }],
        [{ nanos: "1".repeat(30) }],
      ].map((list) => ({ cost: "1", costs: list })),
      ...["-1", 1e300, {}, "1".repeat(30)].map((stated) => ({ cost: "1", costs: [{ nanos: "1", stated }] })),
    ];
    const ids = await postEnds(costs);
    expect(await quarantined()).toEqual([]);
    expect(await postedCharges(ids)).toEqual(costs.map(() => ({ charge: HOLD })));
    expect((await rig.verify()).breaches).toEqual([]);
  });

  it("have sums beyond what any whole number of the database holds", async () => {
    const dear = Array.from({ length: 30 }, () => ({
      cost: "9".repeat(18),
      costs: [{ nanos: "9".repeat(18), stated: "9".repeat(18) }],
    }));
    await postEnds(dear);
    expect(await quarantined()).toEqual([]);
    expect((await rig.verify()).breaches).toEqual([]);
  });
});

/** Posts a request for each of these, as members of its end record; gives the ids. */
async function postEnds(ends: readonly object[]): Promise<string[]> {
  const caller = await rig.account(1_000n * HOLD);
  const store = createJournalStore(rig.database);
  const journal = `journal-${caller.accountId}`;
  await store.open(journal, "test");
  const batch = new FlushBatch();
  const ids = [];
  for (const [index, members] of ends.entries()) {
    const begin = 2 * index + 1;
    const asked = order(caller, HOLD);
    const end = textOf(encodeEnd(begin + 1, 0, begin, HOLD, endOf(completed(TOKENS), HOLD)));
    batch.add(
      { number: begin + 1, balance: `account:${caller.accountId}`, holdNanos: HOLD },
      rowOfRecords(
        encodeBegin(begin, 0, asked, ledgersOf(caller, 0)),
        recordOf(JSON.stringify({ ...JSON.parse(end), ...members })),
      ),
    );
    ids.push(asked.requestId);
  }
  const ledger = `account:${caller.accountId}`;
  const demand = BigInt(ends.length) * HOLD;
  const delta = { ledger, accountId: BigInt(caller.accountId), allowanceNanos: null, answersReclaim: false };
  const none = new FlushBatch();
  const grow = { ...delta, releaseNanos: 0n, growNanos: 0n, demands: [demand], prefetchNanos: 0n };
  const base = { journal, interrupted: [] };
  await store.flush({ ...base, flushNumber: 0, flushedThrough: 0, batch: none, deltas: [grow] });
  await store.flush({ ...base, flushNumber: 1, flushedThrough: batch.last, batch, deltas: [] });
  return ids;
}
