import type { AccountId } from "../../accounts/caller.ts";
import type { Queryable } from "../../storage/database.ts";
import type { AccountRole, UserId } from "../identity.ts";
import type { OperatorRole } from "../scopes.ts";

export interface Invitation {
  readonly id: bigint;
  readonly email: string;
  readonly accountId: AccountId | null;
  readonly accountName: string | null;
  readonly role: AccountRole | null;
  readonly operatorRole: OperatorRole | null;
  /** E-mail address. */
  readonly invitedBy: string;
  readonly byOperator: boolean;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export interface NewInvitation {
  readonly hash: Buffer;
  readonly email: string;
  readonly membership: { readonly accountId: AccountId; readonly role: AccountRole } | null;
  readonly operatorRole: OperatorRole | null;
  readonly invitedBy: UserId;
}

/** Expiry after a week covers short absences, and makes lost links worthless soon. */
const DAYS = 7;

/** Only a hash of the link's secret is stored. Fails on a foreign key if there is no such account. */
export async function insertInvitation(tx: Queryable, invitation: NewInvitation): Promise<Invitation> {
  const { id } = await tx.one<{ id: bigint }>(
    `insert into invitations (hash, email, account_id, role, operator_role, invited_by, expires_at)
     values ($1, $2, $3, $4, $5, $6, now() + interval '${DAYS} days') returning id`,
    [
      invitation.hash,
      invitation.email,
      invitation.membership?.accountId ?? null,
      invitation.membership?.role ?? null,
      invitation.operatorRole,
      invitation.invitedBy,
    ],
  );
  return tx.one<Invitation>(`${INVITATIONS} where i.id = $1`, [id]);
}

/** Returns the invitation of a link if it is still open. */
export function findInvitation(db: Queryable, hash: Buffer): Promise<Invitation | undefined> {
  return db.maybeOne<Invitation>(`${INVITATIONS} where i.hash = $1 and ${OPEN}`, [hash]);
}

/** Open invitations to an address. */
export function invitationsFor(db: Queryable, email: string): Promise<Invitation[]> {
  return db.query<Invitation>(`${INVITATIONS} where i.email = $1 and ${OPEN}`, [email]);
}

/** Returns false if the invitation was used or revoked in the meantime. */
export async function takeInvitation(tx: Queryable, id: bigint): Promise<boolean> {
  const statement = `update invitations i set accepted_at = now() where id = $1 and ${OPEN}`;
  return (await tx.execute(statement, [id])) > 0;
}

/** Deletes an invitation and returns its address; `account` null = of any account. Undefined = there was none. */
export async function deleteInvitation(
  tx: Queryable,
  id: bigint,
  account: AccountId | null,
): Promise<Pick<Invitation, "email" | "accountId"> | undefined> {
  return tx.maybeOne(
    `delete from invitations where id = $1 and accepted_at is null and ($2::int8 is null or account_id = $2)
     returning email, account_id as "accountId"`,
    [id, account],
  );
}

/**
 * True if the user may still invite: as an operator or as an owner of the account (null = none), with a password that
 * they chose. Locks the right until the transaction ends, so that no invitation slips in between the removal of an
 * owner and of their invitations. The lock is exclusive: with shared ones, a stream of new invitations could delay the
 * removal forever.
 */
export async function holdInviter(
  tx: Queryable,
  inviter: UserId,
  account: AccountId | null,
): Promise<boolean> {
  const user = await tx.maybeOne<{ isOperator: boolean }>(
    `select coalesce(operator_role = 'operator', false) as "isOperator" from users where id = $1 and not disabled and not must_change_password
     for no key update`,
    [inviter],
  );
  if (user === undefined || user.isOperator) return user !== undefined;
  const owns = await tx.maybeOne(
    "select from account_members where account_id = $1 and user_id = $2 and role = 'owner' for no key update",
    [account, inviter],
  );
  return owns !== undefined;
}

/** Deletes open invitations of a user who may no longer invite; `account` null = all of them. */
export async function deleteInvitationsBy(
  tx: Queryable,
  inviter: UserId,
  account: AccountId | null,
): Promise<void> {
  await tx.execute(
    `delete from invitations
     where invited_by = $1 and accepted_at is null and ($2::int8 is null or account_id = $2)`,
    [inviter, account],
  );
}

/** Open invitations before `before`, latest first; `account` null = of all accounts. */
export function readInvitations(
  db: Queryable,
  {
    account,
    before,
    limit,
  }: { readonly account: AccountId | null; readonly before: bigint; readonly limit: number },
): Promise<Invitation[]> {
  return db.query<Invitation>(
    `${INVITATIONS} where ${account === null ? "$1::int8 is null" : "i.account_id = $1"} and i.id < $2 and ${OPEN}
     order by i.id desc limit $3`,
    [account, before, limit],
  );
}

const OPEN = "i.accepted_at is null and i.expires_at > now()";

const INVITATIONS = `select i.id, i.email, i.account_id as "accountId", a.name as "accountName", i.role,
    i.operator_role as "operatorRole", u.email as "invitedBy", coalesce(u.operator_role = 'operator', false) as "byOperator",
    i.created_at as "createdAt", i.expires_at as "expiresAt"
  from invitations i join users u on u.id = i.invited_by left join accounts a on a.id = i.account_id`;
