import { type ReactNode, useState } from "react";
import type { Group } from "../../../../src/console/groups/contract.ts";
import { faultOf } from "../../api/api-error.ts";
import { write } from "../../api/client.ts";
import { useWrite } from "../../api/use-write.ts";
import { Dialog, DialogForm } from "../../parts/dialog.tsx";
import { Field, Input } from "../../parts/field.tsx";
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
  const [name, setName] = useState("");
  const [factor, setFactor] = useState(group?.factor ?? "1");
  const save = useWrite(
    () =>
      group === null
        ? write<Group>("POST", "/operator/groups", { name: name.trim(), factor: factor.trim() })
        : write<Group>("PATCH", `/operator/groups/${encodeURIComponent(group.name)}`, {
            factor: factor.trim(),
          }),
    () => {
      toast(t.saved);
      onClose();
    },
  );
  const faults = { name: faultOf(save.error, "name"), factor: faultOf(save.error, "factor") };
  return (
    <DialogForm
      submit={t.save}
      busy={save.isPending}
      error={faults.name === undefined && faults.factor === undefined ? save.error : null}
      onSubmit={() => {
        save.mutate(undefined);
      }}
      onClose={onClose}
    >
      {group === null && (
        <Field label={t.name} error={faults.name}>
          <Input
            value={name}
            onChange={(event) => setName(event.target.value)}
            maxLength={64}
            autoComplete="off"
            required
            autoFocus
          />
        </Field>
      )}
      <Field label={t.factor} hint={t.factorHint} error={faults.factor}>
        <Input
          value={factor}
          onChange={(event) => setFactor(event.target.value)}
          inputMode="decimal"
          autoComplete="off"
          required
        />
      </Field>
    </DialogForm>
  );
}
