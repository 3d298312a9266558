import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BillingRig, createBillingRig, eventually } from "../../../test/support/billing.ts";
import type { Caller } from "../../accounts/caller.ts";
import { systemTimers } from "../../base/async/timers.ts";
import { systemClock } from "../../base/clock.ts";
import { DEFAULT_WAIT_LIMITS } from "../../catalog/settings.ts";
import { silentLog } from "../../observe/log.ts";
import { createWebhooks, type SendWebhook } from "../../webhooks/webhooks.ts";
import { listAlertDeliveries } from "../../webhooks/webhooks-store.ts";
import { watchMoney } from "./alerts.ts";
import { deleteAlert, findAlert, fireBalanceAlerts, writeAlert } from "./alerts-store.ts";
import { transferByOperator } from "./operator-transfer.ts";

let rig: BillingRig;
beforeAll(async () => {
  rig = await createBillingRig();
});
afterAll(() => rig.close());

const ALERT = { thresholdNanos: 100n, url: "https://hooks.example/low", emails: [] };

describe("the alert of a low balance", () => {
  it("fires once each time the balance falls below, however many processes watch it", async () => {
    const caller = await rig.account(150n);
    await writeAlert(rig.database, caller.accountId, ALERT);
    const fired: number[] = [];
    for (const change of [-50n, -1n, -20n, 10n, 61n, -60n, 100n]) {
      await move(caller, change);
      const looks = await Promise.all(Array.from({ length: 6 }, () => fireBalanceAlerts(rig.database)));
      fired.push(looks.reduce((sum, each) => sum + each, 0));
    }
    // 100 is not below 100; 99 is, and stays so down to 79 and up to 89; 150 arms it again; 90.
    expect(fired).toEqual([0, 1, 0, 0, 0, 1, 0]);
    expect(await findAlert(rig.database, caller.accountId)).toMatchObject({ below: false });
    expect(await listAlertDeliveries(rig.database, caller.accountId, 10)).toHaveLength(2);
  });

  it("fires anew under another threshold, and not once it is taken away", async () => {
    const caller = await rig.account(0n);
    await writeAlert(rig.database, caller.accountId, ALERT);
    expect(await fireBalanceAlerts(rig.database)).toBe(1);
    await writeAlert(rig.database, caller.accountId, { ...ALERT, url: "https://hooks.example/other" });
    expect(await fireBalanceAlerts(rig.database)).toBe(0);
    await writeAlert(rig.database, caller.accountId, { ...ALERT, thresholdNanos: 200n });
    expect(await fireBalanceAlerts(rig.database)).toBe(1);
    await writeAlert(rig.database, caller.accountId, { ...ALERT, thresholdNanos: 300n });
    expect(await deleteAlert(rig.database, caller.accountId)).toBe(true);
    expect(await fireBalanceAlerts(rig.database)).toBe(0);
  });

  it("goes once to a webhook and to each e-mail address", async () => {
    const caller = await rig.account(0n);
    await writeAlert(rig.database, caller.accountId, {
      ...ALERT,
      emails: ["a@mail.example", "b@mail.example"],
    });
    const looks = await Promise.all(Array.from({ length: 6 }, () => fireBalanceAlerts(rig.database)));
    expect(looks.reduce((sum, each) => sum + each, 0)).toBe(1);
    const deliveries = await listAlertDeliveries(rig.database, caller.accountId, 10);
    expect(deliveries.map(({ url }) => url).sort()).toEqual([
      ALERT.url,
      "mailto:a@mail.example",
      "mailto:b@mail.example",
    ]);
  });

  it("reaches its receiver, signed, with what is left", async () => {
    const caller = await rig.account(40n);
    const heard: Parameters<SendWebhook>[] = [];
    const webhooks = await createWebhooks({
      database: rig.database,
      clock: systemClock,
      log: silentLog,
      sendMail: () => Promise.reject(new Error("no mail is expected")),
      secretOf: () => Promise.resolve("whsec_test"),
      send(...sent) {
        heard.push(sent);
        return Promise.resolve({ status: 200 });
      },
      recordOf: () => Promise.resolve(undefined),
    });
    const watch = watchMoney({ database: rig.database, timers: systemTimers, log: silentLog, beatMs: 20 });
    try {
      await writeAlert(rig.database, caller.accountId, ALERT);
      const mine = () =>
        heard
          .map(([url, headers, body]) => ({ url, headers, body: JSON.parse(body) }))
          .filter(({ body }) => body.data.account === String(caller.accountId));
      await eventually(() => mine().length > 0);
      const [first] = mine();
      expect(first).toMatchObject({
        url: ALERT.url,
        body: {
          type: "balance.low",
          data: { account_name: caller.accountName, threshold_nanos: "100", available_nanos: "40" },
        },
      });
      expect(first?.headers["x-faregate-signature"]).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
      const delivered = async () => (await listAlertDeliveries(rig.database, caller.accountId, 1))[0];
      await eventually(async () => (await delivered())?.deliveredAt != null);
      expect((await delivered())?.attempts).toMatchObject([{ attempt: 1, status: 200, failure: null }]);
    } finally {
      await watch.stop();
      await webhooks.stop();
    }
  });
});

async function move(caller: Caller, amountNanos: bigint): Promise<void> {
  const transfer = {
    accountId: caller.accountId,
    amountNanos,
    reason: "a test",
    idempotencyKey: `${caller.accountName} ${amountNanos} ${systemClock.monotonicMs()}`,
  };
  await transferByOperator(rig.database, systemClock, transfer, DEFAULT_WAIT_LIMITS);
}
