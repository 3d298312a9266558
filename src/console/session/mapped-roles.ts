import type { OidcProvider } from "../../catalog/catalog.ts";
import type { Queryable } from "../../storage/database.ts";
import type { AccountRole, UserId } from "../../users/identity.ts";
import { deleteInvitationsBy } from "../../users/members/invitations-store.ts";
import {
  type MappedMembership,
  readOperatorRole,
  writeMappedMemberships,
  writeMappedOperatorRole,
} from "../../users/members/mapped-roles-store.ts";
import { lockOperators } from "../../users/members/user-list-store.ts";
import { OPERATOR_ROLES, type OperatorRole } from "../../users/scopes.ts";
import type { OidcPerson } from "../../users/sign-in/oidc.ts";
import type { Call } from "../operation.ts";

/** The roles that a provider's word gives somebody. */
export interface MappedRoles {
  readonly memberships: readonly MappedMembership[];
  readonly operatorRole: OperatorRole | null;
}

const ACCOUNT_ROLES: readonly AccountRole[] = ["viewer", "member", "owner"];

/** What settings give for the groups and the verified address that a provider states; of several roles the highest. */
export function mappedRoles(
  { domains, groups }: Pick<OidcProvider, "domains" | "groups">,
  person: Pick<OidcPerson, "verifiedEmail" | "groups">,
): MappedRoles {
  const domain = person.verifiedEmail?.slice(person.verifiedEmail.lastIndexOf("@") + 1);
  const fits = groups.filter(({ group }) => person.groups.includes(group));
  const roles = new Map<string, AccountRole>();
  const give = (account: string | null, role: AccountRole | null): void => {
    if (account !== null && role !== null)
      roles.set(account, higher(ACCOUNT_ROLES, roles.get(account), role));
  };
  for (const each of domains) if (each.domain === domain) give(each.account, each.role);
  for (const { account, role } of fits) give(account, role);
  const operatorRoles = fits.flatMap(({ operatorRole }) => operatorRole ?? []);
  return {
    memberships: [...roles].map(([account, role]) => ({ account, role })),
    operatorRole: operatorRoles.reduce<OperatorRole | null>(
      (highest, role) => higher(OPERATOR_ROLES, highest ?? undefined, role),
      null,
    ),
  };
}

function higher<Role>(ranks: readonly Role[], one: Role | undefined, other: Role): Role {
  return one !== undefined && ranks.indexOf(one) > ranks.indexOf(other) ? one : other;
}

interface Mapped {
  readonly user: { readonly id: UserId; readonly email: string };
  readonly provider: string;
  readonly roles: MappedRoles;
  readonly audit: Call<unknown, unknown>["audit"];
}

/**
 * Makes somebody's roles from this provider what it gives now, at each sign-in: whoever has left a group loses what it
 * gave. Roles given by hand, or by another provider, stay. False where the last operator was to lose the role, who keeps it.
 */
export async function applyMappedRoles(
  tx: Queryable,
  { user, provider, roles, audit }: Mapped,
): Promise<boolean> {
  const mapped = { userId: user.id, provider };
  const trace = { subject: user.email, actorId: user.id };
  const { role: current, by } = await readOperatorRole(tx, user.id);
  const isChanged = (current === null || by === provider) && current !== roles.operatorRole;
  const operators = isChanged && current === "operator" ? await lockOperators(tx) : undefined;
  const keeps = operators?.size === 1 && operators.has(user.id);
  if (isChanged && !keeps) {
    await writeMappedOperatorRole(tx, mapped, roles.operatorRole);
    if (current === "operator") await deleteInvitationsBy(tx, user.id, null);
    const after = { operator_role: roles.operatorRole, by: provider };
    await audit(tx, { action: "user.update", ...trace, before: { operator_role: current }, after });
  }
  for (const { accountId, before, after } of await writeMappedMemberships(tx, mapped, roles.memberships)) {
    if (before === "owner") await deleteInvitationsBy(tx, user.id, accountId);
    const change = { before: { role: before }, after: { role: after, by: provider } };
    await audit(tx, { action: "member.update", ...trace, accountId, ...change });
  }
  return !keeps;
}
