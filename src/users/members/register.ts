import { openAccount } from "../../accounts/accounts-store.ts";
import type { AccountId } from "../../accounts/caller.ts";
import { GatewayError } from "../../errors.ts";
import type { Queryable } from "../../storage/database.ts";
import type { UserId } from "../identity.ts";
import { insertUser, makeOperator, type NewUser, trustEmail } from "../users-store.ts";
import { type Invitation, takeInvitation } from "./invitations-store.ts";
import { insertMember } from "./members-store.ts";

/** The group of accounts that users open themselves; the migrations create it. */
const GROUP = "default";

/** More accounts of one name than this can't be a coincidence. */
const MAX_OF_NAME = 20;

/** Creates a user with an account of their own and no money. */
export async function registerPerson(
  tx: Queryable,
  user: NewUser,
): Promise<{ readonly id: UserId; readonly accountId: AccountId }> {
  const id = await insertUser(tx, user);
  if (id === undefined)
    throw new GatewayError("conflict", "That address is already registered. Sign in instead.");
  for (let number = 1; number <= MAX_OF_NAME; number += 1) {
    const name = number === 1 ? user.email : `${user.email.slice(0, 190)} ${number}`;
    const accountId = await openAccount(tx, { name: name.slice(0, 200), group: GROUP });
    if (accountId === undefined) continue;
    await insertMember(tx, accountId, id, "owner");
    return { id, accountId };
  }
  throw new GatewayError("conflict", "That account name is taken.");
}

/** Gives a user the role of an invitation, once. */
export async function acceptInvitation(tx: Queryable, invitation: Invitation, user: UserId): Promise<void> {
  if (!(await takeInvitation(tx, invitation.id)))
    throw new GatewayError("conflict", "The invitation was just accepted or revoked.");
  const { accountId, role, operatorRole, byOperator } = invitation;
  if (accountId !== null && role !== null) await insertMember(tx, accountId, user, role);
  if (operatorRole !== null) await makeOperator(tx, user, operatorRole);
  // A link can be opened by its author, so an owner's link proves no address; operators are trusted.
  if (byOperator) await trustEmail(tx, user);
}

/** Default name of a user who gave none. */
export function nameOf(email: string): string {
  return email.slice(0, email.lastIndexOf("@")).slice(0, 100);
}
