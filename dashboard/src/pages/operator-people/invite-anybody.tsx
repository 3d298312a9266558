import { type FormEvent, type ReactNode, useState } from "react";
import type { CreatedInvitation, OperatorInvitation } from "../../../../src/console/people/contract.ts";
import { write } from "../../api/client.ts";
import { useWrite } from "../../api/use-write.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogButtons } from "../../parts/dialog.tsx";
import { Failed } from "../../parts/failure.tsx";
import { Checkbox, Field, Input } from "../../parts/field.tsx";
import { useWords } from "../../words/use-words.ts";
import { InvitationLink } from "../people/invitation-link.tsx";
import { type Role, RoleField } from "../people/role-field.tsx";
import { peopleWords } from "../people/words.ts";

/** Brings somebody into any account, makes them an operator, or both. */
export function InviteAnybody({ onClose }: { readonly onClose: () => void }): ReactNode {
  const t = useWords(peopleWords);
  const [email, setEmail] = useState("");
  const [account, setAccount] = useState("");
  const [role, setRole] = useState<Role>("owner");
  const [makesOperator, setMakesOperator] = useState(false);
  const invite = useWrite((body: OperatorInvitation) =>
    write<CreatedInvitation>("POST", "/operator/invitations", body),
  );
  if (invite.data !== undefined) return <InvitationLink invitation={invite.data} onClose={onClose} />;
  const id = account.trim();
  const send = (event: FormEvent): void => {
    event.preventDefault();
    invite.mutate({ email, account: id === "" ? null : { id, role }, makes_operator: makesOperator });
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
        <Field label={t.accountId} hint={t.accountHint}>
          <Input inputMode="numeric" value={account} onChange={(event) => setAccount(event.target.value)} />
        </Field>
        {id !== "" && <RoleField role={role} choose={setRole} />}
        <Checkbox
          label={t.makesOperator}
          hint={t.makesOperatorHint}
          checked={makesOperator}
          onChange={(event) => setMakesOperator(event.target.checked)}
        />
        {invite.error && <Failed error={invite.error} />}
        <DialogButtons>
          <Button type="submit" look="primary" busy={invite.isPending} disabled={id === "" && !makesOperator}>
            {t.invite}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
