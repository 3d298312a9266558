import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BillingRig, completed, createBillingRig, endOf, order } from "../../../test/support/billing.ts";
import type { Caller } from "../../accounts/caller.ts";
import { NO_DIMENSIONS } from "../../catalog/price-table.ts";
import { PLACE_REASONS, TOKEN_CLASSES } from "../../usage/usage.ts";
import type { HoldOrder, Outcome } from "../billing.ts";
import type { FlushRequest } from "../journal/flush.ts";
import { FlushBatch, rowOfRecords } from "../journal/flush-batch.ts";
import { encodeBegin, encodeEnd, type SettledEnd, textOf } from "../journal/journal-record.ts";
import { createJournalStore } from "../journal/journal-store.ts";
import { ledgersOf } from "../leases/ledger-ref.ts";
import { NO_COST, type RequestCost } from "../pricing/attempt-cost.ts";
import { chargeOf } from "../pricing/charge.ts";
import { encodeRow, type Row } from "./usage-row.ts";

let rig: BillingRig;
let caller: Caller;
beforeAll(async () => {
  rig = await createBillingRig();
  caller = await rig.account(1_000_000_000n, { amountNanos: 1_000_000_000n, period: "month" });
});
afterAll(() => rig.close());

const BEGAN_AT_MS = 1_790_000_000_123;
const ENDED_AT_MS = 1_790_000_004_567;

const counts = fc.nat(2 ** 31 - 1);
const plain = fc.constantFrom("a", "upstream 1", "N", "'$1'", "{}", "a,b", "null");
const names = fc.oneof({ weight: 9, arbitrary: plain }, { weight: 1, arbitrary: fc.string() });
const outcomes = fc
  .record({
    reason: fc.constantFrom("completed" as const, "client_aborted" as const, "empty_answer" as const),
    usage: fc.dictionary(fc.constantFrom(...TOKEN_CLASSES), counts),
    estimated: fc.boolean(),
    upstream: fc.option(names),
    upstreamModel: fc.option(names),
    place: fc.option(fc.record({ credential: names, reason: fc.constantFrom(...PLACE_REASONS) }), {
      nil: undefined,
    }),
    status: fc.constantFrom(0, 200, 502),
    attempts: fc.nat(3),
    firstByteMs: fc.option(fc.double({ min: 0, max: 1e6, noNaN: true })),
    totalMs: fc.double({ min: 0, max: 1e6, noNaN: true }),
    raw: fc.oneof(fc.constant(undefined), fc.jsonValue(), fc.constant({ odd: "\t\n\\ \ud800 \0" })),
    losses: fc.constantFrom(undefined, []),
    odd: fc.constantFrom(
      {},
      {},
      {},
      { errorCode: "code" },
      { outputLimit: 17 },
      { losses: ["a\tb"] },
      { hostile: ["x"] },
    ),
  })
  .map(({ odd, ...outcome }): Outcome => JSON.parse(JSON.stringify({ ...outcome, ...odd })));

const costs = fc.constantFrom<RequestCost>(
  NO_COST,
  { nanos: 7n, attempts: undefined },
  {
    nanos: 9n,
    attempts: [
      { upstream: "a\tb\n \ud800", nanos: "2" },
      { nanos: "7", stated: "6", factor: "900000" },
    ],
  },
);

const tags = fc.constantFrom(
  undefined,
  undefined,
  ["env=prod"],
  ["end_user=a b", "team=x"],
  ['end_user={"a":1,"b":2}'],
);

let journals = 0;

/** What the usage log has of a request that was posted as this row. */
async function posted(row: Row, requestId: string, limited: Caller): Promise<unknown> {
  const store = createJournalStore(rig.database);
  journals += 1;
  const journal = `row-${journals}`;
  await store.open(journal, "test");
  const records = new FlushBatch();
  records.add({ number: 2, balance: `account:${limited.accountId}`, holdNanos: 5n }, row);
  const request: FlushRequest = {
    journal,
    flushNumber: 0,
    flushedThrough: 2,
    batch: records,
    interrupted: [],
    deltas: [],
  };
  await store.flush(request);
  const { row: kept } = await rig.database.one<{ row: unknown }>(
    "select to_jsonb(u) - 'posted_at' - 'journal' as row from usage u where request_id = $1 and journal = $2",
    [requestId, journal],
  );
  return kept;
}

