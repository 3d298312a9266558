import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type BillingRig,
  completed,
  createBillingRig,
  eventually,
  order,
  serve,
  TOKEN_NANOS,
} from "../../test/support/billing.ts";
import type { KeyId } from "../accounts/caller.ts";
import { GatewayError } from "../errors.ts";
import { silentLog } from "../observe/log.ts";
import type { JournalStore } from "./journal/flush.ts";
import type { JournalBilling } from "./journal/journal-billing.ts";
import { journalsOnDisk } from "./journal/journal-disk.ts";
import { createJournalStore } from "./journal/journal-store.ts";

let rig: BillingRig;
beforeAll(async () => {
  rig = await createBillingRig();
});
afterAll(() => rig.close());

const HOLD = 100n * TOKEN_NANOS;

describe("a balance that pays exactly 37 requests", () => {
  it("pays 37 of 1,000 that come at once to three leases, and ends at 0", async () => {
    const caller = await rig.account(37n * HOLD);
    const gateways = await Promise.all(["a", "b", "c"].map((name) => rig.start(name)));
    const outcomes = await Promise.all(
      Array.from({ length: 1_000 }, (_, index) => outcomeOf(gateways[index % 3], () => caller)),
    );
    expect(outcomes.filter((outcome) => outcome === "served")).toHaveLength(37);
    expect(new Set(outcomes)).toEqual(new Set(["served", "insufficient_user_quota"]));
    expect(await Promise.all(gateways.map((billing) => billing.drain()))).toEqual([true, true, true]);
    expect(await rig.balance(caller)).toEqual({ balanceNanos: 0n, availableNanos: 0n });
    expect((await rig.verify()).breaches).toEqual([]);
  });

  it("serves one after another however much they hold, and refuses only when the whole balance is below the hold", async () => {
    const caller = await rig.account(3n * HOLD);
    const billing = await rig.start("one-by-one");
    // Each holds twice what it costs: the third needs 2 of the 1 that is left.
    expect(await outcomeOf(billing, () => caller, 200, 100)).toBe("served");
    expect(await outcomeOf(billing, () => caller, 200, 100)).toBe("served");
    expect(await outcomeOf(billing, () => caller, 200, 100)).toBe("insufficient_user_quota");
    expect(await outcomeOf(billing, () => caller, 100, 100)).toBe("served");
    await billing.drain();
    expect(await rig.balance(caller)).toEqual({ balanceNanos: 0n, availableNanos: 0n });
  });
});

describe("a hold that nobody could pay", () => {
  it("is refused at once and harms nobody, however large", async () => {
    const caller = await rig.account(HOLD);
    const billing = await rig.start("huge");
    expect(() => billing.take(order(caller, 2n ** 70n))).toThrow(GatewayError);
    await expect(async () => billing.take(order(caller, 10n ** 18n))).rejects.toThrow(
      "more than the account's balance",
    );
    expect(await outcomeOf(billing, () => caller)).toBe("served");
    await billing.drain();
  });
});

describe("a request whose money is held by another", () => {
  it("waits until the other has settled, also in another process", async () => {
    const caller = await rig.account(HOLD);
    const [here, there] = await Promise.all([rig.start("holder"), rig.start("waiter")]);
    const first = await here.take(order(caller, HOLD));
    let waited = true;
    const second = Promise.resolve(there.take(order(caller, HOLD / 2n))).finally(() => {
      waited = false;
    });
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(waited).toBe(true);
    await first.settle(completed(10));
    await (await second).settle(completed(10));
    expect(await Promise.all([here.drain(), there.drain()])).toEqual([true, true]);
    expect((await rig.balance(caller)).balanceNanos).toBe(80n * TOKEN_NANOS);
  });

  it("waits as long and with as many as the settings say", async () => {
    const caller = await rig.account(HOLD);
    const limits = { balanceWaiting: 1, balanceWaitMs: 300 };
    const billing = await rig.start("settings", { waitLimits: () => limits });
    const first = await billing.take(order(caller, HOLD));
    const refusals = [1, 2].map(() => Promise.resolve(billing.take(order(caller, HOLD))));
    for (const refused of refusals.toReversed())
      await expect(refused).rejects.toThrow("none was released within 0.3 s");
    await first.settle(completed(0));
    await billing.drain();
  });

  it("is served in order: a small request does not overtake a large one for ever", async () => {
    const caller = await rig.account(HOLD);
    const billing = await rig.start("in-order");
    const first = await billing.take(order(caller, HOLD));
    const served: string[] = [];
    const large = Promise.resolve(billing.take(order(caller, HOLD))).then((hold) => {
      served.push("large");
      return hold;
    });
    const small = Promise.resolve(billing.take(order(caller, TOKEN_NANOS))).then((hold) => {
      served.push("small");
      return hold;
    });
    await first.settle(completed(0));
    await (await large).settle(completed(0));
    await (await small).settle(completed(0));
    expect(served).toEqual(["large", "small"]);
    await billing.drain();
  });
});

