import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { NewAccount } from "../../../../src/console/accounts/contract.ts";
import { faultOf } from "../../api/api-error.ts";
import { write } from "../../api/client.ts";
import { useRead } from "../../api/use-read.ts";
import { useWrite } from "../../api/use-write.ts";
import { Dialog, DialogForm } from "../../parts/dialog.tsx";
import { Field, Input, Select } from "../../parts/field.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { operatorAccountsWords } from "./words.ts";

/** Opens an account and leads to it, where it gets its money and its people. */
export function OpenAccount({
  open,
  onClose,
}: {
  readonly open: boolean;
  readonly onClose: () => void;
}): ReactNode {
  const t = useWords(operatorAccountsWords);
  return (
    <Dialog open={open} title={t.open} onClose={onClose}>
      <OpenForm onClose={onClose} />
    </Dialog>
  );
}

function OpenForm({ onClose }: { readonly onClose: () => void }): ReactNode {
  const t = useWords(operatorAccountsWords);
  const navigate = useNavigate();
  const groups = useRead("/operator/groups");
  const [name, setName] = useState("");
  const [group, setGroup] = useState("default");
  const make = useWrite(
    (body: NewAccount) => write("POST", "/operator/accounts", body),
    (account) => {
      toast(t.opened(account.name));
      void navigate({ to: `/operator/accounts/${account.id}` });
    },
  );
  const fault = faultOf(make.error, "name");
  return (
    <DialogForm
      submit={t.open}
      busy={make.isPending}
      error={fault === undefined ? make.error : null}
      onSubmit={() => {
        make.mutate({ name: name.trim(), group });
      }}
      onClose={onClose}
    >
      <Field label={t.name} hint={t.nameHint} error={fault}>
        <Input
          value={name}
          onChange={(event) => setName(event.target.value)}
          maxLength={200}
          autoComplete="off"
          required
          autoFocus
        />
      </Field>
      <Field label={t.group}>
        <Select value={group} onChange={(event) => setGroup(event.target.value)}>
          {(groups.data?.data ?? [{ name: "default" }]).map((each) => (
            <option key={each.name}>{each.name}</option>
          ))}
        </Select>
      </Field>
    </DialogForm>
  );
}
