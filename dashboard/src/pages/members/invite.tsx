import { type FormEvent, type ReactNode, useState } from "react";
import { faultOf } from "../../api/api-error.ts";
import { write } from "../../api/client.ts";
import { useWrite } from "../../api/use-write.ts";
import { Button } from "../../parts/button.tsx";
import { type Choice, Chooser } from "../../parts/chooser.tsx";
import { Dialog, DialogButtons } from "../../parts/dialog.tsx";
import { Failed } from "../../parts/failure.tsx";
import { Field, Input } from "../../parts/field.tsx";
import { useWords } from "../../words/use-words.ts";
import { type OperatorRole, OperatorRoleField } from "../operator-users/operator-role-field.tsx";
import { InvitationLink } from "./invitation-link.tsx";
import { type Role, RoleField } from "./role-field.tsx";
import { peopleWords } from "./words.ts";

interface InviteProps {
  /** The account that is joined; absent = an operator chooses one, and may give the user a role of operators. */
  readonly account?: string;
  readonly onClose: () => void;
}

/** Invites someone by a link, which is shown once. */
export function Invite({ account, onClose }: InviteProps): ReactNode {
  const t = useWords(peopleWords);
  const [email, setEmail] = useState("");
  const [chosen, setChosen] = useState<Choice | null>(null);
  const [role, setRole] = useState<Role>(account === undefined ? "owner" : "member");
  const [operatorRole, setOperatorRole] = useState<OperatorRole | null>(null);
  const joins = account ?? chosen?.id;
  const invite = useWrite(() =>
    account === undefined
      ? write("POST", "/operator/invitations", {
          email,
          account: joins === undefined ? null : { id: joins, role },
          operator_role: operatorRole,
        })
      : write("POST", `/accounts/${account}/invitations`, { email, role }),
  );
  if (invite.data !== undefined) return <InvitationLink invitation={invite.data} onClose={onClose} />;
  const send = (event: FormEvent): void => {
    event.preventDefault();
    invite.mutate(undefined);
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
        {account === undefined && (
          <Field label={t.account} hint={t.accountHint}>
            <Chooser
              path="/operator/accounts"
              choiceOf={({ id, name, group }) => ({ id, name, note: group })}
              chosen={chosen}
              onChoose={setChosen}
            />
          </Field>
        )}
        {joins !== undefined && <RoleField role={role} choose={setRole} />}
        {account === undefined && <OperatorRoleField role={operatorRole} choose={setOperatorRole} />}
        {invite.error && wrong === undefined && <Failed error={invite.error} />}
        <DialogButtons>
          <Button
            type="submit"
            look="primary"
            busy={invite.isPending}
            disabled={joins === undefined && operatorRole === null}
          >
            {t.invite}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