describe("charges", () => {
  it("above a hold come out of the balance and stop at zero; the rest is written off", async () => {
    const caller = await rig.account(150n * TOKEN_NANOS);
    const billing = await rig.start("above");
    await serve(billing, caller, 100, 120);
    await billing.drain();
    expect((await rig.balance(caller)).balanceNanos).toBe(30n * TOKEN_NANOS);
    const again = await rig.start("above");
    const hold = await again.take(order(caller, 20n * TOKEN_NANOS));
    await hold.settle(completed(50));
    expect([hold.chargeNanos(), hold.writtenOffNanos()]).toEqual([30n * TOKEN_NANOS, 20n * TOKEN_NANOS]);
    await again.drain();
    expect(await rig.balance(caller)).toEqual({ balanceNanos: 0n, availableNanos: 0n });
    const { breaches, loss_nanos } = await rig.verify();
    expect(breaches).toEqual([]);
    expect(loss_nanos).toBe(0n);
  });

  it("never pass a key's limit, however much of them comes at once in several processes", async () => {
    const limit = { amountNanos: 100n * TOKEN_NANOS, period: "total" } as const;
    const caller = await rig.account(10_000n * TOKEN_NANOS, limit);
    const gateways = await Promise.all(["l1", "l2", "l3"].map((name) => rig.start(name)));
    const holds = await Promise.all(
      Array.from({ length: 30 }, (_, at) => gateways[at % 3]?.take(order(caller, TOKEN_NANOS))),
    );
    await Promise.all(holds.map((hold) => hold?.settle(completed(20))));
    let chargedNanos = 0n;
    for (const hold of holds) {
      const [charged = 0n, writtenOff] = [hold?.chargeNanos(), hold?.writtenOffNanos()];
      expect(charged + (writtenOff ?? 0n)).toBe(20n * TOKEN_NANOS);
      chargedNanos += charged;
    }
    expect(chargedNanos).toBeLessThanOrEqual(100n * TOKEN_NANOS);
    // What lies in the leases of others at that moment may be missed, no more.
    expect(chargedNanos).toBeGreaterThan(50n * TOKEN_NANOS);
    expect(await Promise.all(gateways.map((billing) => billing.drain()))).toEqual([true, true, true]);
    expect((await rig.balance(caller)).balanceNanos).toBe(10_000n * TOKEN_NANOS - chargedNanos);
    expect((await rig.verify()).breaches).toEqual([]);
    const [{ excess } = { excess: 1n }] = await rig.database.query<{ excess: bigint }>(
      "select count(*) as excess from transfers where from_side = 'excess'",
    );
    expect(excess).toBe(0n);
  });

  it("above a hold are settled from what is leased while the database is away", async () => {
    const caller = await rig.account(1_000n * TOKEN_NANOS);
    let away = false;
    const billing = await rig.start("away", {
      store: faulty((flush) => (away ? new Promise(() => undefined) : flush())),
    });
    const hold = await billing.take(order(caller, 10n * TOKEN_NANOS));
    away = true;
    await hold.settle(completed(5_000));
    expect(hold.chargeNanos()).toBeLessThan(5_000n * TOKEN_NANOS);
    expect(hold.chargeNanos() + hold.writtenOffNanos()).toBe(5_000n * TOKEN_NANOS);
    away = false;
    await billing.drain();
    expect((await rig.verify()).breaches).toEqual([]);
  });

  it("are nothing for an outcome that is free, whatever usage it names", async () => {
    const caller = await rig.account(HOLD);
    const billing = await rig.start("free");
    for (const reason of [
      "rejected",
      "no_upstream",
      "upstream_failed",
      "client_aborted_before_output",
    ] as const) {
      const hold = await billing.take(order(caller, HOLD));
      await hold.settle({ ...completed(50), reason });
    }
    await billing.drain();
    expect((await rig.balance(caller)).balanceNanos).toBe(HOLD);
  });

  it("cannot be made twice", async () => {
    const caller = await rig.account(HOLD);
    const billing = await rig.start("twice");
    const hold = await billing.take(order(caller, HOLD));
    await hold.settle(completed(10));
    expect(() => hold.settle(completed(10))).toThrow("settled once");
    await billing.drain();
    expect((await rig.balance(caller)).balanceNanos).toBe(90n * TOKEN_NANOS);
  });
});

