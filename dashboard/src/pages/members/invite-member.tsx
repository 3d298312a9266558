import { type FormEvent, type ReactNode, useState } from "react";
import type { MemberInvitation } from "../../../../src/console/users/contract.ts";
import { faultOf } from "../../api/api-error.ts";
import { write } from "../../api/client.ts";
import { useAccount } from "../../api/session.ts";
import { useWrite } from "../../api/use-write.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogButtons } from "../../parts/dialog.tsx";
import { Failed } from "../../parts/failure.tsx";
import { Field, Input } from "../../parts/field.tsx";
import { useWords } from "../../words/use-words.ts";
import { InvitationLink } from "./invitation-link.tsx";
import { type Role, RoleField } from "./role-field.tsx";
import { peopleWords } from "./words.ts";

/** Brings somebody into the account. */
export function InviteMember({ onClose }: { readonly onClose: () => void }): ReactNode {
  const t = useWords(peopleWords);
  const { id } = useAccount();
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("member");
  const invite = useWrite((body: MemberInvitation) => write("POST", `/accounts/${id}/invitations`, body));
  if (invite.data !== undefined) return <InvitationLink invitation={invite.data} onClose={onClose} />;
  const send = (event: FormEvent): void => {
    event.preventDefault();
    invite.mutate({ email, role });
  };
  const wrong = faultOf(invite.error, "email");
  return (
    <Dialog open title={t.inviteTitle} onClose={onClose}>
      <form className="flex flex-col gap-4" onSubmit={send}>
        <Field label={t.email} error={wrong}>
          <Input
            inputMode="email"
            autoComplete="off"
            required
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        </Field>
        <RoleField role={role} choose={setRole} />
        {invite.error && wrong === undefined && <Failed error={invite.error} />}
        <DialogButtons>
          <Button type="submit" look="primary" busy={invite.isPending}>
            {t.invite}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
