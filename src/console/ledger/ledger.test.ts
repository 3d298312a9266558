import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bear } from "../../../test/support/absorbed-loss.ts";
import {
  type BillingRig,
  completed,
  createBillingRig,
  order,
  TOKEN_NANOS,
} from "../../../test/support/billing.ts";
import { systemClock } from "../../base/clock.ts";
import type { LedgerReport } from "../../billing/verify.ts";
import type { ConsoleDeps } from "../deps.ts";
import type { Call, JsonOperation } from "../operation.ts";
import { readLosses, readQuarantine, readVendorCosts, totalLoss } from "./ledger-books-store.ts";
import { verify } from "./verify.ts";

let rig: BillingRig;
beforeAll(async () => {
  rig = await createBillingRig();
});
afterAll(() => rig.close());

describe("the books, for operators", () => {
  it("name what vendors say beside what was charged for exactly those answers, and who says nothing", async () => {
    const caller = await rig.account(1_000n * TOKEN_NANOS);
    const billing = await rig.start("costs");
    const answers = [
      { upstream: "telling", raw: { input_tokens: 10, cost: 0.000021 } },
      { upstream: "telling", raw: { input_tokens: 10, cost: 0.00000000125 } },
      { upstream: "telling", raw: { input_tokens: 10, cost: "a lot" } },
      { upstream: "silent", raw: null },
    ];
    for (const answer of answers) {
      const hold = await billing.take(order(caller, 10n * TOKEN_NANOS));
      await hold.begun;
      await hold.settle({ ...completed(10), ...answer });
    }
    await billing.drain();
    const { text, tasks } = await readVendorCosts(rig.database, 1, 10_000);
    expect(tasks).toEqual([]);
    expect(text).toEqual([
      {
        ...{ upstream: "silent", answers: 1, chargedNanos: 10n * TOKEN_NANOS },
        ...{ reporting: 0, reportingChargedNanos: 0n, reportedCost: null },
      },
      {
        ...{ upstream: "telling", answers: 3, chargedNanos: 30n * TOKEN_NANOS },
        ...{ reporting: 2, reportingChargedNanos: 20n * TOKEN_NANOS, reportedCost: "0.000021001" },
      },
    ]);
  });

  it("list what the house bore, newest first, and lines that were refused", async () => {
    const caller = await rig.account(10n * TOKEN_NANOS);
    const billing = await rig.start("loss");
    const hold = await billing.take(order(caller, 10n * TOKEN_NANOS));
    await hold.begun;
    await hold.settle(completed(10));
    await billing.drain();
    await bear(rig.database, caller, 3n * TOKEN_NANOS);
    expect(await totalLoss(rig.database)).toBe(3n * TOKEN_NANOS);
    const [loss, ...others] = await readLosses(rig.database, null, 10);
    expect(others).toEqual([]);
    expect(loss).toMatchObject({
      kind: "post",
      amountNanos: 3n * TOKEN_NANOS,
      account: { name: caller.accountName },
    });
    expect(await readLosses(rig.database, loss?.id ?? 0n, 10)).toEqual([]);
    await rig.database.execute(
      `insert into quarantined_lines values ('s', 7, $1, 5, '{"at":1,"request":"req_1","model":"text"}', '{}', 'too long')`,
      [`account:${caller.accountId}`],
    );
    expect(await readQuarantine(rig.database, null, 10)).toMatchObject([
      { line: 7n, requestId: "req_1", model: "text", account: { name: caller.accountName } },
    ]);
    expect(await readQuarantine(rig.database, { spool: "s", line: 7n }, 10)).toEqual([]);
  });

  it("are verified by one person at a time, and not for ever", async () => {
    let finish = (_report: LedgerReport): void => undefined;
    let fail = (_error: Error): void => undefined;
    const verifyLedger = () =>
      new Promise<LedgerReport>((resolve, reject) => {
        finish = resolve;
        fail = reject;
      });
    const { run } = verify({ verifyLedger, clock: systemClock } as unknown as ConsoleDeps) as JsonOperation;
    const call = {} as Call<unknown, unknown>;
    const first = run(call);
    await expect(run(call)).rejects.toMatchObject({ reason: "conflict" });
    finish(await rig.verify());
    expect(await first).toMatchObject({ ok: false, revenue_nanos: String(53n * TOKEN_NANOS) });
    const second = run(call);
    fail(Object.assign(new Error("canceling statement due to statement timeout"), { code: "57014" }));
    await expect(second).rejects.toMatchObject({ reason: "service_unavailable" });
    const third = run(call);
    finish(await rig.verify());
    await third;
  });
});
