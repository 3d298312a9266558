import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bear } from "../../../test/support/absorbed-loss.ts";
import {
  type BillingRig,
  completed,
  createBillingRig,
  order,
  serve,
  TOKEN_NANOS,
} from "../../../test/support/billing.ts";
import type { Caller } from "../../accounts/caller.ts";
import { systemClock } from "../../base/clock.ts";
import { transferByOperator } from "../../billing/ledger/operator-transfer.ts";
import { DEFAULT_WAIT_LIMITS } from "../../catalog/settings.ts";
import type { StatementEntry, StatementView } from "./contract.ts";
import { readStatementPage, statementCsv } from "./operations.ts";
import { readEntryRequests } from "./statement-store.ts";

const GRANT = 1_000n * TOKEN_NANOS;

let rig: BillingRig;
let caller: Caller;
let requests: string[];
beforeAll(async () => {
  rig = await createBillingRig();
  caller = await rig.account(GRANT);
  const billing = await rig.start("one");
  requests = [await serve(billing, caller, 10), await serve(billing, caller, 20, 5)];
  await billing.drain();
  await hold("task:a", 100n);
  await hold("task:b", 50n);
  await resolve("task:a", 100n, 70n);
  await resolve("task:b", 50n, null);
  const transfer = {
    accountId: caller.accountId,
    amountNanos: 7n,
    idempotencyKey: "thanks",
    reason: '=SUM(A1), "thanks"',
  };
  await transferByOperator(rig.database, systemClock, transfer, DEFAULT_WAIT_LIMITS);
});
afterAll(() => rig.close());

describe("a statement", () => {
  it("names every entry and counts the balance back from today's, over pages of any size", async () => {
    const { balanceNanos } = await rig.balance(caller);
    expect(balanceNanos).toBe(GRANT - 15n * TOKEN_NANOS - 70n + 7n);
    for (const limit of [1, 2, 3, 200]) {
      const entries = await readAll("everything", limit);
      let balance = balanceNanos;
      for (const entry of entries) {
        expect(entry.balance_after_nanos).toBe(String(balance));
        balance -= BigInt(entry.change_nanos);
      }
      expect(balance).toBe(0n);
      expect(entries.at(-1)).toMatchObject({ kind: "opening", change_nanos: String(GRANT) });
    }
    const available = (await readAll("everything", 200)).reduce(
      (sum, entry) => sum + BigInt(entry.available_change_nanos),
      0n,
    );
    expect(available).toBe((await rig.balance(caller)).availableNanos);
  });

  it("says what its entries were for", async () => {
    const changes = await readAll("changes", 200);
    expect(changes.map(({ kind }) => kind).filter((kind) => kind !== "usage")).toEqual([
      ...["credit", "task_return", "task_return", "task_charge", "hold", "hold", "opening"],
    ]);
    expect(changes[0]).toMatchObject({ reason: '=SUM(A1), "thanks"', amount_nanos: "7" });
    expect(changes.find(({ kind }) => kind === "task_charge")).toMatchObject({
      reference: { type: "task", id: "a" },
      amount_nanos: "70",
      change_nanos: "-70",
      available_change_nanos: "0",
    });
    expect(changes.find(({ kind }) => kind === "hold")).toMatchObject({
      change_nanos: "0",
      available_change_nanos: "-50",
    });
  });

  it("leads from what a flush summed up to the requests that make it up", async () => {
    const usage = await readAll("usage", 200);
    const found: string[] = [];
    for (const entry of usage) {
      const { accountId } = caller;
      const wish = { accountId, entryId: BigInt(entry.id), after: null, limit: 100 };
      const rows = await readEntryRequests(rig.database, wish);
      expect(rows).toHaveLength(entry.requests ?? 0);
      expect(rows.reduce((sum, { chargeNanos }) => sum + chargeNanos, 0n)).toBe(BigInt(entry.amount_nanos));
      found.push(...rows.map(({ requestId }) => requestId));
      const other = await rig.account(1n);
      expect(await readEntryRequests(rig.database, { ...wish, accountId: other.accountId })).toEqual([]);
    }
    expect(found.sort()).toEqual([...requests].sort());
  });

  it("is filtered by kind and time, and then says no balance that it cannot know", async () => {
    expect((await readAll("funding", 2)).map(({ kind }) => kind)).toEqual(["credit", "opening"]);
    expect((await readAll("funding", 2))[0]?.balance_after_nanos).toBeNull();
    expect(await readAll("tasks", 2)).toHaveLength(5);
    const all = await readAll("everything", 200);
    const from = all.at(-2)?.at ?? "";
    const late = await readAll("everything", 2, { from: new Date(Date.parse(from) + 1).toISOString() });
    expect(late.length).toBeLessThan(all.length);
    expect(late[0]?.balance_after_nanos).toBe(all[0]?.balance_after_nanos);
    const early = await readAll("everything", 2, { to: from });
    expect(early.every((entry) => entry.at < from && entry.balance_after_nanos === null)).toBe(true);
    expect(await readAll("everything", 5, { to: "2020-01-01T00:00:00Z" })).toEqual([]);
    // Moments that are none to PostgreSQL when it reads them as text.
    for (const to of ["0000-01-01T00:00:00Z", "2020-01-01T00:00:00+19:00"])
      expect(await readAll("everything", 5, { to })).toEqual([]);
  });

  it("is exported in dollars with every digit, and no cell of it is a formula", async () => {
    let csv = "";
    for await (const piece of statementCsv(rig.database, { accountId: caller.accountId, view: "changes" }))
      csv += piece;
    const lines = csv.trimEnd().split("\r\n");
    expect(lines).toHaveLength((await readAll("changes", 200)).length + 1);
    expect(lines[1]).toMatch(
      /^\d+,\d{4}-.*,credit,0\.000000007,0\.000000007,0\.002954937,account:\d+,,"'=SUM\(A1\), ""thanks"""$/,
    );
  });

  it("says what the house bore", async () => {
    const poor = await rig.account(10n * TOKEN_NANOS);
    const billing = await rig.start("poor");
    const open = await billing.take(order(poor, 10n * TOKEN_NANOS));
    await open.begun;
    await open.settle(completed(10));
    await billing.drain();
    await bear(rig.database, poor, 2n * TOKEN_NANOS);
    const { data } = await readStatementPage(rig.database, {
      accountId: poor.accountId,
      view: "usage",
      limit: 10,
    });
    expect(
      data.map(({ kind, amount_nanos, change_nanos }) => [kind, amount_nanos, change_nanos]).sort(),
    ).toEqual([
      ["absorbed_loss", "6000", "0"],
      ["usage", "30000", "-30000"],
    ]);
  });
});

async function readAll(
  view: StatementView,
  limit: number,
  when: { from?: string; to?: string } = {},
): Promise<StatementEntry[]> {
  const entries: StatementEntry[] = [];
  let after: string | undefined;
  do {
    const wish = { accountId: caller.accountId, view, limit, after, ...when };
    const { data, next } = await readStatementPage(rig.database, wish);
    entries.push(...data);
    after = next ?? undefined;
  } while (after !== undefined);
  return entries;
}

async function hold(holder: string, amount: bigint): Promise<void> {
  await rig.database.execute("select take_hold($1, $2, '{null}', $3)", [
    holder,
    [`account:${caller.accountId}`],
    amount,
  ]);
}

async function resolve(holder: string, held: bigint, charged: bigint | null): Promise<void> {
  await rig.database.execute("select resolve_hold($1, $2, $3, $4)", [
    holder,
    [`account:${caller.accountId}`],
    held,
    charged,
  ]);
}
