import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bear } from "../../../test/support/absorbed-loss.ts";
import { type BillingRig, createBillingRig, serve, TOKEN_NANOS } from "../../../test/support/billing.ts";
import type { AccountId, Caller } from "../../accounts/caller.ts";
import { systemClock } from "../../base/clock.ts";
import { formatUsd, parseUsd } from "../../base/money.ts";
import { transferByOperator } from "../../billing/ledger/operator-transfer.ts";
import { archiveUsageDay } from "../../billing/usage-log/usage-store.ts";
import { DEFAULT_WAIT_LIMITS } from "../../catalog/settings.ts";
import type { StatementRow } from "./months-contract.ts";
import { monthCsv, readMark, readRowsPage } from "./months-operations.ts";
import { readMonth, readMonths } from "./months-store.ts";

let rig: BillingRig;
beforeAll(async () => {
  rig = await createBillingRig();
});
afterAll(() => rig.close());

/** The entries of one test are later than those of the test before: ids of the ledger rise with time. */
let year = 2000;
const monthsOf = (ofYear: number) => ["01", "02", "03", "04"].map((month) => `${ofYear}-${month}`);

/** The rows of a month, read by pages of this size. */
async function allRows(accountId: AccountId, month: string, limit = 500): Promise<StatementRow[]> {
  const rows: StatementRow[] = [];
  let after: string | undefined;
  do {
    const page = await readRowsPage(rig.database, { accountId, month, limit, after: readMark(after) });
    rows.push(...page.data);
    after = page.next ?? undefined;
  } while (after !== undefined);
  return rows;
}

async function closingOf(accountId: AccountId, month: string): Promise<bigint> {
  const sums = await readMonth(rig.database, accountId, month);
  return sums.openingNanos + sums.creditedNanos - sums.debitedNanos - sums.textNanos - sums.tasksNanos;
}

interface DrawnEntry {
  readonly minutes: number;
  readonly movement: (typeof MOVEMENTS)[number];
  readonly nanos: bigint;
}

/** Kind, sides, reference; whether the balance gains, loses or stays, and whether it has a row of its own. */
const MOVEMENTS = [
  { kind: "credit", from: "funding", to: "wallet", reference: "account:1", sign: 1n, own: true },
  { kind: "credit", from: "funding", to: "wallet", reference: "code:7", sign: 1n, own: true },
  { kind: "debit", from: "wallet", to: "funding", reference: "account:1", sign: -1n, own: true },
  { kind: "post", from: "leased", to: "revenue", reference: "flush:j:1", sign: -1n, own: false },
  { kind: "post", from: "wallet", to: "revenue", reference: "flush:j:1", sign: -1n, own: false },
  { kind: "post", from: "loss", to: "revenue", reference: "flush:j:1", sign: 0n, own: false },
  { kind: "lease", from: "wallet", to: "leased", reference: "flush:j:1", sign: 0n, own: false },
  { kind: "return", from: "leased", to: "wallet", reference: "flush:j:1", sign: 0n, own: false },
  { kind: "quarantine", from: "loss", to: "revenue", reference: "record:j:1", sign: 0n, own: false },
  { kind: "hold", from: "wallet", to: "held", reference: "task:t", sign: 0n, own: false },
  { kind: "settle", from: "held", to: "revenue", reference: "task:t", sign: -1n, own: false },
  { kind: "settle", from: "held", to: "wallet", reference: "task:t", sign: 0n, own: false },
  { kind: "release", from: "held", to: "wallet", reference: "task:t", sign: 0n, own: true },
] as const;

const drawnEntry: fc.Arbitrary<DrawnEntry> = fc.record({
  // Some four months from the first of January, to the minute before midnight and after.
  minutes: fc.integer({ min: 0, max: 120 * 1_440 - 1 }),
  movement: fc.constantFrom(...MOVEMENTS),
  nanos: fc.bigInt({ min: 1n, max: 10n ** 12n }),
});

const atOf = ({ minutes }: DrawnEntry): string =>
  new Date(Date.UTC(year, 0, 1) + minutes * 60_000).toISOString();

