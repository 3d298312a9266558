import { GatewayError } from "../../errors.ts";
import type { Queryable } from "../../storage/database.ts";
import type { UserId } from "../identity.ts";
import { makeOperator, trustEmail } from "../users-store.ts";
import { type Invitation, takeInvitation } from "./invitations-store.ts";
import { insertMember } from "./members-store.ts";

/** Gives somebody what an invitation promises, once. */
export async function acceptInvitation(tx: Queryable, invitation: Invitation, user: UserId): Promise<void> {
  if (!(await takeInvitation(tx, invitation.id)))
    throw new GatewayError("conflict", "The invitation was just accepted or revoked.");
  const { accountId, role, makesOperator, byOperator } = invitation;
  if (accountId !== null && role !== null) await insertMember(tx, accountId, user, role);
  if (makesOperator) await makeOperator(tx, user);
  // Whoever makes a link can open it themselves: an owner's proves no address, an operator is believed.
  if (byOperator) await trustEmail(tx, user);
}

/** What somebody is called who did not say so. */
export function nameOf(email: string): string {
  return email.slice(0, email.lastIndexOf("@")).slice(0, 100);
}
