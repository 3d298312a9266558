import { type ReactNode, useState } from "react";
import type { BudgetRow } from "../../../../src/console/budgets/contract.ts";
import { write } from "../../api/client.ts";
import { useAccount } from "../../api/session.ts";
import { useList } from "../../api/use-list.ts";
import { useWrite } from "../../api/use-write.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Failed } from "../../parts/failure.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Page } from "../../parts/page.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { useBudgetColumns } from "./columns.tsx";
import { DeleteBudget } from "./delete-budget.tsx";
import { CreateBudget, EditBudget } from "./edit-budget.tsx";
import { budgetsWords } from "./words.ts";

/** Often enough that a bar is seen to move. */
const LOOK_EVERY_MS = 5_000;

/** What is being done to which budget, in a dialog. */
type Doing = { readonly what: "create" } | { readonly what: "edit" | "remove"; readonly row: BudgetRow };

/** How much parts of the account may spend, how much they have, and who is told. */
export function BudgetsPage(): ReactNode {
  const t = useWords(budgetsWords);
  const { id: account, role } = useAccount();
  const [doing, setDoing] = useState<Doing>();
  const columns = useBudgetColumns();
  const list = useList(`/accounts/${account}/budgets`, {}, { everyMs: LOOK_EVERY_MS });
  const isOwner = role === "owner";
  const test = useWrite(
    (row: BudgetRow) => write("POST", `/accounts/${account}/budgets/${row.id}/test`, {}),
    ({ sent }) => toast(t.tested(sent)),
  );
  const create = isOwner && (
    <Button look="primary" icon="plus" onClick={() => setDoing({ what: "create" })}>
      {t.create}
    </Button>
  );
  const menu: Column<BudgetRow> = {
    title: <span className="sr-only">{t.edit}</span>,
    align: "end",
    cell: (row) => (
      <Menu
        items={[
          { title: t.edit, onSelect: () => setDoing({ what: "edit", row }) },
          ...(row.alerts.targets.length > 0 ? [{ title: t.test, onSelect: () => test.mutate(row) }] : []),
          { title: t.remove, onSelect: () => setDoing({ what: "remove", row }), danger: true },
        ]}
      >
        <IconButton icon="more" label={t.actions(row.name)} />
      </Menu>
    ),
  };
  const place = { account, onClose: () => setDoing(undefined) };
  return (
    <Page title={t.title} lead={t.lead} actions={create}>
      {test.error !== null && <Failed error={test.error} />}
      <Table
        caption={t.title}
        list={list}
        rowKey={(row) => row.id}
        columns={isOwner ? [...columns, menu] : columns}
        empty={
          <Empty title={t.none} action={create || undefined}>
            {t.noneHow}
          </Empty>
        }
      />
      {doing?.what === "create" && <CreateBudget {...place} />}
      {doing?.what === "edit" && <EditBudget {...place} row={doing.row} />}
      {doing?.what === "remove" && <DeleteBudget {...place} row={doing.row} />}
    </Page>
  );
}