describe("a row of the usage log", () => {
  it("is posted as its two lines would be, or is none", async () => {
    let rows = 0;
    await fc.assert(
      fc.asyncProperty(
        outcomes,
        costs,
        fc.boolean(),
        names,
        tags,
        async (outcome, cost, streamed, model, tags) => {
          journals += 1;
          const requestId = `request-${journals}`;
          const asked: HoldOrder = { ...order(caller, 5n, requestId), streamed, model, tags };
          const ledgers = ledgersOf(caller, BEGAN_AT_MS);
          const ended = {
            beganAtMs: BEGAN_AT_MS,
            endedAtMs: ENDED_AT_MS,
            order: asked,
            ledgers,
            end: { ...endOf(outcome, 3n, 5n), cost },
          };
          const row = encodeRow(ended);
          if (row === undefined) return;
          rows += 1;
          expect(textOf(row)).not.toMatch(/[\n\0]/);
          const begin = encodeBegin(1, BEGAN_AT_MS, asked, ledgers);
          const end = encodeEnd(2, ENDED_AT_MS, 1, 5n, ended.end);
          const byRow = await posted(row, requestId, caller);
          expect(byRow).toEqual(await posted(rowOfRecords(begin, end), requestId, caller));
          const again = new FlushBatch();
          again.add({ number: 2, balance: "", holdNanos: 5n }, row);
          const pair = again.find(requestId);
          expect(again.find(`${requestId} `)).toBeUndefined();
          expect(JSON.parse(textOf(begin))).toEqual({
            n: 1,
            ...JSON.parse(pair?.beginRecord ?? ""),
          });
          expect(JSON.parse(textOf(end))).toEqual({ n: 2, begin: 1, ...JSON.parse(pair?.endRecord ?? "") });
        },
      ),
      { numRuns: 150 },
    );
    expect(rows, "most outcomes are ordinary").toBeGreaterThan(30);
  });

  it("is none where something has no field in it", () => {
    const row = (more: Partial<Outcome>, asked: Partial<HoldOrder> = {}, odd: Partial<SettledEnd> = {}) => {
      const made = encodeRow({
        beganAtMs: 1,
        endedAtMs: 2,
        order: { ...order(caller, 5n, "request"), ...asked },
        ledgers: ledgersOf(caller, 0),
        end: { ...endOf({ ...completed(1), ...more }, 3n, 5n), ...odd },
      });
      return made && textOf(made);
    };
    expect(row({})).toMatch(/^1\t2\trequest\t/);
    expect(row({ hostile: [], losses: [] })).toBeDefined();
    for (const odd of ["", "a\tb", "a\nb", "\0", "\ud800", 'a"b', "a\\b"]) {
      expect(row({}, { requestId: odd })).toBeUndefined();
      expect(row({}, { model: odd })).toBeUndefined();
      expect(row({ upstream: odd })).toBeUndefined();
      expect(row({ upstreamModel: odd })).toBeUndefined();
    }
    expect(row({ hostile: ["x"] })).toBeUndefined();
    expect(row({ losses: ["x"] })).toBeUndefined();
    expect(row({ errorCode: "x" })).toBeUndefined();
    expect(row({ implausible: [{ field: "input", reported: 2, most: 1 }] })).toBeUndefined();
    expect(row({}, {}, { holdNanos: 6n })).toBeUndefined();
    expect(row({}, {}, { writtenOffNanos: 1n })).toBeUndefined();
    expect(row({ withoutOptions: true })).toBeDefined();
    const fee = { ...order(caller, 5n).price, dimensions: { ...NO_DIMENSIONS, request: 9n } };
    expect(row({}, { price: fee })).toContain('"request":"9"');
    expect(row({}, {}, { charge: chargeOf(fee, { usage: { audioInput: 1 } }) })).toBeUndefined();
  });
});
