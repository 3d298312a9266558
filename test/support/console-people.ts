import type { SessionResponse } from "../../src/console/session/contract.ts";
import type { OperatorRole } from "../../src/users/scopes.ts";
import { type ConsoleCaller, callerOf, type SignedIn, signedInBy } from "./console.ts";

export type Role = SessionResponse["accounts"][number]["role"];

export interface Guest {
  readonly email: string;
  readonly password?: string;
  readonly account?: { readonly id: string; readonly role: Role };
  readonly operator?: OperatorRole | boolean;
}

export const GUEST_PASSWORD = "a guest's own password";

/** Has an operator invite somebody, who accepts and is signed in. */
export async function inviteGuest(
  gateway: { readonly url: string },
  operator: ConsoleCaller,
  { email, password = GUEST_PASSWORD, account, operator: role = false }: Guest,
): Promise<SignedIn> {
  const operatorRole = role === true ? "operator" : role || null;
  const order = { email, account: account ?? null, operator_role: operatorRole };
  const invitation = await operator.post("/operator/invitations", order);
  if (invitation.status !== 201) throw new Error(`not invited: ${JSON.stringify(invitation.body)}`);
  const token = tokenOf(invitation.body.link);
  const accepted = await callerOf(gateway).post("/invitations/accept", { token, password });
  if (accepted.status !== 200) throw new Error(`not accepted: ${JSON.stringify(accepted.body)}`);
  return signedInBy(gateway, accepted);
}

/** The secret of an invitation's link. */
export function tokenOf(link: string): string {
  return new URL(link).hash.slice(1);
}
