import { type FormEvent, type ReactNode, useState } from "react";
import type { MemberRow, RoleBody } from "../../../../src/console/users/contract.ts";
import { write } from "../../api/client.ts";
import { useWrite } from "../../api/use-write.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogButtons } from "../../parts/dialog.tsx";
import { Failed } from "../../parts/failure.tsx";
import { useWords } from "../../words/use-words.ts";
import { RoleField } from "./role-field.tsx";
import { peopleWords } from "./words.ts";

export interface MemberDialog {
  readonly account: string;
  readonly member: MemberRow;
  readonly onClose: () => void;
}

export function ChangeRole({ account, member, onClose }: MemberDialog): ReactNode {
  const t = useWords(peopleWords);
  const [role, setRole] = useState(member.role);
  const change = useWrite(
    (body: RoleBody) => write("PATCH", `/accounts/${account}/members/${member.user_id}`, body),
    () => onClose(),
  );
  const send = (event: FormEvent): void => {
    event.preventDefault();
    change.mutate({ role });
  };
  return (
    <Dialog open title={t.changeRoleTitle(member.name)} onClose={onClose}>
      <form className="flex flex-col gap-4" onSubmit={send}>
        <RoleField role={role} choose={setRole} />
        {change.error && <Failed error={change.error} />}
        <DialogButtons>
          <Button type="submit" look="primary" busy={change.isPending}>
            {t.save}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
