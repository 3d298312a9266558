import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BillingRig, createBillingRig, endOf, order } from "../../test/support/billing.ts";
import { callerOf, LIMIT, ledgerIdsOf, outcomeOf } from "../../test/support/money/exchange.ts";
import { ModelStore } from "../../test/support/money/model-store.ts";
import { ledgersOf } from "./ledger-ref.ts";
import { attemptOperatorTransfer } from "./ledger-store.ts";
import { encodeBegin, encodeEnd, textOf } from "./line.ts";
import { Posting, rowOfLines } from "./posting.ts";
import type { PurseAsk } from "./purse.ts";
import { createSpoolStore } from "./spool-store.ts";
import type { TickAnswer, TickRequest } from "./tick.ts";

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

describe("a program from before rows", () => {
  it("posts its begin and end lines beside newer ones", async () => {
    const caller = await rig.account(1_000n);
    await createSpoolStore(rig.database).open("older", "test");
    const ledgers = ledgersOf(caller, 0);
    const begins = [1, 3].map((number) =>
      textOf(encodeBegin(number, 0, order(caller, 100n, `older ${number}`), ledgers)),
    );
    const ends = [2, 4].map((number) =>
      textOf(encodeEnd(number, 0, number - 1, 100n, endOf(outcomeOf(7n), 7n, 100n))),
    );
    const [state] = await rig.database.query(
      "select tick, posted from tick_spool($1, 0, 4, $2, $3, $4, $5, $6, '{}', '[]')",
      ["older", [2, 4], ledgers.concat(ledgers).map(({ id }) => id), [100, 100], begins, ends],
    );
    expect(state).toEqual({ tick: 1n, posted: 4n });
    const rows = await rig.database.query(
      "select request_id, line, charge_nanos from usage where spool = 'older' order by line",
    );
    expect(rows).toEqual([
      { request_id: "older 1", line: 2n, charge_nanos: 7n },
      { request_id: "older 3", line: 4n, charge_nanos: 7n },
    ]);
    expect((await rig.balance(caller)).balanceNanos).toBe(1_000n - 14n);
  });
});

type Action =
  | {
      readonly kind: "tick";
      readonly spool: number;
      readonly stale: boolean;
      readonly lines: readonly Line[];
      readonly asks: readonly Ask[];
    }
  | { readonly kind: "close"; readonly spool: number }
  | { readonly kind: "transfer"; readonly amount: number };
interface Line {
  readonly limited: boolean;
  readonly charge: number;
}
interface Ask {
  readonly limited: boolean;
  readonly give: number;
  readonly recallSeen: boolean;
  readonly grow: number;
  readonly wants: readonly number[];
  readonly ahead: number;
}

const amounts = fc.integer({ min: 1, max: 300 });
const asks = fc.record({
  limited: fc.boolean(),
  give: fc.oneof(fc.constant(0), amounts),
  recallSeen: fc.boolean(),
  grow: fc.oneof(fc.constant(0), amounts, fc.constant(100_000)),
  wants: fc.array(amounts, { maxLength: 4 }),
  ahead: fc.oneof(fc.constant(0), amounts),
});
const lines = fc.record({ limited: fc.boolean(), charge: fc.integer({ min: 0, max: 200 }) });
const actions: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("tick" as const),
      spool: fc.integer({ min: 0, max: 1 }),
      stale: fc.integer({ min: 0, max: 9 }).map((dice) => dice === 0),
      lines: fc.array(lines, { maxLength: 5 }),
      asks: fc.uniqueArray(asks, { maxLength: 2, selector: ({ limited }) => limited }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("close" as const), spool: fc.integer({ min: 0, max: 1 }) }),
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
  const real = createSpoolStore(rig.database);
  const model = new ModelStore();
  model.credit(`account:${id}`, 1_000n);
  const spools = [`model-${runs}-0`, `model-${runs}-1`];
  const numbers = [0, 0];
  for (const spool of spools) {
    await real.open(spool, "test");
    model.open(spool);
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
        expect(outcome).toBe(done === undefined ? "insufficient" : done ? "done" : "recalling");
      }
    } else {
      const spool = spools[step.spool] ?? "";
      const tick = model.spools.get(spool)?.tick ?? 0;
      if (step.kind === "close") {
        expect(await real.close(spool, tick)).toBe(model.close(spool, tick));
      } else {
        const first = (numbers[step.spool] ?? 0) + 1;
        numbers[step.spool] = first + 2 * step.lines.length;
        const request = requestOf(spool, step.stale ? tick - 1 : tick, id, first, step.lines, step.asks);
        expect(sorted(await real.tick(request))).toEqual(sorted(model.tick(request)));
      }
    }
    for (const ledger of ledgerIdsOf(callerOf(id, true))) await expectSameLedger(model, ledger);
  }
  expect((await rig.verify()).breaches).toEqual([]);
}

function requestOf(
  spool: string,
  tick: number,
  account: number,
  first: number,
  given: readonly Line[],
  wished: readonly Ask[],
): TickRequest {
  const lines = new Posting();
  for (const [index, { limited, charge }] of given.entries()) {
    const caller = callerOf(account, limited);
    const begin = first + 2 * index;
    const request = order(caller, 100n, `${spool} ${begin}`);
    lines.add(
      { number: begin + 1, balance: `account:${account}`, holdNanos: 100n },
      rowOfLines(
        encodeBegin(begin, 0, request, ledgersOf(caller, 0)),
        encodeEnd(begin + 1, 0, begin, 100n, endOf(outcomeOf(BigInt(charge)), BigInt(charge), 100n)),
      ),
    );
  }
  const asks: PurseAsk[] = wished.map((ask) => ({
    ledger: ledgerIdsOf(callerOf(account, ask.limited)).at(-1) ?? "",
    accountId: BigInt(account),
    allowanceNanos: ask.limited ? LIMIT : null,
    giveNanos: BigInt(ask.give),
    recallSeen: ask.recallSeen,
    growNanos: BigInt(ask.grow),
    wants: ask.wants.map(BigInt),
    aheadNanos: BigInt(ask.ahead),
  }));
  return { spool, tick, upto: lines.last, lines, interrupted: [], asks };
}

async function expectSameLedger(model: ModelStore, ledger: string): Promise<void> {
  const row = await rig.database.maybeOne("select wallet, leased, allowance from ledgers where id = $1", [
    ledger,
  ]);
  const entry = model.ledgers.get(ledger);
  expect(row).toEqual(entry && { wallet: entry.wallet, leased: entry.leased, allowance: entry.allowance });
}

function sorted(answer: TickAnswer | undefined): TickAnswer | undefined {
  return (
    answer && {
      ...answer,
      purses: [...answer.purses].sort((one, other) => (one.ledger < other.ledger ? -1 : 1)),
    }
  );
}
