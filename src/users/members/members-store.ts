import type { AccountId, KeyId } from "../../accounts/caller.ts";
import type { Queryable } from "../../storage/database.ts";
import type { AccountRole, UserId } from "../identity.ts";

export interface Member {
  readonly userId: UserId;
  readonly email: string;
  readonly name: string;
  readonly role: AccountRole;
  readonly disabled: boolean;
  readonly hasTotp: boolean;
  readonly since: Date;
  readonly lastSignInAt: Date | null;
}

export interface MembersQuery {
  readonly after: bigint;
  readonly limit: number;
  /** Part of the name or the e-mail address; "" = everyone. */
  readonly search: string;
}

/** Members of an account after `after`, sorted by id (index account_members_account). */
export function readMembers(
  db: Queryable,
  account: AccountId,
  { after, limit, search }: MembersQuery,
): Promise<Member[]> {
  return db.query<Member>(
    `${MEMBERS} where m.account_id = $1 and m.user_id > $2
       and ($4 = '' or position(lower($4) in lower(u.name)) > 0 or position(lower($4) in lower(u.email)) > 0)
     order by m.user_id limit $3`,
    [account, after, limit, search],
  );
}

export function readMember(db: Queryable, account: AccountId, user: UserId): Promise<Member | undefined> {
  return db.maybeOne<Member>(`${MEMBERS} where m.account_id = $1 and m.user_id = $2`, [account, user]);
}

/**
 * Locks the owners of an account, so that two of them cannot remove each other at once. Returns those who can sign in.
 */
export async function lockOwners(tx: Queryable, account: AccountId): Promise<ReadonlySet<UserId>> {
  await tx.execute("select 1 from account_members where account_id = $1 order by user_id for update", [
    account,
  ]);
  const owners = await tx.query<{ id: UserId }>(
    `select u.id from account_members m join users u on u.id = m.user_id
     where m.account_id = $1 and m.role = 'owner' and not u.disabled`,
    [account],
  );
  return new Set(owners.map(({ id }) => id));
}

export async function setRole(
  tx: Queryable,
  account: AccountId,
  user: UserId,
  role: AccountRole,
): Promise<void> {
  const statement =
    "update account_members set role = $3, role_by = null where account_id = $1 and user_id = $2";
  await tx.execute(statement, [account, user, role]);
}

export async function deleteMember(tx: Queryable, account: AccountId, user: UserId): Promise<void> {
  await tx.execute("delete from account_members where account_id = $1 and user_id = $2", [account, user]);
}

/** Adds a member. One who belongs to the account already keeps the higher of both roles. */
export async function insertMember(
  tx: Queryable,
  account: AccountId,
  user: UserId,
  role: AccountRole,
): Promise<void> {
  await tx.execute(
    `insert into account_members as m (user_id, account_id, role) values ($1, $2, $3)
     on conflict (user_id, account_id) do update set role = excluded.role, role_by = null
     where array_position(${RANKS}, m.role) < array_position(${RANKS}, excluded.role)`,
    [user, account, role],
  );
}

/** Makes a user an owner of the `most` oldest accounts. */
export async function ownFirstAccounts(tx: Queryable, user: UserId, most: number): Promise<void> {
  await tx.execute(
    `insert into account_members (user_id, account_id, role)
     select $1, id, 'owner' from accounts order by id limit $2 on conflict do nothing`,
    [user, most],
  );
}

/** Names of a user's accounts, and whether they are suspended. */
export function readAccountNames(
  db: Queryable,
  accounts: readonly AccountId[],
): Promise<{ id: AccountId; name: string; suspended: boolean }[]> {
  return db.query(
    "select id, name, disabled as suspended from accounts where id = any($1::int8[]) order by name",
    [accounts],
  );
}

const RANKS = "array['viewer', 'member', 'owner']";

const MEMBERS = `select m.user_id as "userId", u.email, u.name, m.role, u.disabled, m.created_at as since,
    u.last_sign_in_at as "lastSignInAt",
    exists (select from user_totps t where t.user_id = u.id and t.confirmed_at is not null) as "hasTotp"
  from account_members m join users u on u.id = m.user_id`;

/**
 * True if a key acts for its account's owners: it was created by the catalog file, by the command line (which only
 * operators use), or by a user who can sign in and is an owner of the account or an operator now. It is checked each
 * time, as roles are.
 */
export async function isKeyOfOwner(db: Queryable, keyId: KeyId): Promise<boolean> {
  const row = await db.maybeOne(
    `select from api_keys k
       left join users u on u.id = k.created_by
       left join account_members m on m.user_id = k.created_by and m.account_id = k.account_id
     where k.id = $1
       and (k.created_by is null or (not u.disabled and (u.operator_role = 'operator' or m.role = 'owner')))`,
    [keyId],
  );
  return row !== undefined;
}
