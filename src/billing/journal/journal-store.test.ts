import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BillingRig, createBillingRig, endOf, order } from "../../../test/support/billing.ts";
import { callerOf, LIMIT, ledgerIdsOf, outcomeOf } from "../../../test/support/money/exchange.ts";
import { ModelStore } from "../../../test/support/money/model-store.ts";
import type { LeaseDelta } from "../leases/lease.ts";
import { ledgersOf } from "../leases/ledger-ref.ts";
import { attemptOperatorTransfer } from "../ledger/ledger-store.ts";
import type { FlushRequest, FlushResult } from "./flush.ts";
import { FlushBatch, rowOfRecords } from "./flush-batch.ts";
import { encodeBegin, encodeEnd } from "./journal-record.ts";
import { createJournalStore } from "./journal-store.ts";

let rig: BillingRig;
beforeAll(async () => {
  rig = await createBillingRig();
});
afterAll(() => rig.close());

// The simulation proves the protocol on a model of the database; here the model is held against the real one.
describe("the database and the simulation's model of it", () => {
  it("answer alike and keep the same books, whatever they are told", async () => {
    await fc.assert(fc.asyncProperty(fc.array(actions, { minLength: 5, maxLength: 40 }), followBoth), {
      numRuns: 40,
    });
  });
});

type Action =
  | {
      readonly kind: "flush";
      readonly journal: number;
      readonly stale: boolean;
      readonly records: readonly Record[];
      readonly asks: readonly Ask[];
    }
  | { readonly kind: "close"; readonly journal: number }
  | { readonly kind: "transfer"; readonly amount: number };
interface Record {
  readonly limited: boolean;
  readonly charge: number;
}
interface Ask {
  readonly limited: boolean;
  readonly give: number;
  readonly reclaimSeen: boolean;
  readonly grow: number;
  readonly wants: readonly number[];
  readonly ahead: number;
}

const amounts = fc.integer({ min: 1, max: 300 });
const asks = fc.record({
  limited: fc.boolean(),
  give: fc.oneof(fc.constant(0), amounts),
  reclaimSeen: fc.boolean(),
  grow: fc.oneof(fc.constant(0), amounts, fc.constant(100_000)),
  wants: fc.array(amounts, { maxLength: 4 }),
  ahead: fc.oneof(fc.constant(0), amounts),
});
const records = fc.record({ limited: fc.boolean(), charge: fc.integer({ min: 0, max: 200 }) });
const actions: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("flush" as const),
      journal: fc.integer({ min: 0, max: 1 }),
      stale: fc.integer({ min: 0, max: 9 }).map((dice) => dice === 0),
      records: fc.array(records, { maxLength: 5 }),
      asks: fc.uniqueArray(asks, { maxLength: 2, selector: ({ limited }) => limited }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("close" as const), journal: fc.integer({ min: 0, max: 1 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("transfer" as const),
      amount: fc.integer({ min: -500, max: 500 }).filter((amount) => amount !== 0),
    }),
  },
);

let runs = 0;

async function followBoth(steps: readonly Action[]): Promise<void> {
  runs += 1;
  const account = await rig.account(1_000n);
  const id = Number(account.accountId);
  const real = createJournalStore(rig.database);
  const model = new ModelStore();
  model.credit(`account:${id}`, 1_000n);
  const journals = [`model-${runs}-0`, `model-${runs}-1`];
  const numbers = [0, 0];
  for (const journal of journals) {
    await real.open(journal, "test");
    model.open(journal);
  }
  for (const [index, step] of steps.entries()) {
    if (step.kind === "transfer") {
      const ledger = `account:${id}`;
      const amount = BigInt(step.amount);
      const { outcome } = await attemptOperatorTransfer(rig.database, {
        accountId: account.accountId,
        amountNanos: amount,
        idempotencyKey: `${runs} ${index}`,
        reason: "test",
      });
      if (amount > 0n) model.credit(ledger, amount);
      else {
        const done = model.debit(ledger, -amount);
        expect(outcome).toBe(done === undefined ? "insufficient" : done ? "done" : "reclaiming");
      }
    } else {
      const journal = journals[step.journal] ?? "";
      const flush = model.journals.get(journal)?.flush ?? 0;
      if (step.kind === "close") {
        expect(await real.close(journal, flush)).toBe(model.close(journal, flush));
      } else {
        const first = (numbers[step.journal] ?? 0) + 1;
        numbers[step.journal] = first + 2 * step.records.length;
        const request = requestOf(
          journal,
          step.stale ? flush - 1 : flush,
          id,
          first,
          step.records,
          step.asks,
        );
        expect(sorted(await real.flush(request))).toEqual(sorted(model.flush(request)));
      }
    }
    for (const ledger of ledgerIdsOf(callerOf(id, true))) await expectSameLedger(model, ledger);
  }
  expect((await rig.verify()).breaches).toEqual([]);
}

/** No charge is above it, and yet a ledger may have less. */
const HOLD = 1_000n;

function requestOf(
  journal: string,
  flush: number,
  account: number,
  first: number,
  given: readonly Record[],
  wished: readonly Ask[],
): FlushRequest {
  const records = new FlushBatch();
  for (const [index, { limited, charge }] of given.entries()) {
    const caller = callerOf(account, limited);
    const begin = first + 2 * index;
    const request = order(caller, HOLD, `${journal} ${begin}`);
    records.add(
      { number: begin + 1, balance: `account:${account}`, holdNanos: HOLD },
      rowOfRecords(
        encodeBegin(begin, 0, request, ledgersOf(caller, 0)),
        encodeEnd(begin + 1, 0, begin, HOLD, endOf(outcomeOf(BigInt(charge)), BigInt(charge), HOLD)),
      ),
    );
  }
  const asks: LeaseDelta[] = wished.map((ask) => ({
    ledger: ledgerIdsOf(callerOf(account, ask.limited)).at(-1) ?? "",
    accountId: BigInt(account),
    allowanceNanos: ask.limited ? LIMIT : null,
    releaseNanos: BigInt(ask.give),
    answersReclaim: ask.reclaimSeen,
    growNanos: BigInt(ask.grow),
    demands: ask.wants.map(BigInt),
    prefetchNanos: BigInt(ask.ahead),
  }));
  return {
    journal,
    flushNumber: flush,
    flushedThrough: records.last,
    batch: records,
    interrupted: [],
    deltas: asks,
  };
}

async function expectSameLedger(model: ModelStore, ledger: string): Promise<void> {
  const row = await rig.database.maybeOne("select wallet, leased, allowance from ledgers where id = $1", [
    ledger,
  ]);
  const entry = model.ledgers.get(ledger);
  expect(row).toEqual(entry && { wallet: entry.wallet, leased: entry.leased, allowance: entry.allowance });
}

function sorted(response: FlushResult | undefined): FlushResult | undefined {
  return (
    response && {
      ...response,
      leases: [...response.leases].sort((one, other) => (one.ledger < other.ledger ? -1 : 1)),
    }
  );
}
