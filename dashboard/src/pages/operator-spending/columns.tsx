import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ResponseOf, RowOf } from "../../api/operations.ts";
import { formatCount, formatShare } from "../../format/count.ts";
import { Count, Money } from "../../parts/amounts.tsx";
import type { Column } from "../../parts/table.tsx";
import { useWords } from "../../words/use-words.ts";
import type { By } from "./query.ts";
import { operatorSpendingWords } from "./words.ts";

export type Spending = ResponseOf<"/operator/spending", "get">;
type Group = RowOf<"/operator/spending">;

/** Of the groups of a breakdown; names of what the request log can be filtered by lead to its requests. */
export function useColumns(by: By, answer: Spending | undefined): readonly Column<Group>[] {
  const t = useWords(operatorSpendingWords);
  const all = Number(answer?.totals.charge_nanos ?? 0);
  return [
    {
      title: t.names[by],
      cell: (group) => (
        <>
          <Name by={by} group={group} days={answer} />
          {by === "key" && group.account !== null && (
            <span className="block text-sm text-mute">{group.account.name}</span>
          )}
        </>
      ),
    },
    { title: t.charged, align: "end", cell: (row) => <Money nanos={row.charge_nanos} /> },
    {
      title: t.share,
      align: "end",
      wideOnly: true,
      cell: (row) => (all === 0 ? "–" : formatShare(Number(row.charge_nanos) / all)),
    },
    { title: t.cost, align: "end", cell: (row) => <Cost of={row} /> },
    { title: t.margin, align: "end", cell: (row) => <Margin nanos={row.margin_nanos} /> },
    { title: t.requests, align: "end", wideOnly: true, cell: (row) => <Count value={row.requests} /> },
    { title: t.errors, align: "end", wideOnly: true, cell: (row) => <Count value={row.errors} /> },
    {
      title: t.tokens,
      align: "end",
      wideOnly: true,
      cell: (row) => (
        <span className="whitespace-nowrap">
          <Count value={row.input_tokens} /> / <Count value={row.output_tokens} />
        </span>
      ),
    },
  ];
}

interface NameProps {
  readonly by: By;
  readonly group: Group;
  readonly days: Pick<Spending, "from" | "to"> | undefined;
}

function Name({ by, group, days }: NameProps): ReactNode {
  const t = useWords(operatorSpendingWords);
  const { id, name, account } = group;
  const nameless: Readonly<Record<string, string>> = {
    playground: t.playground,
    nobody: t.nobody,
    "(other)": t.otherValues,
    "(none)": t.untagged,
    "": t.notAsked,
  };
  const shown = <span className="break-all">{name ?? nameless[id] ?? `#${id}`}</span>;
  const filter = filterOf(by, id, account?.id);
  if (filter === undefined) return shown;
  return (
    <Link to="/operator/requests" search={{ from: days?.from, to: days?.to, ...filter }} className="link">
      {shown}
    </Link>
  );
}

/** What finds the group's requests in the log; undefined where it has no such filter. */
function filterOf(
  by: By,
  id: string,
  account: string | undefined,
): Readonly<Record<string, string>> | undefined {
  if (by === "account") return { account: id };
  if (by === "key" && account !== undefined) return { account, key: id };
  if ((by === "model" || by === "upstream") && id !== "") return { [by]: id };
  return by === "day" ? { from: id, to: id } : undefined;
}

/** What is known of it, and how much is not. */
function Cost({ of }: { readonly of: Group }): ReactNode {
  const t = useWords(operatorSpendingWords);
  return (
    <>
      <Money nanos={of.cost_nanos} />
      {of.unknown_costs > 0 && (
        <span className="block text-sm text-warn">{t.unknownMark(formatCount(of.unknown_costs))}</span>
      )}
    </>
  );
}

/** Below zero in the colour of what is wrong. */
export function Margin({ nanos }: { readonly nanos: string }): ReactNode {
  return (
    <span className={nanos.startsWith("-") ? "text-bad" : ""}>
      <Money nanos={nanos} />
    </span>
  );
}