describe("a key's spending limit", () => {
  it("holds over all processes while the balance has more", async () => {
    const caller = await rig.account(1_000n * HOLD, { amountNanos: 10n * HOLD, period: "day" });
    const gateways = await Promise.all(["x", "y"].map((name) => rig.start(name)));
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, (_, index) => outcomeOf(gateways[index % 2], () => caller)),
    );
    expect(outcomes.filter((outcome) => outcome === "served")).toHaveLength(10);
    expect(new Set(outcomes)).toEqual(new Set(["served", "insufficient_user_quota"]));
    await Promise.all(gateways.map((billing) => billing.drain()));
    expect((await rig.balance(caller)).balanceNanos).toBe(990n * HOLD);
    expect((await rig.verify()).breaches).toEqual([]);
  });

  it("does not hold up the account's other keys", async () => {
    const limited = await rig.account(10n * HOLD, { amountNanos: HOLD, period: "total" });
    const other = { ...limited, keyId: (limited.keyId + 1_000_000n) as KeyId, spendingLimit: null };
    const billing = await rig.start("keys");
    const first = await billing.take(order(limited, HOLD));
    const second = billing.take(order(limited, HOLD));
    await serve(billing, other, 100);
    await first.settle(completed(0));
    await (await second).settle(completed(0));
    await billing.drain();
    expect((await rig.balance(limited)).balanceNanos).toBe(9n * HOLD);
  });

  it("follows when it is raised", async () => {
    const limited = await rig.account(10n * HOLD, { amountNanos: HOLD, period: "month" });
    const raised = { ...limited, spendingLimit: { amountNanos: 2n * HOLD, period: "month" as const } };
    const billing = await rig.start("raised");
    await serve(billing, limited, 100);
    expect(await outcomeOf(billing, () => limited)).toBe("insufficient_user_quota");
    expect(await outcomeOf(billing, () => raised)).toBe("served");
    expect(await outcomeOf(billing, () => raised)).toBe("insufficient_user_quota");
    await billing.drain();
    expect((await rig.verify()).breaches).toEqual([]);
  });
});

describe("a database that fails", () => {
  it("loses the answer of a commit: nothing is charged or leased twice", async () => {
    const caller = await rig.account(1_000n * HOLD);
    let calls = 0;
    const billing = await rig.start("lost-commits", {
      store: faulty(async (flush) => {
        const response = await flush();
        calls += 1;
        if (calls % 2 === 0) throw new Error("connection lost after the commit");
        return response;
      }),
    });
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(Array.from({ length: 20 }, () => serve(billing, caller, 100, 60)));
    }
    expect(await billing.drain()).toBe(true);
    expect((await rig.balance(caller)).balanceNanos).toBe(1_000n * HOLD - 200n * 60n * TOKEN_NANOS);
    expect((await rig.verify()).breaches).toEqual([]);
  });

  it("is away: running requests settle, new ones get 503 once it is stale, and all is posted when it is back", async () => {
    const caller = await rig.account(100n * HOLD);
    let away = false;
    let nowMs = 0;
    const billing = await rig.start("outage", {
      clock: { nowMs: () => 1_790_000_000_000, monotonicMs: () => nowMs },
      store: faulty((flush) => (away ? Promise.reject(new Error("ECONNREFUSED")) : flush())),
    });
    const running = await billing.take(order(caller, HOLD));
    away = true;
    nowMs += 6_000;
    expect(() => billing.take(order(caller, HOLD))).toThrow(GatewayError);
    expect(billing.notReady()).toBe("the ledger hasn't responded for some seconds");
    await running.settle(completed(40));
    away = false;
    await eventually(() => billing.notReady() === undefined);
    nowMs += 1_000;
    await eventually(() => billing.counts().unposted === 0);
    expect(await outcomeOf(billing, () => caller)).toBe("served");
    expect(await billing.drain(1)).toBe(true);
    expect((await rig.balance(caller)).balanceNanos).toBe(100n * HOLD - 140n * TOKEN_NANOS);
  });
});

