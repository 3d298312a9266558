/** Area of a console operation; a console token may be limited to some of them. */
export const SCOPES = ["read", "billing", "keys", "all"] as const;
export type Scope = (typeof SCOPES)[number];

/** Roles of operators. Each includes the rights of the one before. */
export const OPERATOR_ROLES = ["read_only", "billing", "operator"] as const;
export type OperatorRole = (typeof OPERATOR_ROLES)[number];

/** Operations that a token of this scope permits, as far as its user may use them. */
const OF_SCOPE: Readonly<Record<Scope, readonly Scope[]>> = {
  read: ["read"],
  billing: ["read", "billing"],
  keys: ["read", "keys"],
  all: SCOPES,
};

/** Operations that this role permits in every account. */
const OF_OPERATOR: Readonly<Record<OperatorRole, readonly Scope[]>> = {
  read_only: ["read"],
  billing: ["read", "billing"],
  operator: SCOPES,
};

/** True if a token of these scopes permits an operation of scope `needed`. */
export function scopesReach(scopes: readonly Scope[], needed: Scope): boolean {
  return scopes.some((scope) => OF_SCOPE[scope].includes(needed));
}

/** True if an operator's role permits an operation of scope `needed`. */
export function operatorReaches(role: OperatorRole, needed: Scope): boolean {
  return OF_OPERATOR[role].includes(needed);
}

/** Returns the lowest operator's role that permits operations of this scope. */
export function leastOperatorRole(needed: Scope): OperatorRole {
  return OPERATOR_ROLES.find((role) => operatorReaches(role, needed)) ?? "operator";
}
