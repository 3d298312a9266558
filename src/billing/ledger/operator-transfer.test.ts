import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type BillingRig,
  completed,
  createBillingRig,
  order,
  TOKEN_NANOS,
} from "../../../test/support/billing.ts";
import type { Caller } from "../../accounts/caller.ts";
import { systemClock } from "../../base/clock.ts";
import { DEFAULT_WAIT_LIMITS } from "../../catalog/settings.ts";
import type { TransferOutcome } from "./ledger-store.ts";
import { grantOpeningBalance } from "./ledger-store.ts";
import { transferByOperator } from "./operator-transfer.ts";

let rig: BillingRig;
beforeAll(async () => {
  rig = await createBillingRig();
});
afterAll(() => rig.close());

describe("an operator's transfer", () => {
  it("moves money once per idempotency key, also when sent many times at once", async () => {
    const caller = await rig.account(100n);
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => move(caller, 50n, "top-up")));
    expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(["done", ...Array(9).fill("repeated")]);
    expect((await move(caller, 60n, "top-up")).outcome).toBe("conflict");
    expect((await rig.balance(caller)).balanceNanos).toBe(150n);
  });

  it("refuses a key that is moving another account's money at the same moment", async () => {
    const callers = [await rig.account(100n), await rig.account(100n)];
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const { accountId } = callers[index % 2] as Caller;
        const transfer = { accountId, amountNanos: 50n, idempotencyKey: "of two accounts", reason: "a test" };
        return transferByOperator(rig.database, systemClock, transfer, DEFAULT_WAIT_LIMITS);
      }),
    );
    const told = outcomes.map(({ outcome }) => outcome).sort();
    expect(told).toEqual([...Array(10).fill("conflict"), "done", ...Array(9).fill("repeated")]);
  });

  it("never takes more than there is", async () => {
    const caller = await rig.account(100n);
    expect((await move(caller, -101n, "too-much")).outcome).toBe("insufficient");
    expect((await move(caller, -100n, "all")).outcome).toBe("done");
    expect((await rig.balance(caller)).balanceNanos).toBe(0n);
  });

  it("recalls what processes have leased, but not what requests hold", async () => {
    const caller = await rig.account(1_000n * TOKEN_NANOS);
    const billing = await rig.start("recalled");
    const running = await billing.take(order(caller, 100n * TOKEN_NANOS));
    // So that the lease has more than is held.
    await (await billing.take(order(caller, 800n * TOKEN_NANOS))).settle(completed(0));
    expect((await move(caller, -850n * TOKEN_NANOS, "recall")).outcome).toBe("done");
    expect((await rig.balance(caller)).balanceNanos).toBe(150n * TOKEN_NANOS);
    await running.settle(completed(100));
    expect(await billing.drain()).toBe(true);
    expect((await rig.balance(caller)).balanceNanos).toBe(50n * TOKEN_NANOS);
    expect((await rig.verify()).breaches).toEqual([]);
  });
});

describe("an opening balance", () => {
  it("is granted once, whatever amount comes later", async () => {
    const caller = await rig.account(100n);
    expect(await grantOpeningBalance(rig.database, caller.accountId, 500n)).toBe(false);
    expect((await rig.balance(caller)).balanceNanos).toBe(100n);
  });
});

describe("transfers", () => {
  it.each(["update transfers set amount = amount + 1", "delete from transfers", "truncate transfers"])(
    "are never changed: %s",
    async (statement) => {
      await expect(rig.database.execute(statement)).rejects.toThrow("never changed or removed");
    },
  );
});

function move(
  caller: Caller,
  amountNanos: bigint,
  idempotencyKey: string,
  wait = DEFAULT_WAIT_LIMITS,
): Promise<TransferOutcome> {
  const transfer = {
    accountId: caller.accountId,
    amountNanos,
    idempotencyKey: `${caller.accountName} ${idempotencyKey}`,
    reason: "a test",
  };
  return transferByOperator(rig.database, systemClock, transfer, wait);
}
