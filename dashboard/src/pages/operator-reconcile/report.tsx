import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Reconciliation, ReportedDifference } from "../../../../src/console/reconcile/contract.ts";
import { formatUsd } from "../../format/money.ts";
import { Count } from "../../parts/amounts.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Section } from "../../parts/page.tsx";
import { Stat, Stats } from "../../parts/stat.tsx";
import { ManyRows, Rows } from "../../parts/table.tsx";
import { useLanguage } from "../../words/language.ts";
import { useWords } from "../../words/use-words.ts";
import { explanationIn } from "./causes.ts";
import { reconcileWords } from "./words.ts";

/** What differs between an export and the recorded costs. */
export function Report({ report }: { readonly report: Reconciliation }): ReactNode {
  const t = useWords(reconcileWords);
  const { format, zone, from, to, rows, differences, differences_total: total, left_out } = report;
  const isNothing = report.causes.some(({ sentence }) => sentence === "nothing_recorded");
  const agrees = total === 0 && !isNothing;
  return (
    <Section title={t.result}>
      <div role="status" className="flex flex-col gap-4">
        <p className="flex flex-wrap items-center gap-2">
          {isNothing && <Badge tone="bad">{t.nothingCompared}</Badge>}
          {agrees && <Badge tone="good">{t.agree}</Badge>}
          {total > 0 && <Badge tone="bad">{t.differences(total)}</Badge>}
          <span className="text-mute">{t.about(format, from, to, zone, rows)}</span>
        </p>
        {agrees && <p className="max-w-prose">{t.agreeNote(format, from, to)}</p>}
        <Stats>
          <Stat label={t.recorded}>
            <Usd usd={report.ours_usd} />
          </Stat>
          <Stat label={t.billed}>
            <Usd usd={report.theirs_usd} />
          </Stat>
        </Stats>
      </div>
      {differences.length > 0 && <Differences rows={differences} />}
      {total > differences.length && <p className="text-mute">{t.more(total - differences.length)}</p>}
      {report.causes.length > 0 && <Causes report={report} />}
      {left_out.map(({ reason, lines }) => (
        <p key={reason} className="max-w-prose text-sm text-mute">
          {t.leftOut(t.leftOutReasons[reason], firstOf(lines), lines.length)}
        </p>
      ))}
    </Section>
  );
}

function Differences({ rows }: { readonly rows: readonly ReportedDifference[] }): ReactNode {
  const t = useWords(reconcileWords);
  return (
    <ManyRows
      caption={t.differences(rows.length)}
      rows={rows}
      rowKey={({ day, model, bucket }) => JSON.stringify([day, model, bucket])}
      columns={[
        { title: t.day, cell: ({ day }) => <span className="whitespace-nowrap">{day}</span> },
        { title: t.model, cell: ({ model }) => <span className="wrap-anywhere">{model ?? t.every}</span> },
        { title: t.bucket, cell: ({ bucket }) => <span className="wrap-anywhere">{bucket ?? t.every}</span> },
        {
          title: t.recordedQuantity,
          align: "end",
          wideOnly: true,
          cell: ({ ours }) => <Quantity value={ours.quantity} />,
        },
        {
          title: t.billedQuantity,
          align: "end",
          wideOnly: true,
          cell: ({ theirs }) => <Quantity value={theirs.quantity} />,
        },
        { title: t.recorded, align: "end", wideOnly: true, cell: ({ ours }) => <Usd usd={ours.usd} /> },
        { title: t.billed, align: "end", wideOnly: true, cell: ({ theirs }) => <Usd usd={theirs.usd} /> },
        { title: t.difference, align: "end", cell: (row) => <Usd usd={row.difference_usd} /> },
        { title: t.requests, cell: ({ requests }) => <Requests requests={requests} /> },
      ]}
    />
  );
}

/** Each leads to its page, which has its receipt and its cost. */
function Requests({ requests }: Pick<ReportedDifference, "requests">): ReactNode {
  const t = useWords(reconcileWords);
  if (requests.length === 0) return <span className="text-mute">{t.noRequests}</span>;
  return (
    <ul className="flex min-w-32 flex-col gap-1">
      {requests.map(({ id, account, why }) => (
        <li key={id}>
          <Link className="link font-mono text-sm break-all" to={`/accounts/${account}/requests/${id}`}>
            {id}
          </Link>
          <span className="block text-sm text-mute">{why.map((each) => t.whys[each]).join(", ")}</span>
        </li>
      ))}
    </ul>
  );
}

function Causes({ report }: { readonly report: Reconciliation }): ReactNode {
  const t = useWords(reconcileWords);
  const language = useLanguage();
  const more = report.causes_total - report.causes.length;
  return (
    <>
      <Rows
        caption={t.causes}
        rows={report.causes}
        rowKey={({ name, text }) => `${name} ${text}`}
        columns={[
          { title: t.cause, cell: ({ name }) => t.names[name] },
          {
            title: t.explanation,
            cell: (cause) => <span className="wrap-anywhere">{explanationIn(language, cause)}</span>,
          },
        ]}
      />
      {more > 0 && <p className="text-mute">{t.moreCauses(more)}</p>}
    </>
  );
}

function Quantity({ value }: { readonly value: number | null }): ReactNode {
  return value === null ? "–" : <Count value={value} />;
}

/** To a billionth of a dollar; the API has all digits. */
function Usd({ usd }: { readonly usd: string | null }): ReactNode {
  const t = useWords(reconcileWords);
  if (usd === null) return <span className="text-mute">{t.notStated}</span>;
  const isNegative = usd.startsWith("-");
  const shown = usd.slice(isNegative ? 1 : 0).replace(/(\.\d{9})\d+$/, "$1");
  return (
    <span className="whitespace-nowrap">
      {isNegative ? "−" : ""}
      {formatUsd(shown)}
    </span>
  );
}

/** The first lines of several. */
function firstOf(lines: readonly number[]): string {
  return lines.slice(0, 5).join(", ") + (lines.length > 5 ? ", …" : "");
}
