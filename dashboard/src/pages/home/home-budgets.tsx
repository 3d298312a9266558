import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useRead } from "../../api/use-read.ts";
import { Section } from "../../parts/page.tsx";
import { useWords } from "../../words/use-words.ts";
import { BudgetBar } from "../budgets/columns.tsx";
import { budgetsWords } from "../budgets/words.ts";

/** As many as are taken in at a glance; the page of budgets has the others. */
const MAX_SHOWN = 6;

/** The account's budgets as bars; nothing where there is none. */
export function HomeBudgets({ account }: { readonly account: string }): ReactNode {
  const t = useWords(budgetsWords);
  const { data } = useRead(`/accounts/${account}/budgets`, { limit: MAX_SHOWN });
  if (data === undefined || data.data.length === 0) return null;
  return (
    <Section
      title={t.title}
      actions={
        <Link to={`/accounts/${account}/budgets`} className="link">
          {t.all}
        </Link>
      }
    >
      <ul className="grid gap-x-8 gap-y-4 sm:grid-cols-2 lg:grid-cols-3">
        {data.data.map((row) => (
          <li key={row.id} className="min-w-0">
            <p className="font-medium break-all">{row.name}</p>
            <BudgetBar row={row} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
