/** What a console operation concerns; also what a console token may be limited to. */
export const SCOPES = ["read", "billing", "keys", "all"] as const;
export type Scope = (typeof SCOPES)[number];

/** Roles of operators. Each may do what the one before it may. */
export const OPERATOR_ROLES = ["read_only", "billing", "operator"] as const;
export type OperatorRole = (typeof OPERATOR_ROLES)[number];

/** The operations that a token of this scope reaches, as far as its user does. */
const OF_SCOPE: Readonly<Record<Scope, readonly Scope[]>> = {
  read: ["read"],
  billing: ["read", "billing"],
  keys: ["read", "keys"],
  all: SCOPES,
};

/** The operations that an operator of this role reaches, in every account. */
const OF_OPERATOR: Readonly<Record<OperatorRole, readonly Scope[]>> = {
  read_only: ["read"],
  billing: ["read", "billing"],
  operator: SCOPES,
};

/** True if a token of these scopes reaches an operation of scope `needed`. */
export function scopesReach(scopes: readonly Scope[], needed: Scope): boolean {
  return scopes.some((scope) => OF_SCOPE[scope].includes(needed));
}

/** True if an operator's role reaches an operation of scope `needed`. */
export function operatorReaches(role: OperatorRole, needed: Scope): boolean {
  return OF_OPERATOR[role].includes(needed);
}

/** The operator's role that an operation of this scope needs at least. */
export function leastOperatorRole(needed: Scope): OperatorRole {
  return OPERATOR_ROLES.find((role) => operatorReaches(role, needed)) ?? "operator";
}
