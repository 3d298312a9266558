import { type ReactNode, useState } from "react";
import type { IdentityBody, IdentityRow, UserRow } from "../../../../src/console/users/contract.ts";
import { faultOf } from "../../api/api-error.ts";
import { write } from "../../api/client.ts";
import { useRead } from "../../api/use-read.ts";
import { useWrite } from "../../api/use-write.ts";
import { Time } from "../../parts/amounts.tsx";
import { Button } from "../../parts/button.tsx";
import { ConfirmDialog, Dialog, DialogForm } from "../../parts/dialog.tsx";
import { Field, Input, Select } from "../../parts/field.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { peopleWords } from "../members/words.ts";

interface IdentitiesProps {
  readonly user: UserRow;
  readonly onClose: () => void;
}

/** The identities at identity providers that sign in as somebody: linked and unlinked by hand. */
export function Identities({ user, onClose }: IdentitiesProps): ReactNode {
  const t = useWords(peopleWords);
  const [ending, setEnding] = useState<IdentityRow>();
  if (ending !== undefined)
    return <Unlink user={user} identity={ending} onClose={() => setEnding(undefined)} />;
  return (
    <Dialog open title={t.identitiesTitle(user.name)} onClose={onClose}>
      <p>{t.identitiesLead}</p>
      <Linked user={user} onUnlink={setEnding} />
      <Link user={user} onClose={onClose} />
    </Dialog>
  );
}

function Linked({
  user,
  onUnlink,
}: {
  readonly user: UserRow;
  readonly onUnlink: (identity: IdentityRow) => void;
}): ReactNode {
  const t = useWords(peopleWords);
  const list = useRead(`/operator/users/${user.id}/identities`);
  return (
    <Loaded query={list}>
      {({ data }) =>
        data.length === 0 ? (
          <p className="text-mute">{t.noIdentities}</p>
        ) : (
          <ul className="flex flex-col gap-3">
            {data.map((identity) => (
              <li key={identity.id} className="flex items-start justify-between gap-4">
                <div className="min-w-0">
                  <p className="break-all">
                    {identity.provider?.name ?? identity.issuer}: <code>{identity.subject}</code>
                  </p>
                  <p className="text-sm text-mute">
                    {t.linkedSince} <Time at={identity.created_at} />
                  </p>
                </div>
                <Button onClick={() => onUnlink(identity)}>{t.unlink}</Button>
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

function Link({ user, onClose }: IdentitiesProps): ReactNode {
  const t = useWords(peopleWords);
  const options = useRead("/sign-in");
  const [chosen, setChosen] = useState("");
  const [subject, setSubject] = useState("");
  const link = useWrite(
    (body: IdentityBody) => write("POST", `/operator/users/${user.id}/identities`, body),
    () => {
      toast(t.linked(user.name));
      setSubject("");
    },
  );
  return (
    <Loaded query={options}>
      {({ oidc }) => {
        const provider = chosen || (oidc[0]?.id ?? "");
        if (oidc.length === 0) return <p className="text-mute">{t.noProviders}</p>;
        const subjectFault = faultOf(link.error, "subject");
        return (
          <DialogForm
            submit={t.link}
            busy={link.isPending}
            error={subjectFault === undefined ? link.error : undefined}
            onSubmit={() => link.mutate({ provider, subject })}
            onClose={onClose}
          >
            <Field label={t.provider}>
              <Select value={provider} onChange={(event) => setChosen(event.target.value)}>
                {oidc.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </Select>
            </Field>
            <Field label={t.subject} hint={t.subjectHint} error={subjectFault}>
              <Input
                required
                autoComplete="off"
                maxLength={255}
                value={subject}
                onChange={(event) => setSubject(event.target.value)}
              />
            </Field>
          </DialogForm>
        );
      }}
    </Loaded>
  );
}

function Unlink({
  user,
  identity,
  onClose,
}: IdentitiesProps & { readonly identity: IdentityRow }): ReactNode {
  const t = useWords(peopleWords);
  const unlink = useWrite(
    () => write("DELETE", `/operator/users/${user.id}/identities/${identity.id}`),
    () => {
      toast(t.unlinked(user.name));
      onClose();
    },
  );
  return (
    <ConfirmDialog
      open
      title={t.unlinkTitle(identity.subject, user.name)}
      breaks={[t.unlinkBreaks, t.unlinkThen]}
      confirm={t.unlink}
      busy={unlink.isPending}
      error={unlink.error}
      onConfirm={() => unlink.mutate(undefined)}
      onClose={onClose}
    />
  );
}
