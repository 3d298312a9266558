import type { ReactNode } from "react";
import type { Group } from "../../../../src/console/groups/contract.ts";
import { ApiError, faultOf } from "../../api/api-error.ts";
import { read, write } from "../../api/client.ts";
import { useEdit } from "../../api/use-edit.ts";
import { Dialog, DialogForm } from "../../parts/dialog.tsx";
import { Field, Input } from "../../parts/field.tsx";
import { Meanwhile } from "../../parts/meanwhile.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { operatorAccountsWords } from "./words.ts";

interface GroupDialogProps {
  readonly open: boolean;
  /** Null: a new one. */
  readonly group: Group | null;
  readonly onClose: () => void;
}

/** Makes a group, or changes the factor of one. */
export function GroupDialog({ open, group, onClose }: GroupDialogProps): ReactNode {
  const t = useWords(operatorAccountsWords);
  const title = group === null ? t.newGroup : t.changeOf(group.name);
  return (
    <Dialog open={open} title={title} onClose={onClose}>
      <GroupForm group={group} onClose={onClose} />
    </Dialog>
  );
}

function GroupForm({ group, onClose }: Omit<GroupDialogProps, "open">): ReactNode {
  const t = useWords(operatorAccountsWords);
  const edit = useEdit({
    shown: group ?? undefined,
    draftOf: (shown) => ({ name: shown?.name ?? "", factor: shown?.factor ?? "1" }),
    load: () => groupNow(group?.name ?? ""),
    send: (draft, from) => {
      const factor = draft.factor.trim();
      return from === undefined
        ? write("POST", PATH, { name: draft.name.trim(), factor })
        : write("PATCH", `${PATH}/${encodeURIComponent(from.name)}`, { factor }, from.revision);
    },
    done: () => {
      toast(t.saved);
      onClose();
    },
  });
  const { draft, change, error } = edit;
  const faults = { name: faultOf(error, "name"), factor: faultOf(error, "factor") };
  return (
    <DialogForm
      submit={t.save}
      busy={edit.busy}
      error={faults.name === undefined && faults.factor === undefined ? error : null}
      onSubmit={edit.save}
      onClose={onClose}
    >
      {group === null && (
        <Field label={t.name} error={faults.name}>
          <Input
            value={draft.name}
            onChange={(event) => change({ name: event.target.value })}
            maxLength={64}
            autoComplete="off"
            required
            autoFocus
          />
        </Field>
      )}
      <Field label={t.factor} hint={t.factorHint} error={faults.factor}>
        <Input
          value={draft.factor}
          onChange={(event) => change({ factor: event.target.value })}
          inputMode="decimal"
          autoComplete="off"
          required
        />
      </Field>
      <Meanwhile edit={edit} names={t} />
    </DialogForm>
  );
}

const PATH = "/operator/groups";

/** Throws where somebody deleted it. */
async function groupNow(name: string): Promise<Group> {
  const { data } = await read(PATH);
  const found = data.find((each) => each.name === name);
  if (found !== undefined) return found;
  throw new ApiError("Group not found.", { status: 404, code: "not_found", param: "", requestId: "" });
}
