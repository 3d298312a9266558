import type { ReactNode } from "react";
import type { UserRow } from "../../../../src/console/users/contract.ts";
import { Field, Select } from "../../parts/field.tsx";
import { useWords } from "../../words/use-words.ts";
import { peopleWords } from "../members/words.ts";

export type OperatorRole = NonNullable<UserRow["operator_role"]>;

const ROLES: readonly OperatorRole[] = ["read_only", "billing", "operator"];

/** A role of operators or none, with what it may. */
export function OperatorRoleField({
  role,
  choose,
}: {
  readonly role: OperatorRole | null;
  readonly choose: (role: OperatorRole | null) => void;
}): ReactNode {
  const t = useWords(peopleWords);
  return (
    <Field label={t.operatorRole} hint={role === null ? t.noOperatorHint : t.operatorHints[role]}>
      <Select
        value={role ?? ""}
        onChange={(event) => choose(ROLES.find((each) => each === event.target.value) ?? null)}
      >
        <option value="">{t.noOperator}</option>
        {ROLES.map((each) => (
          <option key={each} value={each}>
            {t.operatorRoles[each]}
          </option>
        ))}
      </Select>
    </Field>
  );
}
