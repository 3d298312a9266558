import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type BillingRig,
  createBillingRig,
  order,
  serve,
  TOKEN_NANOS,
} from "../../../test/support/billing.ts";
import type { Budget, Caller } from "../../accounts/caller.ts";
import { systemTimers } from "../../base/async/timers.ts";
import { systemClock } from "../../base/clock.ts";
import { GatewayError } from "../../errors.ts";
import { silentLog } from "../../observe/log.ts";
import { listAlertDeliveries } from "../../webhooks/webhooks-store.ts";
import type { JournalBilling } from "../journal/journal-billing.ts";
import { ledgersOf } from "../leases/ledger-ref.ts";
import { openTaskBilling } from "../task-billing.ts";
import { watchMoney } from "./alerts.ts";
import { fireBudgetAlerts } from "./alerts-store.ts";
import {
  type BudgetTerms,
  findBudget,
  insertBudget,
  type NearestPlace,
  readNearestBudgets,
  spentOfBudgets,
  updateBudget,
} from "./budgets-store.ts";
import { lackingLedger } from "./ledger-store.ts";

let rig: BillingRig;
beforeAll(async () => {
  rig = await createBillingRig();
});
afterAll(() => rig.close());

const HOLD = 100n * TOKEN_NANOS;
const TARGET = { format: "slack", url: "https://hooks.example/T1" } as const;

/** The caller with a budget that the database has too. */
async function budgeted(
  caller: Caller,
  { model = null, ...terms }: Partial<BudgetTerms> & { readonly model?: string | null },
): Promise<Caller> {
  const budget = {
    name: `budget ${caller.budgets.length}`,
    amountNanos: 10n * HOLD,
    period: "month",
    hard: true,
    alertPercents: [50, 80, 100],
    alertTargets: [TARGET],
    ...terms,
  } as const;
  const scope = { accountId: caller.accountId, userId: null, keyId: null, model };
  const id = await insertBudget(rig.database, { ...budget, ...scope });
  return { ...caller, budgets: [...caller.budgets, { id, model, ...budget }] };
}

async function outcomeOf(billing: JournalBilling | undefined, caller: Caller): Promise<string> {
  if (billing === undefined) throw new Error("no gateway");
  try {
    await serve(billing, caller, 100);
    return "served";
  } catch (error) {
    billing.refused(error);
    return error instanceof GatewayError ? error.code : String(error);
  }
}

const spentOf = async (budget: Budget | undefined) =>
  budget && (await spentOfBudgets(rig.database, [budget], systemClock.nowMs())).get(budget.id);

