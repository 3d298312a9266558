import type { ReactNode } from "react";
import type { BudgetRow } from "../../../../src/console/budgets/contract.ts";
import { write } from "../../api/client.ts";
import { useWrite } from "../../api/use-write.ts";
import { ConfirmDialog } from "../../parts/dialog.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { budgetsWords } from "./words.ts";

/** Deletes a budget, after saying what ends with it. */
export function DeleteBudget({
  account,
  row,
  onClose,
}: {
  readonly account: string;
  readonly row: BudgetRow;
  readonly onClose: () => void;
}): ReactNode {
  const t = useWords(budgetsWords);
  const remove = useWrite(
    () => write("DELETE", `/accounts/${account}/budgets/${row.id}`),
    () => {
      toast(t.removed(row.name));
      onClose();
    },
  );
  return (
    <ConfirmDialog
      open
      title={t.removeTitle(row.name)}
      breaks={row.hard ? [t.removeHard, t.removeAlerts] : [t.removeAlerts]}
      confirm={t.remove}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(undefined)}
      onClose={onClose}
    />
  );
}
