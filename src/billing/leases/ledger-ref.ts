import type { Caller, SpendingLimit } from "../../accounts/caller.ts";

/** Names a ledger to the database, which opens it at first use: all but the amount is in the id. */
export interface LedgerRef {
  /** `account:<id>`, or `limit:<key id>:<period>:<its first day>`. */
  readonly id: string;
  readonly accountId: bigint;
  /** The spending limit per period; null for a balance. */
  readonly allowanceNanos: bigint | null;
}

/** Every ledger a request of this caller is charged to: the balance first, then the limits that apply. */
export function ledgersOf(caller: Caller, acceptedAtMs: number): [LedgerRef, ...LedgerRef[]] {
  const balance = balanceLedger(caller);
  if (caller.spendingLimit === null) return [balance];
  return [balance, limitLedger(caller, caller.spendingLimit, acceptedAtMs)];
}

// Callers are shared by many requests, so the name of their balance is made once.
const balances = new WeakMap<Caller, LedgerRef>();

function balanceLedger(caller: Caller): LedgerRef {
  let ledger = balances.get(caller);
  if (ledger === undefined) {
    const { accountId } = caller;
    ledger = { id: `account:${accountId}`, accountId, allowanceNanos: null };
    balances.set(caller, ledger);
  }
  return ledger;
}

/** Ids sort balances before limits, which is the order in which the database locks them. */
function limitLedger(caller: Caller, limit: SpendingLimit, acceptedAtMs: number): LedgerRef {
  return {
    id: limitLedgerId(caller.keyId, limit.period, acceptedAtMs),
    accountId: caller.accountId,
    allowanceNanos: limit.amountNanos,
  };
}

/** The ledger of a key's limit in the period that a moment falls into. */
export function limitLedgerId(keyId: bigint, period: SpendingLimit["period"], atMs: number): string {
  return `limit:${keyId}:${period}:${periodStart(period, atMs)}`;
}

/** First day (UTC) of the period a moment falls into, `YYYY-MM-DD`; weeks begin on Monday. */
export function periodStart(period: SpendingLimit["period"], atMs: number): string {
  const at = new Date(atMs);
  switch (period) {
    case "day":
      break;
    case "week":
      at.setUTCDate(at.getUTCDate() - ((at.getUTCDay() + 6) % 7));
      break;
    case "month":
      at.setUTCDate(1);
      break;
    case "total":
      return "1970-01-01";
  }
  return at.toISOString().slice(0, 10);
}

/** When the period of a limit's ledger is over, as in "2026-12-01T00:00:00Z"; undefined = its amount is for all time. */
export function periodEnd({ id }: LedgerRef): string | undefined {
  const [, , period, start] = id.split(":");
  if (start === undefined || period === "total") return undefined;
  const end = new Date(start);
  if (period === "month") end.setUTCMonth(end.getUTCMonth() + 1);
  else end.setUTCDate(end.getUTCDate() + (period === "week" ? 7 : 1));
  return `${end.toISOString().slice(0, 10)}T00:00:00Z`;
}
