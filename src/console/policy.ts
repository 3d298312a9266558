import type { AccountRole } from "../users/identity.ts";

/**
 * Who may ask for an operation. The roles of an account build upon each other: a member may do what a
 * viewer may, an owner what a member may; an operator may do everything in every account.
 *
 * - `anyone`: no signing in (signing in itself, invitations)
 * - `person`: whoever is signed in, about themselves
 * - `viewer`, `member`, `owner`: with that role in the account of the path, which must have `{account}`
 * - `operator`: who runs the gateway
 */
export type Policy = "anyone" | "person" | AccountRole | "operator";

const RANK: Readonly<Record<AccountRole, number>> = { viewer: 1, member: 2, owner: 3 };

export function isAccountRole(policy: Policy): policy is AccountRole {
  return Object.hasOwn(RANK, policy);
}

/** Whether a role reaches what is asked for. */
export function reaches(role: AccountRole, needed: AccountRole): boolean {
  return RANK[role] >= RANK[needed];
}
