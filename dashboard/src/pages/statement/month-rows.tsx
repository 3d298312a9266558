import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { RowOf } from "../../api/operations.ts";
import { formatCount } from "../../format/count.ts";
import { formatDay } from "../../format/moment.ts";
import { Money } from "../../parts/amounts.tsx";
import type { Column } from "../../parts/table.tsx";
import { useLanguage } from "../../words/language.ts";
import { useWords } from "../../words/use-words.ts";
import { monthWords } from "./month-words.ts";

/** A day's usage, or an entry of another kind. */
export type StatementRow = RowOf<`/accounts/${string}/statements/${string}/rows`>;

/** The columns of a monthly statement. `plain`: without links, as on paper. */
export function useMonthColumns(account: string, plain = false): readonly Column<StatementRow>[] {
  const t = useWords(monthWords);
  const language = useLanguage();
  return [
    {
      title: t.day,
      cell: ({ day }) => (
        <time dateTime={day} className="whitespace-nowrap">
          {formatDay(new Date(`${day}T00:00:00Z`), language)}
        </time>
      ),
    },
    { title: t.what, cell: (row) => <RowText account={account} row={row} plain={plain} /> },
    {
      title: t.change,
      align: "end",
      cell: ({ change_nanos: change }) => (
        <span className={change !== "0" && !change.startsWith("-") ? "text-good" : ""}>
          <Money nanos={change} signed />
        </span>
      ),
    },
    {
      title: t.balanceAfter,
      align: "end",
      wideOnly: !plain,
      cell: ({ balance_after_nanos: after }) => <Money nanos={after} />,
    },
  ];
}

/** The key of a row among those of its month. */
export function monthRowKey({ day, entry }: StatementRow): string {
  return entry ?? day;
}

interface RowProps {
  readonly account: string;
  readonly row: StatementRow;
  readonly plain: boolean;
}

function RowText({ account, row, plain }: RowProps): ReactNode {
  return (
    <div className="min-w-0">
      <Sentence account={account} row={row} plain={plain} />
      {row.reason !== null && <p className="text-sm wrap-anywhere text-mute">{row.reason}</p>}
    </div>
  );
}

function Sentence({ account, row, plain }: RowProps): ReactNode {
  const t = useWords(monthWords);
  switch (row.kind) {
    case "opening":
      return t.granted;
    case "credit":
      return t.credit;
    case "debit":
      return t.debit;
    case "code":
      return t.code(row.reference?.id ?? "");
    case "refund":
      return (
        <>
          {t.refund} <Task account={account} id={row.reference?.id ?? ""} plain={plain} />
          <span className="block text-sm text-mute">
            <Money nanos={row.amount_nanos} /> {t.reserved}
          </span>
        </>
      );
    case "usage":
      return <Usage account={account} row={row} plain={plain} />;
  }
}

function Task({
  account,
  id,
  plain,
}: {
  readonly account: string;
  readonly id: string;
  readonly plain: boolean;
}) {
  const t = useWords(monthWords);
  if (plain) return <span className="wrap-anywhere">{id}</span>;
  return (
    <Link className="link" to={`/accounts/${account}/tasks/${id}`} title={id}>
      {t.task}
    </Link>
  );
}

/** All that a day was charged: what for, and the ways to its requests and to its transactions. */
function Usage({ account, row: { day, usage }, plain }: RowProps): ReactNode {
  const t = useWords(monthWords);
  if (usage === null) return null;
  const requests = t.usage(formatCount(usage.requests), usage.requests === 1);
  const parts = [
    { name: t.text, nanos: usage.text_nanos },
    { name: t.tasks, nanos: usage.tasks_nanos },
    { name: t.absorbed, nanos: usage.absorbed_nanos },
  ].filter(({ nanos }) => nanos !== "0");
  const base = `/accounts/${account}`;
  return (
    <>
      {plain ? (
        requests
      ) : (
        <span className="flex flex-wrap gap-x-4">
          <Link className="link" to={`${base}/requests`} search={{ from: day, to: day }}>
            {requests}
          </Link>
          <Link
            className="link"
            to={`${base}/statement`}
            search={{ tab: "transactions", from: day, to: day }}
          >
            {t.entries}
          </Link>
        </span>
      )}
      <span className="block text-sm text-mute">
        {parts.map(({ name, nanos }, index) => (
          <span key={name}>
            {index > 0 && " · "}
            {name} <Money nanos={nanos} />
          </span>
        ))}
      </span>
    </>
  );
}
