import type { ReactNode } from "react";
import { write } from "../../api/client.ts";
import { useWrite } from "../../api/use-write.ts";
import { ConfirmDialog } from "../../parts/dialog.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import type { MemberDialog } from "./change-role.tsx";
import { peopleWords } from "./words.ts";

export function RemoveMember({ account, member, onClose }: MemberDialog): ReactNode {
  const t = useWords(peopleWords);
  const remove = useWrite(
    () => write("DELETE", `/accounts/${account}/members/${member.user_id}`),
    () => {
      toast(t.removed(member.name));
      onClose();
    },
  );
  return (
    <ConfirmDialog
      open
      title={t.removeTitle(member.name)}
      breaks={[t.removeBreaks, t.removeKeys]}
      confirm={t.remove}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(undefined)}
      onClose={onClose}
    />
  );
}
