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
import type { LedgerReport } from "../../billing/ledger/verify.ts";
import type { ConsoleDeps } from "../deps.ts";
import type { Call, JsonOperation } from "../operation.ts";
import type { WriteOffs } from "./contract.ts";
import {
  readLosses,
  readQuarantine,
  readVendorCosts,
  readWriteOffs,
  totalLoss,
  totalWrittenOff,
} from "./ledger-books-store.ts";
import { ledgerOperations, verify } from "./operations.ts";

let rig: BillingRig;
beforeAll(async () => {
  rig = await createBillingRig();
});
afterAll(() => rig.close());

describe("the books, for operators", () => {
  it("name what vendors say beside what was charged for exactly those answers, and who says nothing", async () => {
    const caller = await rig.account(1_000n * TOKEN_NANOS);
    const billing = await rig.start("costs");
    const responses = [
      { upstream: "telling", raw: { input_tokens: 10, cost: 0.000021 } },
      { upstream: "telling", raw: { input_tokens: 10, cost: 0.00000000125 } },
      { upstream: "telling", raw: { input_tokens: 10, cost: "a lot" } },
      { upstream: "silent", raw: null },
    ];
    for (const response of responses) {
      const hold = await billing.take(order(caller, 10n * TOKEN_NANOS));
      await hold.begun;
      await hold.settle({ ...completed(10), ...response });
    }
    await billing.drain();
    const { text, tasks } = await readVendorCosts(rig.database, 1, 10_000);
    expect(tasks).toEqual([]);
    expect(text).toEqual([
      {
        upstream: "silent",
        responses: 1,
        chargedNanos: 10n * TOKEN_NANOS,
        reporting: 0,
        reportingChargedNanos: 0n,
        reportedCost: null,
      },
      {
        upstream: "telling",
        responses: 3,
        chargedNanos: 30n * TOKEN_NANOS,
        reporting: 2,
        reportingChargedNanos: 20n * TOKEN_NANOS,
        reportedCost: "0.000021001",
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
      `insert into quarantined_records values ('s', 7, $1, 5, '{"at":1,"request":"req_1","model":"text"}', '{}', 'too long')`,
      [`account:${caller.accountId}`],
    );
    expect(await readQuarantine(rig.database, null, 10)).toMatchObject([
      { record: 7n, requestId: "req_1", model: "text", account: { name: caller.accountName } },
    ]);
    expect(await readQuarantine(rig.database, { journal: "s", record: 7n }, 10)).toEqual([]);
  });

  it("list what was written off, newest first and page by page, with its sum", async () => {
    const caller = await rig.account(50n * TOKEN_NANOS);
    const billing = await rig.start("write-offs");
    for (const [request, tokens] of [
      ["req_within", 10],
      ["req_first", 60],
      ["req_second", 7],
    ] as const) {
      const hold = await billing.take(
        order(caller, request === "req_second" ? 0n : 10n * TOKEN_NANOS, request),
      );
      await hold.begun;
      await hold.settle({
        ...completed(tokens),
        ...(request === "req_second" && { implausible: [{ field: "output", reported: 1e9, most: 100 }] }),
      });
    }
    await billing.drain();
    const list = ledgerOperations({ database: rig.database } as ConsoleDeps).find(
      ({ path }) => path === "/operator/ledger/write-offs",
    ) as JsonOperation;
    const page = (query: object) => list.run({ query } as Call<unknown, unknown>) as Promise<WriteOffs>;
    const first = await page({ limit: 1 });
    expect(first).toMatchObject({
      total_nanos: String(27n * TOKEN_NANOS),
      data: [
        {
          request_id: "req_second",
          why: "impossible_usage",
          charge_nanos: "0",
          reason: "completed",
          amount_nanos: String(7n * TOKEN_NANOS),
          model: "text-large",
          upstream: "sandbox",
          implausible: [{ field: "output", reported: 1e9, most: 100 }],
          account: { id: String(caller.accountId), name: caller.accountName },
        },
      ],
    });
    const second = await page({ limit: 1, after: first.next ?? "" });
    expect(second).toMatchObject({
      data: [
        {
          request_id: "req_first",
          why: "beyond_money",
          implausible: [],
          charge_nanos: String(40n * TOKEN_NANOS),
          amount_nanos: String(20n * TOKEN_NANOS),
        },
      ],
      next: null,
    });
  });

  it("read an index of the write-offs alone, however long the log is", async () => {
    await rig.database.execute(
      `insert into usage (request_id, accepted_at, ended_at, account_id, key_id, model, endpoint, streamed, status,
         reason, attempts, total_ms, estimated, hostile, price_id, rates, factor_ppm, hold_nanos, charge_nanos,
         ledgers, losses, journal, record_number, written_off_nanos)
       select 'req_many_' || n, now(), now(), 1, 1, 'text', 'messages', false, 200, 'completed', 1, 1, false, '{}', 1,
              '{}', 1000000, 0, 0, '{}', '{}', 'many', n, case when n % 2000 = 0 then 1 else 0 end
         from generate_series(1, 20000) n`,
    );
    await rig.database.execute("analyze usage");
    const plans: string[] = [];
    const explaining = {
      ...rig.database,
      query: async (text: string, values?: readonly unknown[]) => {
        const rows = await rig.database.query<{ "QUERY PLAN": string }>(`explain ${text}`, values);
        plans.push(rows.map((row) => row["QUERY PLAN"]).join("\n"));
        return [];
      },
      one: (text: string) => explaining.query(text).then(() => ({ total: 0n })),
    };
    await readWriteOffs(explaining as never, { micros: BigInt(Date.now()) * 1_000n, id: "req_many" }, 50);
    await totalWrittenOff(explaining as never);
    expect(plans).toHaveLength(2);
    for (const plan of plans) {
      expect(plan).toMatch(/Index (Only )?Scan/);
      expect(plan).not.toMatch(/Seq Scan on usage|\bSort\b/);
    }
  });

  it("are verified by one user at a time, and not for ever", async () => {
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
    expect(await first).toMatchObject({ ok: false, revenue_nanos: String(103n * TOKEN_NANOS) });
    const second = run(call);
    fail(Object.assign(new Error("canceling statement due to statement timeout"), { code: "57014" }));
    await expect(second).rejects.toMatchObject({ reason: "service_unavailable" });
    const third = run(call);
    finish(await rig.verify());
    await third;
  });
});