describe("a database that has forgotten", () => {
  it("a journal, as a standby that had lost the last commits: it is opened again, what waits is posted, and an alarm says so", async () => {
    const caller = await rig.account(2n * HOLD);
    const said: unknown[] = [];
    const log = { ...silentLog, error: (facts: object, text: string) => said.push({ ...facts, text }) };
    const billing = await rig.start("forgotten", { log });
    const [journal] = journalsOnDisk(rig.dataDir("forgotten"));
    await eventually(async () => (await flushesOf(journal)) > 0n);
    await rig.database.execute("delete from journals where id = $1", [journal]);
    await eventually(() => said.length > 0);
    await serve(billing, caller, 100);
    await eventually(async () => (await rig.balance(caller)).balanceNanos === HOLD);
    expect(await billing.drain()).toBe(true);
    expect(await rig.balance(caller)).toEqual({ balanceNanos: HOLD, availableNanos: HOLD });
    expect((await rig.verify()).breaches).toEqual([]);
    expect(said).toEqual([expect.objectContaining({ alarm: true, journal })]);
  });
});

describe("a process taken for dead", () => {
  it("settles what runs in its closed journal and opens another", async () => {
    const caller = await rig.account(10n * HOLD);
    const billing = await rig.start("closed");
    const running = await billing.take(order(caller, HOLD));
    const store = createJournalStore(rig.database);
    const closed = async (): Promise<boolean> => {
      const mine = await rig.database.one<{ journal: string }>(
        "select journal from leases where ledger = $1",
        [`account:${caller.accountId}`],
      );
      const state = await store.read(mine.journal);
      return state !== undefined && (await store.close(mine.journal, state.flushNumber));
    };
    while (!(await closed())); // its own flushes may come between
    const journals = await countJournals();
    await eventually(async () => (await countJournals()) > journals);
    await eventually(() => billing.notReady() === undefined);
    expect(await outcomeOf(billing, () => caller)).toBe("served");
    await running.settle(completed(30));
    expect(await billing.drain()).toBe(true);
    expect((await rig.balance(caller)).balanceNanos).toBe(10n * HOLD - 130n * TOKEN_NANOS);
    expect((await rig.verify()).breaches).toEqual([]);
  });
});

async function outcomeOf(
  billing: JournalBilling | undefined,
  caller: () => Parameters<typeof serve>[1],
  holdTokens = 100,
  usedTokens = holdTokens,
): Promise<string> {
  if (!billing) throw new Error("no such gateway");
  try {
    await serve(billing, caller(), holdTokens, usedTokens);
    return "served";
  } catch (error) {
    return error instanceof GatewayError ? error.reason : String(error);
  }
}

async function countJournals(): Promise<bigint> {
  return (await rig.database.one<{ count: bigint }>("select count(*) as count from journals")).count;
}

/** The real store with something between it and its flushes. */
function faulty(
  between: (flush: () => ReturnType<JournalStore["flush"]>) => ReturnType<JournalStore["flush"]>,
): JournalStore {
  const store = createJournalStore(rig.database);
  return { ...store, flush: (request) => between(() => store.flush(request)) };
}

async function flushesOf(journal: string | undefined): Promise<bigint> {
  const row = await rig.database.one<{ flush_number: bigint }>(
    "select flush_number from journals where id = $1",
    [journal],
  );
  return row.flush_number;
}
