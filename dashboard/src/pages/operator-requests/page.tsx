import { Link, Navigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { RowOf } from "../../api/operations.ts";
import { useSearch } from "../../api/search.ts";
import { useList } from "../../api/use-list.ts";
import { formatCount } from "../../format/count.ts";
import { Duration, Money, Time } from "../../parts/amounts.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Page } from "../../parts/page.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { useEndpointName } from "../../words/endpoint-words.ts";
import { useWords } from "../../words/use-words.ts";
import { FailedStatus } from "../requests/failed-outcome.tsx";
import {
  OPERATOR_REQUEST_FILTERS,
  OperatorRequestFilters,
  operatorRequestsQueryOf,
} from "./request-filters.tsx";
import { operatorRequestsWords } from "./words.ts";

type OperatorRequest = RowOf<"/operator/requests">;

/** The requests of all accounts, refused ones too; an id leads to its request, whoever gave it. */
export function OperatorRequestsPage(): ReactNode {
  const t = useWords(operatorRequestsWords);
  const [search] = useSearch();
  const list = useList("/operator/requests", operatorRequestsQueryOf(search));
  const columns = useColumns();
  const filtered = OPERATOR_REQUEST_FILTERS.some((name) => search[name]);
  const { data: found, isPlaceholderData } = list.query;
  const [only, ...others] = found?.data ?? [];
  if (search["id"] && !isPlaceholderData && only !== undefined && others.length === 0)
    return <Navigate to={`/operator/requests/${only.request_id}`} replace />;
  return (
    <Page title={t.title} lead={t.lead}>
      <OperatorRequestFilters />
      <Table
        caption={t.title}
        list={list}
        rowKey={(row) => row.request_id}
        columns={columns}
        empty={
          filtered ? (
            <Empty title={t.noMatch}>{t.noMatchHow}</Empty>
          ) : (
            <Empty title={t.none}>{t.noneHow}</Empty>
          )
        }
      />
    </Page>
  );
}

function useColumns(): readonly Column<OperatorRequest>[] {
  const t = useWords(operatorRequestsWords);
  const endpointName = useEndpointName();
  return [
    {
      title: t.time,
      cell: (row) => (
        <Link to={`/operator/requests/${row.request_id}`} className="link">
          <Time at={row.accepted_at} />
        </Link>
      ),
    },
    {
      title: t.account,
      cell: ({ account, key }) => (
        <>
          <Narrowed search={{ account: account.id }}>{account.name ?? `#${account.id}`}</Narrowed>
          <span className="block text-sm">
            <Narrowed search={{ account: account.id, key: key.id }}>{key.name ?? `#${key.id}`}</Narrowed>
          </span>
        </>
      ),
      wideOnly: true,
    },
    {
      title: t.model,
      cell: ({ model, endpoint }) => (
        <>
          <span className="wrap-anywhere">{model ?? "–"}</span>
          <span className="block text-sm text-mute">{endpointName(endpoint)}</span>
        </>
      ),
    },
    {
      title: t.upstream,
      cell: ({ upstream, attempts }) => (
        <>
          <span className="wrap-anywhere">{upstream ?? "–"}</span>
          {attempts > 1 && (
            <span className="block text-sm text-mute">{t.retried(formatCount(attempts))}</span>
          )}
        </>
      ),
      wideOnly: true,
    },
    { title: t.outcome, cell: (row) => <FailedStatus row={row} /> },
    { title: t.took, align: "end", cell: (row) => <Duration ms={row.total_ms} />, wideOnly: true },
    { title: t.charge, align: "end", cell: (row) => <Money nanos={row.charge_nanos} />, wideOnly: true },
  ];
}

/** The same list, of this alone. */
function Narrowed({
  search,
  children,
}: {
  readonly search: Readonly<Record<string, string>>;
  readonly children: string;
}): ReactNode {
  return (
    <Link
      to="/operator/requests"
      search={search}
      className="block max-w-44 truncate text-accent hover:underline"
      title={children}
    >
      {children}
    </Link>
  );
}
