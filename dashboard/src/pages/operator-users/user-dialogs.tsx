import { type ReactNode, useState } from "react";
import type { UserBody, UserRow } from "../../../../src/console/users/contract.ts";
import { write } from "../../api/client.ts";
import { useWrite } from "../../api/use-write.ts";
import { ConfirmDialog, Dialog, DialogForm } from "../../parts/dialog.tsx";
import { SecretDialog } from "../../parts/secret.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { peopleWords } from "../members/words.ts";
import { Identities } from "./identities.tsx";
import { OperatorRoleField } from "./operator-role-field.tsx";

export type UserAct = "lock" | "unlock" | "operator" | "password" | "totp" | "identities";

interface UserDialogProps {
  readonly user: UserRow;
  readonly onClose: () => void;
}

/** Asks once more before what an operator does to somebody. */
export function UserDialog({ act, ...rest }: UserDialogProps & { readonly act: UserAct }): ReactNode {
  switch (act) {
    case "password":
      return <ResetPassword {...rest} />;
    case "totp":
      return <ResetCodes {...rest} />;
    case "operator":
      return <ChangeOperatorRole {...rest} />;
    case "identities":
      return <Identities {...rest} />;
    default:
      return <ChangeUser act={act} {...rest} />;
  }
}

const CHANGES: Readonly<Record<Extract<UserAct, "lock" | "unlock">, UserBody>> = {
  lock: { disabled: true },
  unlock: { disabled: false },
};

function ChangeUser({
  act,
  user,
  onClose,
}: UserDialogProps & { readonly act: keyof typeof CHANGES }): ReactNode {
  const t = useWords(peopleWords);
  const { name } = user;
  const texts = {
    lock: {
      title: t.lockTitle(name),
      breaks: [t.lockBreaks, t.lockKeys],
      confirm: t.lock,
      done: t.locked(name),
    },
    unlock: { title: `${t.unlock}: ${name}`, breaks: [], confirm: t.unlock, done: t.unlocked(name) },
  }[act];
  const change = useWrite(
    () => write("PATCH", `/operator/users/${user.id}`, CHANGES[act]),
    () => {
      toast(texts.done);
      onClose();
    },
  );
  return (
    <ConfirmDialog
      open
      title={texts.title}
      breaks={texts.breaks}
      confirm={texts.confirm}
      busy={change.isPending}
      error={change.error}
      onConfirm={() => change.mutate(undefined)}
      onClose={onClose}
    />
  );
}

function ChangeOperatorRole({ user, onClose }: UserDialogProps): ReactNode {
  const t = useWords(peopleWords);
  const [role, setRole] = useState(user.operator_role);
  const change = useWrite(
    (body: UserBody) => write("PATCH", `/operator/users/${user.id}`, body),
    () => {
      toast(t.changed(user.name));
      onClose();
    },
  );
  return (
    <Dialog open title={t.operatorTitle(user.name)} onClose={onClose}>
      <DialogForm
        submit={t.save}
        busy={change.isPending}
        error={change.error}
        onSubmit={() => change.mutate({ operator_role: role })}
        onClose={onClose}
      >
        <OperatorRoleField role={role} choose={setRole} />
      </DialogForm>
    </Dialog>
  );
}

function ResetPassword({ user, onClose }: UserDialogProps): ReactNode {
  const t = useWords(peopleWords);
  const reset = useWrite(() => write("POST", `/operator/users/${user.id}/password`));
  if (reset.data !== undefined) {
    return (
      <SecretDialog
        title={t.madeTitle(user.name)}
        text={reset.data.password}
        fileName="faregate-password.txt"
        onClose={onClose}
      />
    );
  }
  return (
    <ConfirmDialog
      open
      title={t.resetTitle(user.name)}
      breaks={[t.resetBreaks, t.resetThen]}
      confirm={t.resetPassword}
      busy={reset.isPending}
      error={reset.error}
      onConfirm={() => reset.mutate(undefined)}
      onClose={onClose}
    />
  );
}

function ResetCodes({ user, onClose }: UserDialogProps): ReactNode {
  const t = useWords(peopleWords);
  const reset = useWrite(
    () => write("DELETE", `/operator/users/${user.id}/totp`),
    () => {
      toast(t.changed(user.name));
      onClose();
    },
  );
  return (
    <ConfirmDialog
      open
      title={t.codesTitle(user.name)}
      breaks={[t.codesBreaks]}
      confirm={t.resetCodes}
      busy={reset.isPending}
      error={reset.error}
      onConfirm={() => reset.mutate(undefined)}
      onClose={onClose}
    />
  );
}
