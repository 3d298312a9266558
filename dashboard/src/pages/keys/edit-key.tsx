import { type FormEvent, type ReactNode, useState } from "react";
import type { IssuedKeyAnswer, KeyChange, KeyRow, NewKey } from "../../../../src/console/keys/contract.ts";
import { write } from "../../api/client.ts";
import { useWrite } from "../../api/use-write.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogButtons } from "../../parts/dialog.tsx";
import { Failed } from "../../parts/failure.tsx";
import { Secret } from "../../parts/secret.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { KeyFields } from "./key-fields.tsx";
import { draftOf, EMPTY_DRAFT, type KeyDraft, termsOf } from "./terms.ts";
import { keysWords } from "./words.ts";

interface DialogPlace {
  readonly account: string;
  readonly onClose: () => void;
}

/** Makes a key, then shows its secret, this once. */
export function CreateKey({ account, onClose }: DialogPlace): ReactNode {
  const t = useWords(keysWords);
  const create = useWrite((body: NewKey) =>
    write<IssuedKeyAnswer>("POST", `/accounts/${account}/keys`, body),
  );
  const { data } = create;
  if (data !== undefined) {
    return (
      <Dialog open title={t.createdTitle(data.key.name)} onClose={onClose}>
        <Secret text={data.secret} fileName={`${data.key.name}.txt`} />
        <DialogButtons>
          <Button look="primary" onClick={onClose}>
            {t.done}
          </Button>
        </DialogButtons>
      </Dialog>
    );
  }
  return (
    <Dialog open wide title={t.createTitle} onClose={onClose}>
      <KeyForm
        initial={EMPTY_DRAFT}
        isNew
        send={(terms) => create.mutate(terms)}
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
  const change = useWrite(
    (body: KeyChange) => write<KeyRow>("PATCH", `/accounts/${account}/keys/${row.id}`, body),
    ({ name }) => {
      toast(t.saved(name));
      onClose();
    },
  );
  return (
    <Dialog open wide title={t.editTitle(row.name)} onClose={onClose}>
      <KeyForm
        initial={draftOf(row)}
        before={row}
        send={(terms) => change.mutate(terms)}
        busy={change.isPending}
        error={change.error}
        verb={t.save}
      />
    </Dialog>
  );
}

interface KeyFormProps {
  readonly initial: KeyDraft;
  readonly before?: KeyRow;
  readonly isNew?: boolean;
  readonly send: (terms: KeyChange) => void;
  readonly busy: boolean;
  readonly error: unknown;
  readonly verb: string;
}

function KeyForm({ initial, before, isNew = false, send, busy, error, verb }: KeyFormProps): ReactNode {
  const [draft, setDraft] = useState(initial);
  const terms = termsOf(draft, before);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (terms !== undefined) send(terms);
  };
  return (
    <form className="flex flex-col gap-4" onSubmit={submit}>
      <KeyFields
        draft={draft}
        change={(values) => setDraft({ ...draft, ...values })}
        error={error}
        amountWrong={terms === undefined}
        isNew={isNew}
      />
      {error != null && <Failed error={error} />}
      <DialogButtons>
        <Button type="submit" look="primary" busy={busy} disabled={terms === undefined}>
          {verb}
        </Button>
      </DialogButtons>
    </form>
  );
}
