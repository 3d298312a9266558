import type { AccountId } from "../accounts/caller.ts";
import type { OperatorRole, Scope } from "./scopes.ts";

declare const userId: unique symbol;
export type UserId = bigint & { readonly [userId]: true };

/** A user's rights in an account: to read it, to use it, and to administer it. Each role includes the one before. */
export type AccountRole = "viewer" | "member" | "owner";

/** A user with their present rights. It is read anew with every request, so that a removed role is gone at once. */
export interface SignedInUser {
  readonly id: UserId;
  /** Lower case; used to sign in. */
  readonly email: string;
  readonly name: string;
  /** Null = not an operator. */
  readonly operatorRole: OperatorRole | null;
  /** True for all roles of operators: they see every account and change what their role permits. */
  readonly isOperator: boolean;
  /** Roles in the accounts to which the user belongs. */
  readonly roles: ReadonlyMap<AccountId, AccountRole>;
  /** True if the gateway generated the password: the user may do nothing else before choosing one. */
  readonly mustChangePassword: boolean;
  readonly hasTotp: boolean;
  /** An identity provider knows them under a subject. */
  readonly hasIdentity: boolean;
  /** A command has reset their password of late: it counts where settings require an identity provider. */
  readonly mayUsePassword: boolean;
  readonly accountNames: readonly string[];
}

/** The sender of a request, and how they are signed in: by a browser's session or a script's console token. */
export type Identity = SessionIdentity | TokenIdentity;

export interface SessionIdentity {
  readonly via: "session";
  readonly user: SignedInUser;
  /** Id of the session; it is not the session's secret. */
  readonly sessionId: bigint;
  /** Id of the identity provider that began the session; null = a password did. */
  readonly provider: string | null;
  /** Value that every write of this session must send in `x-faregate-csrf`. */
  readonly csrfToken: string;
}

export interface TokenIdentity {
  readonly via: "token";
  readonly user: SignedInUser;
  readonly tokenId: bigint;
  /** Operations that the token permits, as far as its user may use them. */
  readonly scopes: readonly Scope[];
  /** The only account for which it is valid; null = all accounts of its user. */
  readonly accountId: AccountId | null;
  /** Addresses and ranges from which it may be used; null = any. */
  readonly allowedAddresses: readonly string[] | null;
}
