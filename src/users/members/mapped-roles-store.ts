import type { AccountId } from "../../accounts/caller.ts";
import type { Queryable } from "../../storage/database.ts";
import type { AccountRole, UserId } from "../identity.ts";
import type { OperatorRole } from "../scopes.ts";

/** Roles that an identity provider's groups and domains give: written at each sign-in, and never over what a hand gave. */

/** Whose roles, of which provider. */
export interface MappedUser {
  readonly userId: UserId;
  readonly provider: string;
}

/** A role in an account, by the account's name. */
export interface MappedMembership {
  readonly account: string;
  readonly role: AccountRole;
}

/** What became of one membership; null = it is no more. */
export interface ChangedMembership {
  readonly accountId: AccountId;
  readonly before: AccountRole | null;
  readonly after: AccountRole | null;
}

/**
 * Makes the memberships that the provider gave somebody those that it gives now. Accounts that don't exist give
 * nothing; a membership that was given by hand stays as it is.
 */
export async function writeMappedMemberships(
  tx: Queryable,
  { userId, provider }: MappedUser,
  memberships: readonly MappedMembership[],
): Promise<ChangedMembership[]> {
  const names = memberships.map(({ account }) => account);
  const roles = memberships.map(({ role }) => role);
  const lost = await tx.query<ChangedMembership>(
    `delete from account_members m using accounts a
     where m.user_id = $1 and m.role_by = $2 and a.id = m.account_id and not a.name = any($3::text[])
     returning m.account_id as "accountId", m.role as before, null as after`,
    [userId, provider, names],
  );
  const had = await tx.query<{ accountId: AccountId; role: AccountRole }>(
    `select account_id as "accountId", role from account_members where user_id = $1`,
    [userId],
  );
  const given = await tx.query<{ accountId: AccountId; role: AccountRole }>(
    `insert into account_members as m (user_id, account_id, role, role_by)
     select $1, a.id, w.role, $2 from unnest($3::text[], $4::text[]) as w (name, role) join accounts a on a.name = w.name
     on conflict (user_id, account_id) do update set role = excluded.role
     where m.role_by = $2 and m.role <> excluded.role
     returning account_id as "accountId", role`,
    [userId, provider, names, roles],
  );
  const before = new Map(had.map(({ accountId, role }) => [accountId, role]));
  return [
    ...lost,
    ...given.map(({ accountId, role }) => ({
      accountId,
      before: before.get(accountId) ?? null,
      after: role,
    })),
  ];
}

/** The role of operators that somebody has, and the provider whose groups gave it; null = none, or by hand. */
export function readOperatorRole(
  tx: Queryable,
  userId: UserId,
): Promise<{ readonly role: OperatorRole | null; readonly by: string | null }> {
  return tx.one("select operator_role as role, operator_role_by as by from users where id = $1", [userId]);
}

/** Gives somebody the role of operators that their provider's groups give; null takes it away. */
export async function writeMappedOperatorRole(
  tx: Queryable,
  { userId, provider }: MappedUser,
  role: OperatorRole | null,
): Promise<void> {
  await tx.execute("update users set operator_role = $2, operator_role_by = $3 where id = $1", [
    userId,
    role,
    role === null ? null : provider,
  ]);
}
