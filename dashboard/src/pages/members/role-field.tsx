import type { ReactNode } from "react";
import type { MemberRow } from "../../../../src/console/users/contract.ts";
import { Field, Select } from "../../parts/field.tsx";
import { useWords } from "../../words/use-words.ts";
import { peopleWords } from "./words.ts";

export type Role = MemberRow["role"];

const ROLES: readonly Role[] = ["viewer", "member", "owner"];

/** A role, with what it may. */
export function RoleField({
  role,
  choose,
}: {
  readonly role: Role;
  readonly choose: (role: Role) => void;
}): ReactNode {
  const t = useWords(peopleWords);
  return (
    <Field label={t.role} hint={t.roleHints[role]}>
      <Select value={role} onChange={(event) => choose(event.target.value as Role)}>
        {ROLES.map((each) => (
          <option key={each} value={each}>
            {t.roles[each]}
          </option>
        ))}
      </Select>
    </Field>
  );
}
