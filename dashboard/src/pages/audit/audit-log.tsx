import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { AuditRow } from "../../../../src/console/audit/contract.ts";
import { useSearch } from "../../api/search.ts";
import { useList } from "../../api/use-list.ts";
import { Time } from "../../parts/amounts.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Filters, SearchFilter } from "../../parts/filters.tsx";
import { Page } from "../../parts/page.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { useWords } from "../../words/use-words.ts";
import { Change } from "./change.tsx";
import { auditWords } from "./words.ts";

const FILTERS = ["actor", "action", "account", "from", "until"] as const;

/** Who changed what, and how it stood before. */
export function OperatorAuditPage(): ReactNode {
  const t = useWords(auditWords);
  const [search] = useSearch();
  const { actor, action, account, from, until } = search;
  const list = useList<AuditRow>("/operator/audit", {
    ...{ actor, action, account },
    from: beginOf(from),
    until: beginOf(until, 1),
  });
  const filtered = FILTERS.some((name) => search[name]);
  return (
    <Page title={t.title} lead={t.lead}>
      <Filters names={FILTERS}>
        <SearchFilter name="actor" label={t.filterActor} />
        <SearchFilter name="action" label={t.filterAction} />
        <SearchFilter name="from" label={t.from} type="date" />
        <SearchFilter name="until" label={t.until} type="date" />
      </Filters>
      <Table
        caption={t.title}
        list={list}
        rowKey={({ id }) => id}
        columns={useColumns()}
        empty={filtered ? <Empty title={t.noMatch} /> : <Empty title={t.none}>{t.noneNote}</Empty>}
      />
    </Page>
  );
}

function useColumns(): readonly Column<AuditRow>[] {
  const t = useWords(auditWords);
  return [
    {
      title: t.at,
      cell: (row) => (
        <>
          <Time at={row.at} />
          <Actor row={row} />
        </>
      ),
    },
    { title: t.action, cell: (row) => <Deed row={row} /> },
    { title: t.change, cell: (row) => <Change row={row} />, wideOnly: true },
  ];
}

/** What was done to what; where there is no room for a column of its own, also what it changed. */
function Deed({ row }: { readonly row: AuditRow }): ReactNode {
  const { action, subject, account } = row;
  return (
    <div className="flex min-w-0 flex-col gap-0.5">
      <Link to="." search={{ action }} className="font-mono text-sm hover:underline">
        {action}
      </Link>
      <p className="wrap-anywhere">{subject}</p>
      {account !== null && account.name !== subject && (
        <Link to={`/operator/accounts/${account.id}`} className="text-sm text-mute hover:underline">
          {account.name}
        </Link>
      )}
      <div className="text-sm md:hidden">
        <Change row={row} />
      </div>
    </div>
  );
}

/** Who did it; from where, and by which request, on demand. */
function Actor({ row: { actor, by_token, request_id, address } }: { readonly row: AuditRow }): ReactNode {
  const t = useWords(auditWords);
  if (actor === null) return <p className="text-sm text-mute">{t.program}</p>;
  return (
    <details>
      <summary className="cursor-pointer text-sm wrap-anywhere" title={t.details}>
        {actor} {by_token && <Badge>{t.byToken}</Badge>}
      </summary>
      <p className="text-sm text-mute">
        {t.address} {address}
      </p>
      <p className="text-sm break-all text-mute">
        {t.request} <code className="font-mono">{request_id}</code>
      </p>
    </details>
  );
}

/** The first moment of a day, or of one some days later, in UTC as the filter means it. */
function beginOf(day: string | undefined, later = 0): string | undefined {
  const time = Date.parse(`${day ?? ""}T00:00:00Z`);
  return Number.isNaN(time) ? undefined : new Date(time + later * 86_400_000).toISOString();
}
