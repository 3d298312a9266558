import type { Queryable } from "../../storage/database.ts";
import type { LedgerRef } from "../leases/ledger-ref.ts";

/**
 * Grants an account its opening balance, once ever: the transfer's idempotency key is the account, so
 * applying a file again, or with another amount, grants nothing. Gives whether it moved money. Part of the
 * caller's transaction.
 */
export async function grantOpeningBalance(
  tx: Queryable,
  accountId: bigint,
  amountNanos: bigint,
): Promise<boolean> {
  const { granted } = await tx.one<{ granted: boolean }>("select grant_opening_balance($1, $2) as granted", [
    accountId,
    amountNanos,
  ]);
  return granted;
}

export interface OperatorTransfer {
  readonly accountId: bigint;
  /** Above 0 a credit, below a debit. */
  readonly amountNanos: bigint;
  /** The same key moves money once, however often it is sent. */
  readonly idempotencyKey: string;
  readonly reason: string;
}

export interface TransferOutcome {
  /**
   * "done" now; "repeated": this key moved the same before; "conflict": it moved something else;
   * "reclaiming": the money is leased to processes, which have been asked for it; "insufficient".
   */
  readonly outcome: "done" | "repeated" | "conflict" | "reclaiming" | "insufficient";
  readonly availableNanos: bigint;
}

/** One attempt; `transferByOperator` waits where money must be recalled first. */
export async function attemptOperatorTransfer(
  tx: Queryable,
  transfer: OperatorTransfer,
): Promise<TransferOutcome> {
  // Those of one key take turns: of two accounts' at once, neither would see the other's transfer before it is there.
  await tx.execute("select pg_advisory_xact_lock(hashtextextended($1, 0))", [
    `transfer ${transfer.idempotencyKey}`,
  ]);
  return tx.one<TransferOutcome>(
    `select outcome, available_nanos as "availableNanos" from transfer_by_operator($1, $2, $3, $4)`,
    [transfer.accountId, transfer.amountNanos, transfer.idempotencyKey, transfer.reason],
  );
}

/**
 * Returns the ledger with the least money, leases included, if that is less than the amount; undefined = all of them
 * have enough. It counts as take_hold does: a limit that was never used, or was raised since, has its whole allowance.
 */
export async function lackingLedger(
  db: Queryable,
  ledgers: readonly LedgerRef[],
  amountNanos: bigint,
): Promise<string | undefined> {
  const row = await db.maybeOne<{ id: string }>(
    `select n.id from unnest($1::text[], $2::int8[]) as n (id, allowance) left join ledgers l on l.id = n.id
      where coalesce(l.wallet + l.leased, 0) + coalesce(n.allowance - coalesce(l.allowance, 0), 0) < $3
      order by coalesce(l.wallet + l.leased, 0) + coalesce(n.allowance - coalesce(l.allowance, 0), 0), n.id limit 1`,
    [ledgers.map(({ id }) => id), ledgers.map(({ allowanceNanos }) => allowanceNanos), amountNanos],
  );
  return row?.id;
}

export interface Balance {
  /** Everything the account owns: wallet, leased and held. */
  readonly balanceNanos: bigint;
  /** The amount that the account can still spend: the balance without the holds of tasks. */
  readonly availableNanos: bigint;
}

/** The amount charged to each of these limits, by ledger id. Limits that were never used are omitted. */
export async function readLimitsSpent(
  db: Queryable,
  ledgers: readonly string[],
): Promise<Map<string, bigint>> {
  const rows = await db.query<{ id: string; spent: bigint }>(
    "select id, allowance - wallet - leased - held as spent from ledgers where id = any($1::text[])",
    [ledgers],
  );
  return new Map(rows.map(({ id, spent }) => [id, spent]));
}

/** An account's balance as posted; charges of the last moments may be missing. */
export async function readBalance(db: Queryable, accountId: bigint): Promise<Balance> {
  const row = await db.maybeOne<Balance>(
    `select wallet + leased + held as "balanceNanos", wallet + leased as "availableNanos"
       from ledgers where id = 'account:' || $1::int8`,
    [accountId],
  );
  return row ?? { balanceNanos: 0n, availableNanos: 0n };
}
