import type { AccountId, Caller, KeyId } from "../../../src/accounts/caller.ts";
import type { HoldOrder, Outcome } from "../../../src/billing/billing.ts";
import { ledgersOf } from "../../../src/billing/leases/ledger-ref.ts";
import type { SimulatedProcess } from "./process.ts";

/** One simulated request and what the outside world knows of it. */
export interface Exchange {
  readonly id: string;
  readonly process: SimulatedProcess;
  /** The balance and the limits it is charged to. */
  readonly ledgers: readonly string[];
  readonly amount: bigint;
  readonly sinceMs: number;
  /** The reason of a refusal. */
  reason?: string;
  /** The journal whose lease its hold was taken from. */
  journal?: string;
  /** The charge, as far as it is decided. */
  charge: () => bigint;
  /**
   * "begun": its begin line is safe; "growing": it cost more than its hold, which is to grow; "settling": its end line is on its way; "settled": the line was
   * promised to be safe, so from now on it must be charged exactly once, whatever dies.
   */
  state: "asked" | "refused" | "taken" | "begun" | "growing" | "settling" | "settled";
}

/** The limit of the second key of every account. */
export const LIMIT = 400n;

/** A caller of the account, with a spending limit or without. */
export function callerOf(account: number, limited: boolean): Caller {
  return {
    accountId: BigInt(account) as AccountId,
    accountName: `account ${account}`,
    group: "default",
    keyId: BigInt(limited ? 100 + account : account) as KeyId,
    keyName: "key",
    models: null,
    budgets: [],
    tagKeys: [],
    spendingLimit: limited ? { amountNanos: LIMIT, period: "total" } : null,
    rateLimits: null,
    allowedAddresses: null,
  };
}

export function ledgerIdsOf(caller: Caller): string[] {
  return ledgersOf(caller, 0).map(({ id }) => id);
}

// One token costs one nano.
const PRICE = { priceId: 1n, rates: { input: 1_000_000n }, factorPpm: 1_000_000n };

export function orderOf(requestId: string, caller: Caller, amountNanos: bigint): HoldOrder {
  return {
    requestId,
    caller,
    model: "model",
    endpoint: "messages",
    streamed: true,
    price: PRICE,
    amountNanos,
  };
}

export function outcomeOf(charge: bigint, reason: Outcome["reason"] = "completed"): Outcome {
  return {
    reason,
    usage: { inputUncached: Number(charge) },
    estimated: false,
    upstream: "upstream",
    upstreamModel: "theirs",
    status: 200,
    attempts: 1,
    firstByteMs: 1,
    totalMs: 2,
  };
}
