import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useList } from "../../api/use-list.ts";
import { Empty } from "../../parts/empty.tsx";
import { Table } from "../../parts/table.tsx";
import { useWords } from "../../words/use-words.ts";
import { useBudgetColumns } from "../budgets/columns.tsx";
import { budgetsWords } from "../budgets/words.ts";

/** The budgets of all accounts; each is changed on its account's page. */
export function Budgets(): ReactNode {
  const t = useWords(budgetsWords);
  const columns = useBudgetColumns();
  const list = useList("/operator/budgets");
  return (
    <Table
      caption={t.title}
      list={list}
      rowKey={(row) => row.id}
      columns={[
        {
          title: t.account,
          cell: ({ account }) => (
            <Link className="link block min-w-16 break-all" to={`/accounts/${account.id}/budgets`}>
              {account.name}
            </Link>
          ),
        },
        ...columns,
      ]}
      empty={<Empty title={t.noneAnywhere}>{t.noneAnywhereHow}</Empty>}
    />
  );
}
