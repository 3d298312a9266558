import { readAddressList } from "../../base/fetch/address-list.ts";
import type { Settings } from "../../catalog/catalog.ts";
import { GatewayError } from "../../errors.ts";
import type { Identity, SignedInUser } from "../../users/identity.ts";
import type { UserRecord } from "../../users/users-store.ts";

/** What settings ask of those who sign in. Looked at in every request, so that a new rule also holds for who is in. */
export type SignInRules = Settings["signIn"];

/** Throws where somebody's role, token or way in is good for nothing here: from that address, or by a password. */
export function expectWayIn(identity: Identity, address: string, rules: SignInRules): void {
  if (identity.via === "token" && identity.allowedAddresses !== null)
    expectAddress(identity.allowedAddresses, address, "This console token");
  expectOperatorAddress(identity.user, address, rules);
  if (!rules.requireSso || identity.via === "token") return;
  if (identity.provider === null && !identity.user.mayUsePassword)
    throw new GatewayError("not_signed_in", "Passwords are off here. Sign in with an identity provider.");
}

/** Throws address_not_allowed for an operator who comes from elsewhere than settings allow. */
export function expectOperatorAddress(
  { operatorRole }: Pick<UserRecord, "operatorRole">,
  address: string,
  { operatorAddresses }: SignInRules,
): void {
  if (operatorAddresses !== null && operatorRole !== null)
    expectAddress(operatorAddresses, address, "An operator's access");
}

function expectAddress(ranges: readonly string[], address: string, what: string): void {
  if (readAddressList(ranges).includes(address)) return;
  throw new GatewayError("address_not_allowed", `${what} can't be used from ${address}.`);
}

/** Throws sso_required where settings refuse passwords; who has had theirs reset by a command may use it for a day. */
export function expectPasswords(
  { requireSso }: SignInRules,
  user?: Pick<UserRecord, "mayUsePassword">,
): void {
  if (!requireSso || user?.mayUsePassword === true) return;
  throw new GatewayError("sso_required", "Passwords are off here. Sign in with an identity provider.");
}

/** True if settings ask a second factor of somebody. */
export function needsTwoFactor(user: SignedInUser, { requireTwoFactor }: SignInRules): boolean {
  const { operators, accounts } = requireTwoFactor;
  return (operators && user.isOperator) || user.accountNames.some((name) => accounts.includes(name));
}

/**
 * True if somebody must set up a second factor before anything else. An identity provider's counts: that of the session,
 * or for tokens, which no longer know the session, of whoever has such an identity.
 */
export function lacksTwoFactor(identity: Identity, rules: SignInRules): boolean {
  if (identity.user.hasTotp || !needsTwoFactor(identity.user, rules)) return false;
  return identity.via === "session" ? identity.provider === null : !identity.user.hasIdentity;
}
