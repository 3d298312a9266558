import type { Budget, Caller, SpendingLimit } from "../../accounts/caller.ts";

/** Names a ledger to the database, which opens it at first use: all but the amount is in the id. */
export interface LedgerRef {
  /** `account:<id>`, `budget:<id>:<period>:<its first day>`, or `limit:<key id>:<period>:<its first day>`. */
  readonly id: string;
  readonly accountId: bigint;
  /** The limit per period; null for a balance. */
  readonly allowanceNanos: bigint | null;
  /** Name of the budget whose ledger it is. */
  readonly budget?: string;
}

/** More than anybody spends, so that a budget that only alerts counts everything; as much as the database's integers hold well. */
const ALERT_ONLY_NANOS = 10n ** 18n;

/**
 * Every ledger a request of this caller is charged to: the balance first, then the budgets and limits that apply. Without a
 * model, those that apply to any.
 */
export function ledgersOf(caller: Caller, acceptedAtMs: number, model?: string): [LedgerRef, ...LedgerRef[]] {
  const ledgers: [LedgerRef, ...LedgerRef[]] = [balanceLedger(caller)];
  for (const budget of caller.budgets) {
    if (budget.model === null || budget.model === model)
      ledgers.push(budgetLedger(caller, budget, acceptedAtMs));
  }
  if (caller.spendingLimit !== null) ledgers.push(limitLedger(caller, caller.spendingLimit, acceptedAtMs));
  return ledgers;
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

function budgetLedger(caller: Caller, budget: Budget, acceptedAtMs: number): LedgerRef {
  return {
    id: budgetLedgerId(budget, acceptedAtMs),
    accountId: caller.accountId,
    allowanceNanos: budget.hard ? budget.amountNanos : ALERT_ONLY_NANOS,
    budget: budget.name,
  };
}

/** The ledger of a budget in the period that a moment falls into. */
export function budgetLedgerId({ id, period }: Pick<Budget, "id" | "period">, atMs: number): string {
  return `budget:${id}:${period}:${periodStart(period, atMs)}`;
}

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

/** When the period of a budget's or limit's ledger is over, as in "2026-12-01T00:00:00Z"; undefined = its amount is for all time. */
export function periodEnd({ id }: LedgerRef): string | undefined {
  const [, , period, start] = id.split(":");
  if (start === undefined || period === "total") return undefined;
  const end = new Date(start);
  if (period === "month") end.setUTCMonth(end.getUTCMonth() + 1);
  else end.setUTCDate(end.getUTCDate() + (period === "week" ? 7 : 1));
  return `${end.toISOString().slice(0, 10)}T00:00:00Z`;
}