async function write(accountId: AccountId, entries: readonly DrawnEntry[]): Promise<void> {
  const ledger = `account:${accountId}`;
  for (const [index, entry] of entries.entries()) {
    const { kind, from, to, reference } = entry.movement;
    await rig.database.execute(
      `insert into transfers (key, kind, ledger, from_side, to_side, amount, reference, at)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [`drawn:${ledger}:${index}`, kind, ledger, from, to, entry.nanos, reference, atOf(entry)],
    );
  }
}

describe("a statement by month", () => {
  it("adds up from the opening to the closing balance, and the next month begins where it ended, whatever the ledger holds", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(drawnEntry, { maxLength: 25 }),
        fc.integer({ min: 1, max: 7 }),
        async (drawn, size) => {
          year += 1;
          const entries = [...drawn].sort((a, b) => a.minutes - b.minutes);
          const { accountId } = await rig.account(0n);
          await write(accountId, entries);
          let balance = 0n;
          for (const month of monthsOf(year)) {
            const ofMonth = entries.filter((entry) => atOf(entry).startsWith(month));
            const changed = ofMonth.reduce((sum, { movement, nanos }) => sum + movement.sign * nanos, 0n);
            const rows = await allRows(accountId, month, size);
            const sums = await readMonth(rig.database, accountId, month);
            expect(sums.openingNanos).toBe(balance);
            for (const row of rows) {
              balance += BigInt(row.change_nanos);
              expect(row.balance_after_nanos).toBe(String(balance));
              expect(parseUsd(row.change_usd)).toBe(BigInt(row.change_nanos));
            }
            expect(balance).toBe(sums.openingNanos + changed);
            expect(await closingOf(accountId, month)).toBe(balance);
            // One row for each entry that is no usage, one for each day of it.
            const own = ofMonth.filter(({ movement }) => movement.own);
            expect(rows.filter(({ usage }) => usage === null)).toHaveLength(own.length);
            const days = rows.filter(({ usage }) => usage !== null).map(({ day }) => day);
            expect(days).toEqual([...new Set(days)].sort());
            expect(rows.every(({ day }) => day.startsWith(month))).toBe(true);
          }
          const listed = await readMonths(rig.database, {
            accountId,
            current: `${year}-04`,
            before: "9999-99",
            limit: 50,
          });
          for (const sums of listed)
            expect(sums).toEqual(await readMonth(rig.database, accountId, sums.month));
          expect(listed[0]?.month).toBe(`${year}-04`);
        },
      ),
      { numRuns: 25 },
    );
  });

  it("is exported with a line for both balances, in dollars that add up", async () => {
    year += 1;
    const { accountId } = await rig.account(0n);
    await write(accountId, [
      entry(10, "credit", 2_500_000_000n),
      entry(20, "post", 1n),
      entry(1_450, "settle", 400_000_000n),
      entry(1_460, "release", 70_000_000n),
    ]);
    let csv = "";
    for await (const piece of monthCsv(rig.database, accountId, `${year}-01`)) csv += piece;
    const [head = "", ...lines] = csv.trimEnd().split("\r\n");
    const cells = lines.map((line) => line.split(","));
    expect(head).toMatch(/^day,at,kind,amount_usd,change_usd,balance_after_usd,/);
    expect(cells.map(([, , kind]) => kind)).toEqual([
      ...["opening_balance", "credit", "usage", "refund", "usage", "closing_balance"],
    ]);
    const changes = cells.reduce((sum, [, , , , change]) => sum + parseUsd(change || "0"), 0n);
    expect(formatUsd(changes)).toBe(cells.at(-1)?.[5]);
    expect(cells[2]?.slice(3, 9)).toEqual([
      "0.000000001",
      "-0.000000001",
      "2.499999999",
      "0",
      "0.000000001",
      "0",
    ]);
  });

  it("equals the balance and the receipts with several processes posting, and after the usage log's day is gone", async () => {
    const callers: Caller[] = [];
    for (let count = 0; count < 3; count += 1) callers.push(await rig.account(10_000n * TOKEN_NANOS));
    const processes = await Promise.all(["one", "two", "three"].map((name) => rig.start(name)));
    for (let round = 0; round < 4; round += 1) {
      await Promise.all(
        processes.flatMap((billing, index) =>
          callers.map((_, place) => serve(billing, callers[(place + index) % 3] as Caller, 10, 7)),
        ),
      );
    }
    await Promise.all(processes.map((billing) => billing.drain()));
    const [first] = callers as [Caller];
    const { accountId } = first;
    const gift = { accountId, amountNanos: 5n, idempotencyKey: "a gift", reason: "thanks" };
    await transferByOperator(rig.database, systemClock, gift, DEFAULT_WAIT_LIMITS);
    await bear(rig.database, first, 3n);

    const month = new Date(systemClock.nowMs()).toISOString().slice(0, 7);
    const before = await statementOf(accountId, month);
    const usage = before.rows.filter((row) => row.kind === "usage");
    const total = (amounts: readonly string[]) => amounts.reduce((sum, nanos) => sum + BigInt(nanos), 0n);
    expect(total(usage.map((row) => row.amount_nanos))).toBe(12n * 7n * TOKEN_NANOS);
    expect(usage.reduce((sum, row) => sum + (row.usage?.requests ?? 0), 0)).toBe(12);
    expect(total(usage.map((row) => row.usage?.absorbed_nanos ?? "0"))).toBe(3n);
    expect(before.closing).toBe((await rig.balance(first)).balanceNanos);
    expect(before.rows.map(({ kind }) => kind).filter((kind) => kind !== "usage")).toEqual([
      "opening",
      "credit",
    ]);

    for (const { day } of usage) {
      await rig.database.transaction(async (tx) => {
        await archiveUsageDay(tx, day);
        await tx.execute(`drop table usage_${day.replaceAll("-", "")}`);
      });
    }
    expect(await statementOf(accountId, month)).toEqual(before);
    // The loss stands for no request.
    const { breaches } = await rig.verify();
    expect(breaches.map(({ rule }) => rule)).not.toContain("balance_days_equal_transfers");
  });
});

function entry(minutes: number, kind: DrawnEntry["movement"]["kind"], nanos: bigint): DrawnEntry {
  const movement = MOVEMENTS.find((each) => each.kind === kind);
  if (movement === undefined) throw new Error(`no ${kind}`);
  return { minutes, movement, nanos };
}

async function statementOf(accountId: AccountId, month: string) {
  return { rows: await allRows(accountId, month), closing: await closingOf(accountId, month) };
}
