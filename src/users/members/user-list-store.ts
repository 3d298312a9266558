import type { Queryable } from "../../storage/database.ts";
import type { AccountRole, UserId } from "../identity.ts";
import type { OperatorRole } from "../scopes.ts";

/** A user as operators see them. */
export interface ListedUser {
  readonly id: UserId;
  readonly email: string;
  readonly name: string;
  readonly operatorRole: OperatorRole | null;
  readonly disabled: boolean;
  readonly hasTotp: boolean;
  readonly hasPassword: boolean;
  readonly accounts: readonly {
    readonly id: string;
    readonly name: string;
    readonly role: AccountRole;
  }[];
  readonly createdAt: Date;
  readonly lastSignInAt: Date | null;
}

export interface UserFilter {
  /** Beginning of the e-mail address; "" = everyone. */
  readonly prefix: string;
  readonly before: bigint;
  readonly limit: number;
}

/** Users by primary key, latest first. */
export function readUsers(db: Queryable, { prefix, before, limit }: UserFilter): Promise<ListedUser[]> {
  return db.query<ListedUser>(
    `${USERS} where u.id < $2 and ($1 = '' or starts_with(u.email, $1)) order by u.id desc limit $3`,
    [prefix, before, limit],
  );
}

export function readListedUser(db: Queryable, id: UserId): Promise<ListedUser | undefined> {
  return db.maybeOne<ListedUser>(`${USERS} where u.id = $1`, [id]);
}

/**
 * Locks all operators of the highest role, so that two of them cannot take the role from each other at once. Returns
 * those who can sign in.
 */
export async function lockOperators(tx: Queryable): Promise<ReadonlySet<UserId>> {
  // "for update" would also block entries of the audit log, which name operators, while their transactions hold the
  // changed rows.
  const rows = await tx.query<{ id: UserId; disabled: boolean }>(
    "select id, disabled from users where operator_role = 'operator' order by id for no key update",
  );
  return new Set(rows.filter(({ disabled }) => !disabled).map(({ id }) => id));
}

/** Undefined = unchanged. */
export async function changeUser(
  tx: Queryable,
  id: UserId,
  {
    disabled,
    operatorRole,
  }: { readonly disabled: boolean | undefined; readonly operatorRole: OperatorRole | null | undefined },
): Promise<void> {
  await tx.execute(
    `update users set disabled = coalesce($2, disabled), operator_role = case when $3 then $4 else operator_role end,
       operator_role_by = case when $3 then null else operator_role_by end
     where id = $1`,
    [id, disabled ?? null, operatorRole !== undefined, operatorRole ?? null],
  );
}

/** A list shows no more accounts of a user than this. */
const MAX_ACCOUNTS = 20;

const USERS = `select u.id, u.email, u.name, u.operator_role as "operatorRole", u.disabled,
    exists (select from user_totps t where t.user_id = u.id and t.confirmed_at is not null) as "hasTotp",
    u.password_hash is not null as "hasPassword", u.created_at as "createdAt", u.last_sign_in_at as "lastSignInAt",
    (select coalesce(jsonb_agg(jsonb_build_object('id', x.id::text, 'name', x.name, 'role', x.role) order by x.name), '[]')
       from (select a.id, a.name, m.role from account_members m join accounts a on a.id = m.account_id
              where m.user_id = u.id order by a.name limit ${MAX_ACCOUNTS}) as x) as accounts
  from users u`;
