import type { Queryable } from "../storage/database.ts";
import { type BillingDetails, NO_BILLING_DETAILS } from "./billing-details.ts";
import type { AccountId } from "./caller.ts";

const COLUMNS = `a.legal_name as "legalName", a.address, a.tax_id as "taxId"`;

export async function readBillingDetails(db: Queryable, accountId: AccountId): Promise<BillingDetails> {
  const row = await db.maybeOne<BillingDetails>(`select ${COLUMNS} from accounts a where a.id = $1`, [
    accountId,
  ]);
  return row ?? NO_BILLING_DETAILS;
}

/** Those of every account. */
export async function readAllBillingDetails(db: Queryable): Promise<ReadonlyMap<AccountId, BillingDetails>> {
  const rows = await db.query<BillingDetails & { readonly id: AccountId }>(
    `select a.id, ${COLUMNS} from accounts a`,
  );
  return new Map(rows.map(({ id, legalName, address, taxId }) => [id, { legalName, address, taxId }]));
}

/** The same, held for the transaction that replaces them. */
export async function lockBillingDetails(tx: Queryable, accountId: AccountId): Promise<BillingDetails> {
  const row = await tx.maybeOne<BillingDetails>(
    `select ${COLUMNS} from accounts a where a.id = $1 for no key update`,
    [accountId],
  );
  return row ?? NO_BILLING_DETAILS;
}

export async function writeBillingDetails(
  tx: Queryable,
  accountId: AccountId,
  { legalName, address, taxId }: BillingDetails,
): Promise<void> {
  await tx.execute("update accounts set legal_name = $2, address = $3, tax_id = $4 where id = $1", [
    accountId,
    legalName,
    address,
    taxId,
  ]);
}
