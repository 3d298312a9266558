import type { Invitation } from "../../users/members/invitations-store.ts";
import type { InvitationRow } from "./contract.ts";

export function invitationRowOf(invitation: Invitation): InvitationRow {
  const { accountId, accountName } = invitation;
  return {
    id: String(invitation.id),
    email: invitation.email,
    account: accountId === null ? null : { id: String(accountId), name: accountName ?? "" },
    role: invitation.role,
    makes_operator: invitation.makesOperator,
    invited_by: invitation.invitedBy,
    created_at: invitation.createdAt.toISOString(),
    expires_at: invitation.expiresAt.toISOString(),
  };
}
