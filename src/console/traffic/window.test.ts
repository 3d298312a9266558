import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type BillingRig,
  completed,
  createBillingRig,
  order,
  TOKEN_NANOS,
} from "../../../test/support/billing.ts";
import type { Caller } from "../../accounts/caller.ts";
import { readUpstreamDays } from "../upstreams/report-store.ts";
import { figuresOf, rowsBy } from "./traffic.ts";
import { createTrafficWindow } from "./window.ts";

let rig: BillingRig;
let caller: Caller;
beforeAll(async () => {
  rig = await createBillingRig();
  caller = await rig.account(10n ** 15n);
});
afterAll(() => rig.close());

/** Posts requests that an upstream answered, with what its vendor says they cost. */
async function post(journal: string, costs: readonly unknown[]): Promise<void> {
  const billing = await rig.start(journal);
  for (const cost of costs) {
    const hold = await billing.take(order(caller, 1n));
    await hold.begun;
    await hold.settle({ ...completed(10), upstream: "vendor", ...(cost !== undefined && { raw: { cost } }) });
  }
  await billing.drain();
}

describe("the window over the usage log", () => {
  it("shows every request once, however often it is looked at while more are posted", async () => {
    const window = createTrafficWindow({ database: rig.database, slotSeconds: 60, slots: 60 });
    const all = async () => [...(await window.read()).slots.values()].flat();
    expect(await all()).toEqual([]);
    await post("first", [undefined, undefined]);
    const fresh = createTrafficWindow({ database: rig.database, slotSeconds: 60, slots: 60 });
    const cells = [...(await fresh.read()).slots.values()].flat();
    expect(figuresOf(cells)).toMatchObject({
      requests: 2,
      errors: 0,
      charge_nanos: String(20n * TOKEN_NANOS),
    });
    expect(rowsBy("upstream", cells).map(({ name, requests }) => [name, requests])).toEqual([["vendor", 2]]);
    await Promise.all([fresh.read(), fresh.read()]);
    expect(figuresOf([...(await fresh.read()).slots.values()].flat()).requests).toBe(2);
  });
});

describe("the window after the database's clock was set back", () => {
  it("shows what is posted from then on, and not only once the clock has caught up", async () => {
    let nowSeconds = 10_000;
    const posted = [9_990];
    const database = {
      one: async () => ({ now: nowSeconds }),
      query: async (_: string, [since = 0, slotSeconds = 1]: number[]) =>
        posted
          .filter((at) => at >= since)
          .map((at) => ({ slot: BigInt(Math.floor(at / slotSeconds)), requests: 1n })),
    };
    const window = createTrafficWindow({ database: database as never, slotSeconds: 60, slots: 60 });
    const shown = async () => [...(await window.read()).slots.keys()].sort((a, b) => a - b);
    expect(await shown()).toEqual([166]);
    nowSeconds = 8_000;
    posted.push(7_990);
    expect(await shown()).toContain(133);
  });
});

describe("what vendors say that requests cost", () => {
  it("is summed beside what those requests were charged, and absurd numbers stop no charge", async () => {
    await post("costs", [0.000001, 1e300, -5, "free", null, { deep: 1 }]);
    const [today] = await readUpstreamDays(rig.database, "vendor", 1);
    expect(today).toMatchObject({ requests: 8n, reportedRequests: 2n });
    expect(today?.reportedChargeNanos).toBe(20n * TOKEN_NANOS);
    expect(today?.costNanos).toBe(String(1_000n + 10n ** 15n));
  });
});