describe("a hard budget", () => {
  it.each(["day", "week", "month"] as const)(
    "of a %s holds exactly over three processes and all keys of the account",
    async (period) => {
      const caller = await budgeted(await rig.account(1_000n * HOLD), { period });
      const keys = [caller, { ...caller, keyId: (caller.keyId + 1_000_000n) as Caller["keyId"] }];
      const gateways = await Promise.all(["a", "b", "c"].map((name) => rig.start(`${period}-${name}`)));
      const outcomes = await Promise.all(
        Array.from({ length: 90 }, (_, index) => outcomeOf(gateways[index % 3], keys[index % 2] ?? caller)),
      );
      expect(outcomes.filter((outcome) => outcome === "served")).toHaveLength(10);
      expect(new Set(outcomes)).toEqual(new Set(["served", "insufficient_user_quota"]));
      await Promise.all(gateways.map((billing) => billing.drain()));
      expect((await rig.balance(caller)).balanceNanos).toBe(990n * HOLD);
      expect(await spentOf(caller.budgets[0])).toBe(10n * HOLD);
      expect((await rig.verify()).breaches).toEqual([]);
    },
  );

  it("of a model refuses that model only, and the smallest of several budgets decides", async () => {
    const wide = await budgeted(await rig.account(1_000n * HOLD), { amountNanos: 5n * HOLD });
    const caller = await budgeted(wide, { amountNanos: 2n * HOLD, model: "text-large" });
    const billing = await rig.start("models");
    const other = async () => {
      const hold = await billing.take({ ...order(caller, HOLD), model: "text-small" });
      await hold.begun;
      await hold.settle({ reason: "client_aborted_before_output", usage: {}, estimated: false } as never);
    };
    expect([await outcomeOf(billing, caller), await outcomeOf(billing, caller)]).toEqual([
      "served",
      "served",
    ]);
    await expect(serve(billing, caller, 100)).rejects.toThrow(/budget "budget 1" of \$0\.0006 leaves/);
    await other();
    await billing.drain();
    expect(await spentOf(caller.budgets[0])).toBe(2n * HOLD);
    expect((await rig.verify()).breaches).toEqual([]);
  });

  it("that is smallest is the one that a refusal names, of text and of tasks", async () => {
    const wide = await budgeted(await rig.account(100n * HOLD), { name: "wide", amountNanos: 2n * HOLD });
    const caller = await budgeted(wide, { name: "narrow", amountNanos: HOLD });
    const billing = await rig.start("narrow");
    await expect(serve(billing, caller, 300)).rejects.toThrow(/budget "narrow"/);
    await billing.drain();
    const amount = { ledgers: ledgersOf(caller, systemClock.nowMs()), amountNanos: 3n * HOLD };
    const ids = amount.ledgers.map(({ id }) => id);
    const allowances = amount.ledgers.map(({ allowanceNanos }) => allowanceNanos);
    const { outcome } = await rig.database.one<{ outcome: string }>(
      "select take_hold('task', $1::text[], $2::int8[], $3) as outcome",
      [ids, allowances, amount.amountNanos],
    );
    expect(outcome).toBe(`insufficient ${ids[2]}`);
    expect(await lackingLedger(rig.database, amount.ledgers, amount.amountNanos)).toBe(ids[2]);
  });

  it("says what is left, until when, and whom to ask", async () => {
    const caller = await budgeted(await rig.account(10n * HOLD), { amountNanos: HOLD, name: 'the "lab"' });
    const billing = await rig.start("words");
    await serve(billing, caller, 100);
    await expect(serve(billing, caller, 100)).rejects.toThrow(
      /more than the account's budget "the \\"lab\\"" of \$0\.0003 leaves\. .* or wait until \d{4}-\d\d-01T00:00:00Z, when the budget resets, or ask an owner of the account to raise the budget\.$/,
    );
    await expect(billing.requireFunds(caller)).rejects.toThrow(/budget .* is used up\. Wait until/);
    await billing.drain();
  });

  it("counts tasks with text, and refuses either once it is used up", async () => {
    const caller = await budgeted(await rig.account(100n * HOLD), { amountNanos: 3n * HOLD });
    const billing = await rig.start("tasks");
    await serve(billing, caller, 200);
    await billing.drain();
    const refused: string[] = [];
    const tasks = openTaskBilling(rig.database, {
      clock: systemClock,
      timers: systemTimers,
      waitLimits: () => ({ balanceWaiting: 10, balanceWaitMs: 1_000 }),
      onInsufficient: ({ id }) => void refused.push(id),
    });
    const ledgers = ledgersOf(caller, systemClock.nowMs(), "video");
    await expect(tasks.requireFunds({ ledgers, amountNanos: HOLD })).resolves.toBeUndefined();
    await expect(tasks.requireFunds({ ledgers, amountNanos: HOLD + 1n })).rejects.toThrow(
      /budget "budget 0"/,
    );
    expect(refused).toEqual([ledgers[1]?.id]);
  });

  it("follows when it is raised", async () => {
    const caller = await budgeted(await rig.account(10n * HOLD), { amountNanos: HOLD });
    const [budget] = caller.budgets;
    const raised = {
      ...caller,
      budgets: caller.budgets.map((each) => ({ ...each, amountNanos: 2n * HOLD })),
    };
    const billing = await rig.start("raised");
    expect(await outcomeOf(billing, caller)).toBe("served");
    expect(await outcomeOf(billing, caller)).toBe("insufficient_user_quota");
    expect(await outcomeOf(billing, raised)).toBe("served");
    expect(await outcomeOf(billing, raised)).toBe("insufficient_user_quota");
    await billing.drain();
    expect(await spentOf(budget)).toBe(2n * HOLD);
    expect((await rig.verify()).breaches).toEqual([]);
  });
});

describe("the budgets of all accounts", () => {
  it("come with those nearest to their amount first, in pages that miss none", async () => {
    const amounts = [4n * HOLD, HOLD / 2n, 2n * HOLD];
    const billing = await rig.start("nearest");
    const ids: bigint[] = [];
    for (const amountNanos of amounts) {
      const caller = await budgeted(await rig.account(10n * HOLD), { amountNanos, hard: false });
      await serve(billing, caller, 100);
      ids.push(caller.budgets[0]?.id ?? 0n);
    }
    await billing.drain();
    const unspent = (await budgeted(await rig.account(10n * HOLD), {})).budgets[0]?.id ?? 0n;
    const found: bigint[] = [];
    const nowMs = systemClock.nowMs();
    for (let after: NearestPlace | null = null; ; ) {
      const page: NearestPlace[] = await readNearestBudgets(rig.database, { after, most: 2, nowMs });
      for (const { id } of page) found.push(id);
      after = page.at(-1) ?? null;
      if (after === null) break;
    }
    const [quarter, twice, half] = ids;
    const wanted = [twice, half, quarter, unspent];
    expect(found.filter((id) => wanted.includes(id))).toEqual(wanted);
    const { count } = await rig.database.one<{ count: bigint }>("select count(*) from budgets");
    expect(new Set(found).size).toBe(Number(count));
  });
});

