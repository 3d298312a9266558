import { type FormEvent, type ReactNode, useState } from "react";
import type { Upstream } from "../../../../src/console/upstreams/contract.ts";
import { faultOf } from "../../api/api-error.ts";
import { write } from "../../api/client.ts";
import { useRead } from "../../api/use-read.ts";
import { useWrite } from "../../api/use-write.ts";
import { Button } from "../../parts/button.tsx";
import { ConfirmDialog, Dialog, DialogButtons } from "../../parts/dialog.tsx";
import { Failed } from "../../parts/failure.tsx";
import { Field, Input } from "../../parts/field.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { CredentialFields, type CredentialParts } from "./cloud-fields.tsx";
import { written } from "./draft.ts";
import { upstreamWords } from "./words.ts";

export type Credential = Upstream["credentials"][number];

interface Place {
  readonly upstream: Upstream;
  readonly onClose: () => void;
}

/** Adds a credential, or puts another secret in the place of one; either is written only. */
export function WriteCredential({
  upstream,
  credential,
  onClose,
}: Place & { readonly credential?: Credential }): ReactNode {
  const t = useWords(upstreamWords);
  const [secret, setSecret] = useState("");
  const [name, setName] = useState("");
  const [parts, setParts] = useState<CredentialParts>(credential?.fields ?? {});
  const { data: kinds } = useRead("/operator/kinds");
  const forms = kinds?.data.find((kind) => kind.name === upstream.kind)?.credential_forms ?? [];
  const sent = forms.length > 0 ? { fields: written(parts) ?? {} } : { secret: secret.trim() };
  const path = `/operator/upstreams/${upstream.id}/credentials` as const;
  const send = useWrite(
    () =>
      credential === undefined
        ? write("POST", path, { ...sent, ...(name.trim() && { name: name.trim() }) })
        : write("PATCH", `${path}/${credential.id}`, sent),
    () => {
      toast(credential === undefined ? t.added : t.replaced);
      onClose();
    },
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    send.mutate(undefined);
  };
  return (
    <Dialog
      open
      title={credential === undefined ? t.addCredential : t.replaceTitle(credential.name)}
      onClose={onClose}
    >
      <form className="flex flex-col gap-4" onSubmit={submit}>
        {credential !== undefined && <p>{t.replaceNote}</p>}
        {forms.length > 0 ? (
          <CredentialFields forms={forms} parts={parts} change={setParts} required error={send.error} />
        ) : (
          <Field label={t.secret} hint={t.secretHint} error={faultOf(send.error, "secret")}>
            <Input
              required
              type="password"
              autoComplete="off"
              value={secret}
              onChange={(event) => setSecret(event.target.value)}
            />
          </Field>
        )}
        {credential === undefined && (
          <Field label={t.credentialName} hint={t.credentialNameHint}>
            <Input value={name} onChange={(event) => setName(event.target.value)} />
          </Field>
        )}
        {send.error && <Failed error={send.error} />}
        <DialogButtons>
          <Button look="primary" type="submit" busy={send.isPending}>
            {credential === undefined ? t.addCredential : t.replace}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}

export function RemoveCredential({
  upstream,
  credential,
  onClose,
}: Place & { readonly credential: Credential }): ReactNode {
  const t = useWords(upstreamWords);
  const remove = useWrite(
    () => write("DELETE", `/operator/upstreams/${upstream.id}/credentials/${credential.id}`),
    () => {
      toast(t.removed);
      onClose();
    },
  );
  return (
    <ConfirmDialog
      open
      title={t.removeTitle(credential.name)}
      breaks={[t.removeBreaks, t.removeTasks]}
      confirm={t.remove}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(undefined)}
      onClose={onClose}
    />
  );
}
