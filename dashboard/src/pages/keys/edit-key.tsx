import { type FormEvent, type ReactNode, useState } from "react";
import type { KeyRow, NewKey } from "../../../../src/console/keys/contract.ts";
import { read, write } from "../../api/client.ts";
import { useEdit } from "../../api/use-edit.ts";
import { useWrite } from "../../api/use-write.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogButtons } from "../../parts/dialog.tsx";
import { Failed } from "../../parts/failure.tsx";
import { type FieldNames, Meanwhile } from "../../parts/meanwhile.tsx";
import { SecretDialog } from "../../parts/secret.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { KeyFields } from "./key-fields.tsx";
import { draftOf, EMPTY_DRAFT, type KeyDraft, termsOf } from "./terms.ts";
import { keysWords } from "./words.ts";

interface DialogPlace {
  readonly account: string;
  readonly onClose: () => void;
}

/** Makes a key, then shows its secret, only once. */
export function CreateKey({ account, onClose }: DialogPlace): ReactNode {
  const t = useWords(keysWords);
  const create = useWrite((body: NewKey) => write("POST", `/accounts/${account}/keys`, body));
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const terms = termsOf(draft);
  const { data } = create;
  if (data !== undefined) {
    return (
      <SecretDialog
        title={t.createdTitle(data.key.name)}
        text={data.secret}
        fileName={`${data.key.name}.txt`}
        onClose={onClose}
      />
    );
  }
  return (
    <Dialog open wide title={t.createTitle} onClose={onClose}>
      <KeyForm
        draft={draft}
        change={(values) => setDraft({ ...draft, ...values })}
        isNew
        amountWrong={terms === undefined}
        send={() => terms && create.mutate(terms)}
        busy={create.isPending}
        error={create.error}
        verb={t.create}
      />
    </Dialog>
  );
}

/** Changes what a key may do. */
export function EditKey({ account, row, onClose }: DialogPlace & { readonly row: KeyRow }): ReactNode {
  const t = useWords(keysWords);
  const path = `/accounts/${account}/keys/${row.id}` as const;
  const edit = useEdit({
    shown: row,
    draftOf: (shown) => (shown === undefined ? EMPTY_DRAFT : draftOf(shown)),
    load: () => read(path),
    send: (draft, from) => write("PATCH", path, termsOf(draft, from) ?? {}, from?.revision),
    done: ({ name }) => {
      toast(t.saved(name));
      onClose();
    },
  });
  const isSound = termsOf(edit.draft, edit.from) !== undefined;
  return (
    <Dialog open wide title={t.editTitle(row.name)} onClose={onClose}>
      <KeyForm
        draft={edit.draft}
        change={edit.change}
        amountWrong={!isSound}
        send={() => isSound && edit.save()}
        busy={edit.busy}
        error={edit.error}
        verb={t.save}
      >
        <Meanwhile edit={edit} names={namesOf(t)} />
      </KeyForm>
    </Dialog>
  );
}

function namesOf(t: (typeof keysWords)["en"]): FieldNames<KeyDraft> {
  return {
    name: t.name,
    models: t.modelsField,
    amount: t.amount,
    period: t.period,
    requests: t.requestsField,
    tokens: t.tokensField,
    concurrency: t.concurrencyField,
    addresses: t.addressesField,
    lastDay: t.expiryField,
    disabled: t.disabledField,
  };
}

interface KeyFormProps {
  readonly draft: KeyDraft;
  readonly change: (values: Partial<KeyDraft>) => void;
  readonly isNew?: boolean;
  /** The amount cannot be read. */
  readonly amountWrong: boolean;
  readonly send: () => void;
  readonly busy: boolean;
  readonly error: unknown;
  readonly verb: string;
  readonly children?: ReactNode;
}

function KeyForm({ isNew = false, send, busy, verb, children, ...fields }: KeyFormProps): ReactNode {
  const { error, amountWrong } = fields;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    send();
  };
  return (
    <form className="flex flex-col gap-4" onSubmit={submit}>
      <KeyFields {...fields} isNew={isNew} />
      {children}
      {error != null && <Failed error={error} />}
      <DialogButtons>
        <Button type="submit" look="primary" busy={busy} disabled={amountWrong}>
          {verb}
        </Button>
      </DialogButtons>
    </form>
  );
}
