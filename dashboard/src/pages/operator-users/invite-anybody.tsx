import { type FormEvent, type ReactNode, useState } from "react";
import type { OperatorInvitation } from "../../../../src/console/users/contract.ts";
import { write } from "../../api/client.ts";
import { useWrite } from "../../api/use-write.ts";
import { Button } from "../../parts/button.tsx";
import { type Choice, Chooser } from "../../parts/chooser.tsx";
import { Dialog, DialogButtons } from "../../parts/dialog.tsx";
import { Failed } from "../../parts/failure.tsx";
import { Field, Input } from "../../parts/field.tsx";
import { useWords } from "../../words/use-words.ts";
import { InvitationLink } from "../members/invitation-link.tsx";
import { type Role, RoleField } from "../members/role-field.tsx";
import { peopleWords } from "../members/words.ts";
import { type OperatorRole, OperatorRoleField } from "./operator-role-field.tsx";

/** Brings somebody into any account, makes them an operator, or both. */
export function InviteAnybody({ onClose }: { readonly onClose: () => void }): ReactNode {
  const t = useWords(peopleWords);
  const [email, setEmail] = useState("");
  const [account, setAccount] = useState<Choice | null>(null);
  const [role, setRole] = useState<Role>("owner");
  const [operatorRole, setOperatorRole] = useState<OperatorRole | null>(null);
  const invite = useWrite((body: OperatorInvitation) => write("POST", "/operator/invitations", body));
  if (invite.data !== undefined) return <InvitationLink invitation={invite.data} onClose={onClose} />;
  const send = (event: FormEvent): void => {
    event.preventDefault();
    invite.mutate({ email, account: account && { id: account.id, role }, operator_role: operatorRole });
  };
  return (
    <Dialog open title={t.inviteTitle} onClose={onClose}>
      <form className="flex flex-col gap-4" onSubmit={send}>
        <Field label={t.email}>
          <Input
            inputMode="email"
            autoComplete="off"
            required
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        </Field>
        <Field label={t.account} hint={t.accountHint}>
          <Chooser
            path="/operator/accounts"
            choiceOf={({ id, name, group }) => ({ id, name, note: group })}
            chosen={account}
            onChoose={setAccount}
          />
        </Field>
        {account !== null && <RoleField role={role} choose={setRole} />}
        <OperatorRoleField role={operatorRole} choose={setOperatorRole} />
        {invite.error && <Failed error={invite.error} />}
        <DialogButtons>
          <Button
            type="submit"
            look="primary"
            busy={invite.isPending}
            disabled={account === null && operatorRole === null}
          >
            {t.invite}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
