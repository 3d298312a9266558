import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BillingRig, createBillingRig } from "../../../test/support/billing.ts";
import { startCuttingProxy } from "../../../test/support/cutting-proxy.ts";
import { BUSY_TIMEOUT_MS } from "../../../test/support/database.ts";
import type { Caller } from "../../accounts/caller.ts";
import type { Database } from "../../storage/database.ts";
import { isConnectionLoss } from "../../storage/failures.ts";
import { openDatabase } from "../../storage/open-database.ts";
import {
  findBatch,
  insertBatch,
  listCodes,
  type Redemption,
  redeemCode,
  revokeCodes,
} from "./redemption-store.ts";

let rig: BillingRig;
const others: Database[] = [];
beforeAll(async () => {
  rig = await createBillingRig();
  others.push(await open(rig.url), await open(rig.url));
});
afterAll(async () => {
  await Promise.all(others.map((database) => database.close()));
  await rig.close();
});

const AMOUNT = 5_000_000_000n;

describe("a redemption code", () => {
  it("is credited once, however many accounts and processes send it at once", async () => {
    const callers = await Promise.all(Array.from({ length: 5 }, () => rig.account(0n)));
    const { plain } = await batch(1);
    const databases = [rig.database, ...others];
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        redeem(callers[index % 5], plain[0], databases[index % databases.length]),
      ),
    );
    const done = outcomes.filter(({ outcome }) => outcome === "done");
    expect(done).toHaveLength(1);
    expect(outcomes.filter(({ outcome }) => outcome === "repeated")).toHaveLength(9);
    expect(outcomes.filter(({ outcome }) => outcome === "used")).toHaveLength(40);
    const balances = await Promise.all(callers.map((caller) => rig.balance(caller)));
    expect(balances.map(({ balanceNanos }) => balanceNanos).sort()).toEqual([0n, 0n, 0n, 0n, AMOUNT]);
    expect((await rig.verify()).breaches).toEqual([]);
  });

  it("whose answer was lost with the commit is sent again and was credited once", async () => {
    const caller = await rig.account(0n);
    const { plain } = await batch(1);
    const proxy = await startCuttingProxy(rig.url);
    const database = await open(proxy.url);
    try {
      // The statement alone, with its length before it: connections name synchronous_commit when they begin.
      proxy.cutAfter("\u000bcommit\0", 1);
      const lost = await database
        .transaction((tx) => redeemCode(tx, order(caller, plain[0])))
        .then(
          () => undefined,
          (error: unknown) => error,
        );
      expect(isConnectionLoss(lost)).toBe(true);
      expect(proxy.cuts()).toBe(1);
      const again = await redeem(caller, plain[0], database);
      expect(again).toMatchObject({ outcome: "repeated", amountNanos: AMOUNT });
      expect((await rig.balance(caller)).balanceNanos).toBe(AMOUNT);
    } finally {
      await database.close();
      await proxy.close();
    }
  });

  it("that was revoked or has expired gives nothing", async () => {
    const caller = await rig.account(0n);
    const withdrawn = await batch(3);
    await redeem(caller, withdrawn.plain[0]);
    expect(await revokeCodes(rig.database, withdrawn.id)).toBe(2);
    expect(await revokeCodes(rig.database, withdrawn.id)).toBe(0);
    expect((await redeem(caller, withdrawn.plain[1])).outcome).toBe("revoked");
    const over = await batch(1, new Date("2020-01-01"));
    expect(await redeem(caller, over.plain[0])).toMatchObject({ outcome: "expired", amountNanos: null });
    expect((await rig.balance(caller)).balanceNanos).toBe(AMOUNT);
    expect(await findBatch(rig.database, withdrawn.id)).toMatchObject({ codes: 3, redeemed: 1, revoked: 2 });
    const [first] = await listCodes(rig.database, withdrawn.id, { after: null, limit: 10 });
    expect(first?.account).toEqual({ id: String(caller.accountId), name: caller.accountName });
  });

  it("cannot be guessed: after ten unknown ones, sent at once or not, an account waits, and others do not", async () => {
    const guesser = await rig.account(0n);
    const { plain } = await batch(1);
    const guesses = await Promise.all(
      Array.from({ length: 30 }, (_, index) => redeem(guesser, `guess ${index}`, others[index % 2])),
    );
    expect(guesses.filter(({ outcome }) => outcome === "unknown")).toHaveLength(10);
    expect(guesses.filter(({ outcome }) => outcome === "throttled")).toHaveLength(20);
    const waiting = await redeem(guesser, plain[0]);
    expect(waiting).toMatchObject({ outcome: "throttled", codeId: null });
    expect((waiting.at?.getTime() ?? 0) - Date.now()).toBeGreaterThan(800_000);
    expect((await redeem(await rig.account(0n), plain[0])).outcome).toBe("done");
    await rig.database.execute(
      "update redemption_throttles set wrong_at = array(select w - interval '16 min' from unnest(wrong_at) as w)",
    );
    expect((await redeem(guesser, "another guess")).outcome).toBe("unknown");
  });

  it("that was marked without a credit, or credited without a mark, is found by the ledger's check", async () => {
    const caller = await rig.account(0n);
    const { id } = await batch(1);
    await rig.database.execute(
      "update redemption_codes set redeemed_at = now(), account_id = $2, redeemed_by = '' where batch_id = $1",
      [id, caller.accountId],
    );
    await rig.database.execute(
      "select transfer_money($1, 'redemption:999999', 'credit', 'funding', 'wallet', 7, 'code:999999')",
      [`account:${caller.accountId}`],
    );
    const { breaches } = await rig.verify();
    expect(breaches.map(({ rule, found, expected }) => [rule, found, expected]).sort()).toEqual([
      ["code_credited_once", `7 to account:${caller.accountId}`, "no credit"],
      ["code_credited_once", "no credit", `${AMOUNT} to account:${caller.accountId}`],
    ]);
  });
});

let made = 0;

async function batch(count: number, expiresAt: Date | null = null): Promise<{ id: bigint; plain: string[] }> {
  made += 1;
  const plain = Array.from({ length: count }, (_, index) => `code ${made} ${index}`);
  const id = await rig.database.transaction((tx) =>
    insertBatch(
      tx,
      { amountNanos: AMOUNT, note: "", expiresAt, createdBy: "operator@example.test" },
      plain.map((code) => ({ hash: hash(code), hint: "FG-…" })),
    ),
  );
  return { id, plain };
}

function redeem(
  caller: Caller | undefined,
  code = "",
  database: Database | undefined = rig.database,
): Promise<Redemption> {
  return redeemCode(database, order(caller, code));
}

function order(caller: Caller | undefined, code = "") {
  return { hash: hash(code), accountId: caller?.accountId ?? 0n, redeemer: "someone@example.test" };
}

function hash(code: string): Buffer {
  return createHash("sha256").update(code).digest();
}

function open(databaseUrl: string): Promise<Database> {
  const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
  return openDatabase({
    databaseUrl,
    dataDir: "/nonexistent",
    role: "guest",
    applicationName: "faregate test",
    timeoutMs: BUSY_TIMEOUT_MS,
    maxConnections: 4,
    log: quiet,
  });
}
