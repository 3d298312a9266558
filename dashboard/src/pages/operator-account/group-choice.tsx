import { type ReactNode, useState } from "react";
import type { AccountDetail } from "../../../../src/console/accounts/contract.ts";
import { write } from "../../api/client.ts";
import { useReaches } from "../../api/session.ts";
import { useRead } from "../../api/use-read.ts";
import { useWrite } from "../../api/use-write.ts";
import { Button } from "../../parts/button.tsx";
import { Failed } from "../../parts/failure.tsx";
import { Field, Select } from "../../parts/field.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { operatorAccountWords } from "./words.ts";

/** The group of an account, by which its prices and models go; chosen and then moved, not by a slip. */
export function GroupChoice({ account }: { readonly account: AccountDetail }): ReactNode {
  const t = useWords(operatorAccountWords);
  const moves = useReaches("all");
  const [chosen, setChosen] = useState(account.group);
  const groups = useRead("/operator/groups");
  const move = useWrite(
    (group: string) => write("PATCH", `/operator/accounts/${account.id}`, { group }),
    ({ group }) => toast(t.moved(group)),
  );
  if (!moves) return account.group;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <div className="w-48">
        <Field label={t.group} quiet>
          <Select value={chosen} onChange={(event) => setChosen(event.target.value)}>
            {(groups.data?.data ?? [{ name: account.group, factor: "" }]).map(({ name, factor }) => (
              <option key={name} value={name}>
                {factor === "" ? name : `${name} (× ${factor})`}
              </option>
            ))}
          </Select>
        </Field>
      </div>
      {chosen !== account.group && (
        <Button busy={move.isPending} onClick={() => move.mutate(chosen)}>
          {t.saveGroup}
        </Button>
      )}
      {move.error !== null && <Failed error={move.error} />}
    </div>
  );
}
