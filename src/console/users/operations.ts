import type { ConsoleDeps } from "../deps.ts";
import type { Operation } from "../operation.ts";
import { acceptanceOperations } from "./acceptance.ts";
import { identityOperations } from "./identities.ts";
import { invitationOperations } from "./invitations.ts";
import { meOperations } from "./me.ts";
import { memberOperations } from "./members.ts";
import { totpOperations } from "./totp.ts";
import { userOperations } from "./users.ts";

/** People: oneself, the members of an account, everybody. */
export function allUserOperations(deps: ConsoleDeps): readonly Operation[] {
  return [
    ...meOperations(deps),
    ...totpOperations(deps),
    ...memberOperations(deps),
    ...invitationOperations(deps),
    ...acceptanceOperations(deps),
    ...userOperations(deps),
    ...identityOperations(deps),
  ];
}
