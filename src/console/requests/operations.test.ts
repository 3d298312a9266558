import { afterAll, beforeAll, expect, it } from "vitest";
import {
  type BillingRig,
  completed,
  createBillingRig,
  eventually,
  order,
} from "../../../test/support/billing.ts";
import type { Caller } from "../../accounts/caller.ts";
import type { JournalBilling } from "../../billing/journal/journal-billing.ts";
import { createReceiptReader, type ReadReceipt } from "../../billing/usage-log/receipts.ts";
import { type RecordedRequest, readRecordedRequest } from "./operations.ts";

let rig: BillingRig;
let billing: JournalBilling;
let caller: Caller;
beforeAll(async () => {
  rig = await createBillingRig();
  billing = await rig.start("recorded");
  caller = await rig.account(1_000_000_000n);
});
afterAll(() => rig.close());

it("has a row exactly where its receipt is posted, even if that happens between the two", async () => {
  const hold = await billing.take(order(caller, 1_000n, "posted-meanwhile"));
  const running = await read("posted-meanwhile", async () => {
    await hold.settle(completed(0));
    await eventually(() => billing.counts().unposted === 0);
  });
  expect(running).toMatchObject({ receipt: { state: "running" }, row: undefined });
  expect(await read("posted-meanwhile")).toMatchObject({
    receipt: { state: "posted" },
    row: { requestId: "posted-meanwhile", upstreamModel: "text-large" },
  });
});

it("is not there for an id that nobody has, or that no id can look like", async () => {
  expect(await read("unknown")).toBeUndefined();
  expect(await read("' or true")).toBeUndefined();
});

/** `meanwhile` happens between the reading of the receipt and of the row. */
function read(id: string, meanwhile = async (): Promise<void> => {}): Promise<RecordedRequest | undefined> {
  const reader = createReceiptReader(rig.database, billing);
  const readReceipt: ReadReceipt = async (...asked) => {
    const receipt = await reader(...asked);
    await meanwhile();
    return receipt;
  };
  return readRecordedRequest({ database: rig.database, readReceipt }, caller.accountId, id);
}
