import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { FailedRequestRow } from "../../../../src/console/failed-requests/contract.ts";
import { momentOfDay } from "../../api/days.ts";
import { type Search, useSearch } from "../../api/search.ts";
import { useAccount } from "../../api/session.ts";
import { useList } from "../../api/use-list.ts";
import { Duration, Time } from "../../parts/amounts.tsx";
import { Empty } from "../../parts/empty.tsx";
import { ChooserFilter, Filters, SearchFilter, SelectFilter } from "../../parts/filters.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { useEndpointName } from "../../words/endpoint-words.ts";
import { useWords } from "../../words/use-words.ts";
import { FailedOutcome } from "./failed-outcome.tsx";
import { failedWords } from "./failed-words.ts";
import { requestsWords } from "./words.ts";

const FILTERS = ["request", "key", "model", "error_code", "status", "refused", "from", "to"] as const;

/** What the URL asks for. Its `status` may be one of the other list's. */
function queryOf(search: Search) {
  const { request, key, model, error_code, status, refused } = search;
  return {
    request,
    key,
    model,
    error_code,
    refused,
    status: /^\d+$/.test(status ?? "") ? status : undefined,
    from: momentOfDay(search["from"]),
    to: momentOfDay(search["to"], 1),
  };
}

/** The account's refused and failed requests, and what their callers were told. */
export function FailedRequests(): ReactNode {
  const t = useWords(failedWords);
  const { id: account } = useAccount();
  const [search] = useSearch();
  const list = useList(`/accounts/${account}/failed-requests`, queryOf(search));
  const columns = useColumns(account);
  const filtered = FILTERS.some((name) => search[name]);
  return (
    <>
      <FailedFilters account={account} />
      <Table
        caption={t.failed}
        list={list}
        rowKey={(row) => row.request_id}
        columns={columns}
        empty={
          filtered ? <Empty title={t.noMatch}>{t.lead}</Empty> : <Empty title={t.none}>{t.noneHow}</Empty>
        }
      />
    </>
  );
}

const STATUSES = ["400", "401", "403", "404", "408", "413", "422", "429", "500", "502", "503", "504", "529"];

function FailedFilters({ account }: { readonly account: string }): ReactNode {
  const t = useWords(failedWords);
  const log = useWords(requestsWords);
  return (
    <Filters names={FILTERS}>
      <SearchFilter name="request" label={log.requestId} />
      <ChooserFilter
        name="key"
        label={log.key}
        all={log.anyKey}
        path={`/accounts/${account}/keys`}
        choiceOf={({ id, name, hint }) => ({ id, name, note: hint })}
      />
      <SearchFilter name="model" label={log.model} />
      <SearchFilter name="error_code" label={t.code} />
      <SelectFilter
        name="refused"
        label={t.kind}
        all={t.anyKind}
        options={[
          ["true", t.refusedOnly],
          ["false", t.failedOnly],
        ]}
      />
      <SelectFilter
        name="status"
        label={t.status}
        all={t.anyStatus}
        options={[...STATUSES.map((status) => [status, status] as const), ["0", t.statusNone]]}
      />
      <SearchFilter name="from" label={log.from} type="date" />
      <SearchFilter name="to" label={log.to} type="date" />
    </Filters>
  );
}

function useColumns(account: string): readonly Column<FailedRequestRow>[] {
  const t = useWords(failedWords);
  const log = useWords(requestsWords);
  const endpointName = useEndpointName();
  return [
    {
      title: log.time,
      cell: (row) => (
        <Link to={`/accounts/${account}/requests/${row.request_id}`} className="link">
          <Time at={row.accepted_at} />
        </Link>
      ),
    },
    {
      title: log.model,
      cell: ({ model, endpoint }) => (
        <>
          <span className="wrap-anywhere">{model ?? "–"}</span>
          <span className="block text-sm text-mute">{endpointName(endpoint)}</span>
        </>
      ),
      wideOnly: true,
    },
    {
      title: log.key,
      cell: ({ key }) => <span className="wrap-anywhere">{key.name ?? `#${key.id}`}</span>,
      wideOnly: true,
    },
    { title: log.outcome, cell: (row) => <FailedOutcome row={row} /> },
    { title: t.total, align: "end", cell: (row) => <Duration ms={row.total_ms} />, wideOnly: true },
  ];
}
