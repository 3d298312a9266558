import type { Queryable } from "../storage/database.ts";
import type { BillingDetails } from "./billing-details.ts";
import type { AccountId } from "./caller.ts";

export interface AccountRecord {
  readonly id: AccountId;
  readonly name: string;
  readonly group: string;
  readonly disabled: boolean;
  /** Keys of tags that its requests may have. */
  readonly tagKeys: readonly string[];
}

/** An account as declared; its group must exist (foreign key accounts_group_exists). Omitted details stay as they are. */
export interface AccountDeclaration extends Partial<BillingDetails> {
  readonly name: string;
  readonly group: string;
  readonly disabled?: boolean;
  /** Absent = as they are. */
  readonly tagKeys?: readonly string[];
}

/** Creates the account or makes it what is declared; the name is its identity. */
export async function upsertAccount(tx: Queryable, account: AccountDeclaration): Promise<AccountRecord> {
  return tx.one<AccountRecord>(
    `insert into accounts as a (name, group_name, disabled, tag_keys, legal_name, address, tax_id)
     values ($1, $2, $3, coalesce($4::text[], '{}'), $5, $6, $7)
     on conflict (name) do update set group_name = excluded.group_name, disabled = excluded.disabled,
       tag_keys = coalesce($4::text[], a.tag_keys),
       legal_name = case when $8 then excluded.legal_name else a.legal_name end,
       address = case when $9 then excluded.address else a.address end,
       tax_id = case when $10 then excluded.tax_id else a.tax_id end
     returning ${COLUMNS}`,
    [
      ...[account.name, account.group, account.disabled ?? false, account.tagKeys ?? null],
      ...[account.legalName ?? null, account.address ?? null, account.taxId ?? null],
      ...[account.legalName !== undefined, account.address !== undefined, account.taxId !== undefined],
    ],
  );
}

/** Opens an account; undefined where the name is taken. */
export async function openAccount(
  tx: Queryable,
  { name, group }: { readonly name: string; readonly group: string },
): Promise<AccountId | undefined> {
  const row = await tx.maybeOne<{ id: AccountId }>(
    "insert into accounts (name, group_name) values ($1, $2) on conflict (name) do nothing returning id",
    [name, group],
  );
  return row?.id;
}

/** Accounts are disabled, never deleted: the ledger speaks of them forever. False = no such account. */
export async function setAccountDisabled(tx: Queryable, name: string, disabled: boolean): Promise<boolean> {
  return (await tx.execute("update accounts set disabled = $2 where name = $1", [name, disabled])) > 0;
}

export function findAccount(db: Queryable, name: string): Promise<AccountRecord | undefined> {
  return db.maybeOne<AccountRecord>(`select ${COLUMNS} from accounts a where name = $1`, [name]);
}

export function readAccount(db: Queryable, id: AccountId): Promise<AccountRecord | undefined> {
  return db.maybeOne<AccountRecord>(`select ${COLUMNS} from accounts a where id = $1`, [id]);
}

/** Every account, by name. */
export function readAccounts(db: Queryable): Promise<AccountRecord[]> {
  return db.query<AccountRecord>(`select ${COLUMNS} from accounts a order by name`);
}

const COLUMNS = `a.id, a.name, a.group_name as "group", a.disabled, a.tag_keys as "tagKeys"`;
