import type { ReactNode } from "react";
import type { BudgetRow } from "../../../../src/console/budgets/contract.ts";
import { Time } from "../../parts/amounts.tsx";
import { Badge } from "../../parts/badge.tsx";
import { SpentOf } from "../../parts/spent-of.tsx";
import type { Column } from "../../parts/table.tsx";
import { useWords } from "../../words/use-words.ts";
import { budgetsWords } from "./words.ts";

/** What lists of budgets show of each. */
export function useBudgetColumns(): readonly Column<BudgetRow>[] {
  const t = useWords(budgetsWords);
  return [
    { title: t.name, cell: (row) => <Name row={row} /> },
    { title: t.spent, cell: (row) => <BudgetBar row={row} /> },
    { title: t.over, wideOnly: true, cell: ({ hard }) => <Badge>{hard ? t.hard : t.soft}</Badge> },
    { title: t.alerts, wideOnly: true, cell: (row) => <Alerts row={row} /> },
    { title: t.resets, align: "end", wideOnly: true, cell: (row) => <Time at={row.resets_at} /> },
  ];
}

/** How much of a budget is spent. */
export function BudgetBar({ row }: { readonly row: BudgetRow }): ReactNode {
  const t = useWords(budgetsWords);
  return (
    <SpentOf
      label={t.spentOf(row.name)}
      spent={row.spent_nanos}
      amount={row.amount_nanos}
      period={t.periods[row.period]}
    />
  );
}

function Name({ row }: { readonly row: BudgetRow }): ReactNode {
  return (
    <div className="flex min-w-24 flex-col gap-0.5">
      <span className="font-medium break-all">{row.name}</span>
      <span className="text-sm text-mute">
        <Counted row={row} />
      </span>
    </div>
  );
}

/** Which requests a budget counts. */
export function Counted({ row }: { readonly row: BudgetRow }): ReactNode {
  const t = useWords(budgetsWords);
  const conditions = [
    row.user === null ? null : t.ofUser(row.user.name),
    row.key === null ? null : t.ofKey(row.key.name),
    row.model === null ? null : t.ofModel(row.model),
  ].filter((condition) => condition !== null);
  return <span className="break-all">{conditions.join(" · ") || t.everything}</span>;
}

function Alerts({ row: { alerts } }: { readonly row: BudgetRow }): ReactNode {
  const t = useWords(budgetsWords);
  const { percents, targets } = alerts;
  if (percents.length === 0 || targets.length === 0) return <span className="text-mute">{t.noAlerts}</span>;
  return (
    <div className="flex min-w-32 flex-col gap-0.5 text-sm">
      <span>{t.atPercents(percents.join(", "))}</span>
      {targets.map((target) => {
        const place = target.kind === "email" ? target.address : new URL(target.url).host;
        return (
          <span key={`${target.kind} ${place}`} className="text-mute">
            {t.kinds[target.kind]} <span className="font-mono break-words">{place}</span>
          </span>
        );
      })}
    </div>
  );
}
