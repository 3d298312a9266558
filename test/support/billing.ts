import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AccountId, Caller, KeyId, SpendingLimit } from "../../src/accounts/caller.ts";
import { systemClock } from "../../src/base/clock.ts";
import type { HoldOrder, OpenHold, Outcome } from "../../src/billing/billing.ts";
import type { JournalBilling } from "../../src/billing/journal/journal-billing.ts";
import { rawText, type SettledEnd } from "../../src/billing/journal/journal-record.ts";
import { type Balance, grantOpeningBalance, readBalance } from "../../src/billing/ledger/ledger-store.ts";
import { type LedgerReport, verifyLedger } from "../../src/billing/ledger/verify.ts";
import { NO_COST } from "../../src/billing/pricing/attempt-cost.ts";
import { createTextBilling, type TextBillingOptions } from "../../src/billing/text-billing.ts";
import { silentLog } from "../../src/observe/log.ts";
import type { Database } from "../../src/storage/database.ts";
import { createTestDatabase } from "./database.ts";

/** A database, a folder for data dirs, and accounts with money. */
export interface BillingRig {
  readonly database: Database;
  readonly url: string;
  dataDir(name: string): string;
  /** A caller whose account was granted so much. */
  account(nanos: bigint, limit?: SpendingLimit): Promise<Caller>;
  /** A gateway's billing with a data dir of its own. */
  start(name: string, options?: Partial<TextBillingOptions>): Promise<JournalBilling>;
  balance(caller: Caller): Promise<Balance>;
  verify(): Promise<LedgerReport>;
  close(): Promise<void>;
}

export async function createBillingRig(): Promise<BillingRig> {
  const test = await createTestDatabase();
  const { database } = test;
  const folder = await mkdtemp(join(tmpdir(), "faregate-billing-"));
  const running = new Set<JournalBilling>();
  let accounts = 0;
  return {
    database,
    url: test.url,
    dataDir: (name) => join(folder, name),
    async account(nanos, limit) {
      accounts += 1;
      const { id } = await database.one<{ id: bigint }>(
        "insert into accounts (name, group_name) values ($1, 'default') returning id",
        [`account ${accounts}`],
      );
      await database.transaction((tx) => grantOpeningBalance(tx, id, nanos));
      return {
        accountId: id as AccountId,
        accountName: `account ${accounts}`,
        group: "default",
        keyId: id as KeyId,
        keyName: "key",
        models: null,
        spendingLimit: limit ?? null,
        budgets: [],
        tagKeys: [],
        rateLimits: null,
        allowedAddresses: null,
      };
    },
    async start(name, options = {}) {
      const dataDir = join(folder, name);
      const billing = await createTextBilling({
        database,
        dataDir,
        clock: systemClock,
        log: silentLog,
        ...options,
      });
      running.add(billing);
      return billing;
    },
    balance: (caller) => readBalance(database, caller.accountId),
    verify: () => verifyLedger(database, folder),
    async close() {
      await Promise.all([...running].map((billing) => billing.drain(0)));
      await test.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The price of a token of `completed(tokens)`: 3 dollars per million. */
export const TOKEN_NANOS = 3_000n;

let requests = 0;

export function order(caller: Caller, amountNanos: bigint, requestId?: string): HoldOrder {
  requests += 1;
  return {
    requestId: requestId ?? `request-${process.pid}-${requests}`,
    caller,
    model: "text-large",
    endpoint: "messages",
    streamed: false,
    price: { priceId: 1n, rates: { input: TOKEN_NANOS * 1_000_000n }, factorPpm: 1_000_000n },
    amountNanos,
  };
}

export function completed(inputTokens: number): Outcome {
  return {
    reason: "completed",
    usage: { inputUncached: inputTokens },
    estimated: false,
    raw: { input_tokens: inputTokens },
    upstream: "sandbox",
    upstreamModel: "text-large",
    status: 200,
    attempts: 1,
    firstByteMs: 1.25,
    totalMs: 2.5,
  };
}

/** The end of a request whose hold was `holdNanos` and covered it. */
export function endOf(outcome: Outcome, chargeNanos: bigint, holdNanos = chargeNanos): SettledEnd {
  const raw = rawText(outcome.raw);
  return { chargeNanos, holdNanos, writtenOffNanos: 0n, outcome, charge: undefined, cost: NO_COST, raw };
}

/** Takes, begins and settles one request, as the relay does; gives its id. */
export async function serve(
  billing: JournalBilling,
  caller: Caller,
  holdTokens: number,
  usedTokens = holdTokens,
): Promise<string> {
  const request = order(caller, BigInt(holdTokens) * TOKEN_NANOS);
  const hold: OpenHold = await billing.take(request);
  await hold.begun;
  await hold.settle(completed(usedTokens));
  return request.requestId;
}

/** Waits until something holds; the assertion that follows says what did not. */
export async function eventually(holds: () => Promise<boolean> | boolean, limitMs = 60_000): Promise<void> {
  const deadline = systemClock.monotonicMs() + limitMs;
  while (!(await holds()) && systemClock.monotonicMs() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 20));
}
