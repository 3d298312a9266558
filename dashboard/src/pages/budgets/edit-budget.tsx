import { type FormEvent, type ReactNode, useState } from "react";
import type { BudgetRow, NewBudget } from "../../../../src/console/budgets/contract.ts";
import { read, write } from "../../api/client.ts";
import { useEdit } from "../../api/use-edit.ts";
import { useWrite } from "../../api/use-write.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogButtons } from "../../parts/dialog.tsx";
import { Failed } from "../../parts/failure.tsx";
import { type FieldNames, Meanwhile } from "../../parts/meanwhile.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { BudgetFields, isShown } from "./budget-fields.tsx";
import { Counted } from "./columns.tsx";
import { EVERYTHING, ScopeFields } from "./scope-fields.tsx";
import { type BudgetDraft, draftOf, EMPTY_DRAFT, termsOf } from "./terms.ts";
import { budgetsWords } from "./words.ts";

interface DialogPlace {
  readonly account: string;
  readonly onClose: () => void;
}

/** Makes a budget, which counts from then on. */
export function CreateBudget({ account, onClose }: DialogPlace): ReactNode {
  const t = useWords(budgetsWords);
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const [scope, setScope] = useState(EVERYTHING);
  const create = useWrite(
    (body: NewBudget) => write("POST", `/accounts/${account}/budgets`, body),
    ({ name }) => {
      toast(t.created(name));
      onClose();
    },
  );
  const terms = termsOf(draft);
  const counted = { user: scope.user?.id, key: scope.key?.id, model: scope.model || undefined };
  return (
    <Dialog open wide title={t.createTitle} onClose={onClose}>
      <BudgetForm
        draft={draft}
        change={(values) => setDraft({ ...draft, ...values })}
        send={() => terms && create.mutate({ ...terms, ...counted })}
        busy={create.isPending}
        error={create.error}
        verb={t.create}
      >
        <ScopeFields
          account={account}
          scope={scope}
          change={(values) => setScope({ ...scope, ...values })}
          error={create.error}
        />
      </BudgetForm>
    </Dialog>
  );
}

/** Changes all of a budget but what it counts. */
export function EditBudget({ account, row, onClose }: DialogPlace & { readonly row: BudgetRow }): ReactNode {
  const t = useWords(budgetsWords);
  const path = `/accounts/${account}/budgets/${row.id}` as const;
  const edit = useEdit({
    shown: row,
    draftOf: (shown) => (shown === undefined ? EMPTY_DRAFT : draftOf(shown)),
    load: () => read(path),
    send: (draft, from) => write("PATCH", path, termsOf(draft) ?? {}, from?.revision),
    done: ({ name }) => {
      toast(t.saved(name));
      onClose();
    },
  });
  return (
    <Dialog open wide title={t.editTitle(row.name)} onClose={onClose}>
      <BudgetForm
        draft={edit.draft}
        change={edit.change}
        send={edit.save}
        busy={edit.busy}
        error={edit.error}
        verb={t.save}
      >
        <p className="text-mute">
          {t.counts}: <Counted row={row} />
        </p>
        <Meanwhile edit={edit} names={namesOf(t)} />
      </BudgetForm>
    </Dialog>
  );
}

function namesOf(t: (typeof budgetsWords)["en"]): FieldNames<BudgetDraft> {
  return {
    name: t.name,
    amount: t.amount,
    period: t.period,
    hard: t.hardField,
    percents: t.percents,
    targets: t.targets,
  };
}

interface BudgetFormProps {
  readonly draft: BudgetDraft;
  readonly change: (values: Partial<BudgetDraft>) => void;
  readonly send: () => void;
  readonly busy: boolean;
  readonly error: unknown;
  readonly verb: string;
  readonly children: ReactNode;
}

function BudgetForm({ draft, change, send, busy, error, verb, children }: BudgetFormProps): ReactNode {
  const isSound = termsOf(draft) !== undefined;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isSound) send();
  };
  return (
    <form className="flex flex-col gap-4" onSubmit={submit}>
      <BudgetFields draft={draft} change={change} error={error} />
      {children}
      {error != null && !isShown(error, draft) && <Failed error={error} />}
      <DialogButtons>
        <Button type="submit" look="primary" busy={busy} disabled={!isSound && draft.amount !== ""}>
          {verb}
        </Button>
      </DialogButtons>
    </form>
  );
}
