import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ErrorsReport } from "../../../../src/console/failed-requests/contract.ts";
import { useSearch } from "../../api/search.ts";
import { useRead } from "../../api/use-read.ts";
import { Count, Time } from "../../parts/amounts.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Section } from "../../parts/page.tsx";
import { Stat, Stats } from "../../parts/stat.tsx";
import { ManyRows, Rows } from "../../parts/table.tsx";
import { useWords } from "../../words/use-words.ts";
import { spanOf } from "./span.ts";
import { operatorErrorsWords } from "./words.ts";

/** What the gateway calls all the rare ones of busy hours together. */
const OTHER = "other";

/** Failed requests by what they have in common; each row leads to the requests behind it. */
export function Errors(): ReactNode {
  const t = useWords(operatorErrorsWords);
  const [search] = useSearch();
  const query = useRead("/operator/errors", { ...spanOf(search), code: search["error_code"] });
  return (
    <Loaded query={query}>
      {(report) =>
        report.counts.length === 0 ? (
          <Empty title={t.none}>{t.noneHow}</Empty>
        ) : (
          <>
            <Stats>
              <Stat label={t.total}>
                <Count value={report.counts.reduce((sum, { requests }) => sum + requests, 0)} />
              </Stat>
            </Stats>
            <Groups groups={report.data} />
            <div className="grid gap-6 lg:grid-cols-2">
              <ByCode counts={report.counts} />
              <ByAccount accounts={report.accounts} />
            </div>
          </>
        )
      }
    </Loaded>
  );
}

function Groups({ groups }: { readonly groups: ErrorsReport["data"] }): ReactNode {
  const t = useWords(operatorErrorsWords);
  return (
    <Section title={t.groups}>
      <p className="max-w-prose text-mute">{t.groupsLead}</p>
      <ManyRows
        caption={t.groups}
        rows={groups}
        rowKey={({ code, upstream, vendor_message }) => JSON.stringify([code, upstream, vendor_message])}
        columns={[
          {
            title: t.code,
            cell: (group) => (
              <>
                <Code code={group.code} />
                <span className="block md:hidden">
                  <VendorMessage group={group} />
                </span>
              </>
            ),
          },
          { title: t.message, cell: (group) => <VendorMessage group={group} />, wideOnly: true },
          {
            title: t.upstream,
            cell: ({ upstream }) => <span className="wrap-anywhere">{upstream ?? "–"}</span>,
            wideOnly: true,
          },
          { title: t.requests, align: "end", cell: ({ requests }) => <Count value={requests} /> },
          { title: t.first, wideOnly: true, cell: ({ first_at }) => <Time at={first_at} /> },
          { title: t.last, wideOnly: true, cell: ({ last_at }) => <Time at={last_at} /> },
          {
            title: t.lastRequest,
            cell: ({ code, last_request_id: id }) => (
              <Link
                to={`/operator/requests/${encodeURIComponent(id)}`}
                aria-label={t.openNamed(code, id)}
                className="link"
              >
                {t.open}
              </Link>
            ),
          },
        ]}
      />
    </Section>
  );
}

function VendorMessage({ group }: { readonly group: ErrorsReport["data"][number] }): ReactNode {
  const t = useWords(operatorErrorsWords);
  const { upstream, vendor_message: message } = group;
  if (message === "" && upstream === null) return <span className="text-mute">{t.noUpstream}</span>;
  return <span className="font-mono text-sm wrap-anywhere">{message || "–"}</span>;
}

function ByCode({ counts }: { readonly counts: ErrorsReport["counts"] }): ReactNode {
  const t = useWords(operatorErrorsWords);
  return (
    <Section title={t.byCode}>
      <Rows
        caption={t.byCode}
        rows={counts}
        rowKey={({ code }) => code}
        columns={[
          { title: t.code, cell: ({ code }) => <Code code={code} /> },
          { title: t.requests, align: "end", cell: ({ requests }) => <Count value={requests} /> },
        ]}
      />
    </Section>
  );
}

/** A code, which leads to its requests of the same days. */
function Code({ code }: { readonly code: string }): ReactNode {
  const t = useWords(operatorErrorsWords);
  const [{ from, to }] = useSearch();
  if (code === OTHER) return <span className="text-mute">{t.other}</span>;
  return (
    <Link
      to="/operator/requests"
      search={{ error_code: code, from, to }}
      className="font-mono text-sm wrap-anywhere text-accent hover:underline"
    >
      {code}
    </Link>
  );
}

function ByAccount({ accounts }: { readonly accounts: ErrorsReport["accounts"] }): ReactNode {
  const t = useWords(operatorErrorsWords);
  const [{ from, to, error_code }] = useSearch();
  return (
    <Section title={t.byAccount}>
      <p className="text-mute">{t.byAccountLead}</p>
      <Rows
        caption={t.byAccount}
        rows={accounts}
        rowKey={({ account }) => account.id}
        columns={[
          {
            title: t.account,
            cell: ({ account }) => (
              <Link
                to="/operator/requests"
                search={{ account: account.id, outcome: "failed", error_code, from, to }}
                className="link wrap-anywhere"
              >
                {account.name ?? `#${account.id}`}
              </Link>
            ),
          },
          { title: t.requests, align: "end", cell: ({ requests }) => <Count value={requests} /> },
        ]}
      />
    </Section>
  );
}
