import type { AccountId } from "../accounts/caller.ts";
import type { OperatorRole, Scope } from "./scopes.ts";

declare const userId: unique symbol;
export type UserId = bigint & { readonly [userId]: true };

/** What a user may do in an account: look, use it, answer for it. Each role includes the one before. */
export type AccountRole = "viewer" | "member" | "owner";

/** Someone who can sign in, as they stand now: read anew with every request, so that a role taken is gone at once. */
export interface SignedInUser {
  readonly id: UserId;
  /** In lower case; the name under which they sign in. */
  readonly email: string;
  readonly name: string;
  /** Null = no operator. */
  readonly operatorRole: OperatorRole | null;
  /** Has a role of operators: sees every account, and changes what the role reaches. */
  readonly isOperator: boolean;
  /** The accounts they belong to. */
  readonly roles: ReadonlyMap<AccountId, AccountRole>;
  /** Their password was made by the gateway: until they choose one they may do nothing else. */
  readonly mustChangePassword: boolean;
  readonly hasTotp: boolean;
}

/** Who asks, and by what: a browser's session, or a script's console token. */
export type Identity = SessionIdentity | TokenIdentity;

export interface SessionIdentity {
  readonly via: "session";
  readonly user: SignedInUser;
  /** Id of the session, which is not its secret. */
  readonly sessionId: bigint;
  /** What every write of this session must send along, in `x-faregate-csrf`. */
  readonly csrfToken: string;
}

export interface TokenIdentity {
  readonly via: "token";
  readonly user: SignedInUser;
  readonly tokenId: bigint;
  /** Which of the operations that its user reaches it reaches too. */
  readonly scopes: readonly Scope[];
  /** The one account that it is for; null = whatever its user reaches. */
  readonly accountId: AccountId | null;
}