describe("a budget that only alerts", () => {
  it("refuses nothing and counts everything", async () => {
    const caller = await budgeted(await rig.account(9n * HOLD), { amountNanos: HOLD, hard: false });
    const billing = await rig.start("soft");
    for (let request = 0; request < 4; request += 1) expect(await outcomeOf(billing, caller)).toBe("served");
    await billing.drain();
    expect(await spentOf(caller.budgets[0])).toBe(4n * HOLD);
    expect((await rig.verify()).breaches).toEqual([]);
  });
});

describe("an alert of a budget", () => {
  const fire = async (exhausted: string[] = []): Promise<void> => {
    await Promise.all(Array.from({ length: 6 }, () => fireBudgetAlerts(rig.database, exhausted)));
  };
  const told = async (caller: Caller) =>
    (await listAlertDeliveries(rig.database, caller.accountId, 20)).map(({ event, url }) => ({ event, url }));
  const percents = async (caller: Caller) =>
    (
      await rig.database.query<{ percent: number }>(
        `select (data ->> 'percent')::int4 as percent from webhook_deliveries where account_id = $1 order by id`,
        [caller.accountId],
      )
    ).map(({ percent }) => percent);

  it("fires once per percentage and period, however many processes look", async () => {
    const caller = await budgeted(await rig.account(100n * HOLD), { hard: false });
    const billing = await rig.start("alerts");
    const seen: number[][] = [];
    let sum = 0n;
    for (const tokens of [400, 100, 200, 200, 200, 500]) {
      await serve(billing, caller, tokens);
      sum += BigInt(tokens) * TOKEN_NANOS;
      await expect.poll(() => spentOf(caller.budgets[0]), { timeout: 60_000 }).toBe(sum);
      await fire();
      seen.push(await percents(caller));
    }
    expect(seen).toEqual([[], [50], [50], [50, 80], [50, 80, 100], [50, 80, 100]]);
    await billing.drain();
    expect(await told(caller)).toEqual(Array(3).fill({ event: "budget.reached", url: TARGET.url }));
  });

  it("tells the highest percentage only if several are reached at once", async () => {
    const caller = await budgeted(await rig.account(100n * HOLD), { amountNanos: HOLD, hard: false });
    const billing = await rig.start("at-once");
    await serve(billing, caller, 90);
    await billing.drain();
    await fire();
    expect(await percents(caller)).toEqual([80]);
  });

  it("counts a hard budget as reached when a request is refused since its rest is too small", async () => {
    const caller = await budgeted(await rig.account(100n * HOLD), { amountNanos: HOLD + HOLD / 2n });
    const watch = watchMoney({ database: rig.database, timers: systemTimers, log: silentLog, beatMs: 20 });
    const billing = await rig.start("exhausted", { onInsufficient: watch.refused });
    try {
      await serve(billing, caller, 100);
      expect(await outcomeOf(billing, caller)).toBe("insufficient_user_quota");
      await expect.poll(() => percents(caller), { timeout: 60_000 }).toContain(100);
    } finally {
      await watch.stop();
      await billing.drain();
    }
  });

  it("is armed anew by another amount", async () => {
    const caller = await budgeted(await rig.account(100n * HOLD), { amountNanos: HOLD, hard: false });
    const [budget] = caller.budgets;
    const billing = await rig.start("rearmed");
    await serve(billing, caller, 60);
    await billing.drain();
    await fire();
    const stored = await findBudget(rig.database, caller.accountId, budget?.id ?? 0n);
    if (stored === undefined) throw new Error("no budget");
    await updateBudget(rig.database, stored.id, { ...stored, name: "another name" });
    await fire();
    expect(await percents(caller)).toEqual([50]);
    await updateBudget(rig.database, stored.id, { ...stored, amountNanos: HOLD - HOLD / 4n });
    await fire();
    expect(await percents(caller)).toEqual([50, 80]);
  });
});
