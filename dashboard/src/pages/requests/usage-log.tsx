import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { RequestRow } from "../../../../src/console/requests/contract.ts";
import { useSearch } from "../../api/search.ts";
import { useAccount, useSession } from "../../api/session.ts";
import { useList } from "../../api/use-list.ts";
import { formatCount } from "../../format/count.ts";
import { Count, Duration, Money, Time } from "../../parts/amounts.tsx";
import { Badge } from "../../parts/badge.tsx";
import { ButtonLink } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { useEndpointName } from "../../words/endpoint-words.ts";
import { useWords } from "../../words/use-words.ts";
import { failedWords } from "./failed-words.ts";
import { Outcome } from "./outcome.tsx";
import { REQUEST_FILTERS, RequestFilters, requestsQueryOf } from "./request-filters.tsx";
import { requestsWords } from "./words.ts";

/** The usage log: every request that was sent upstream, each row leading to its receipt. */
export function UsageLog(): ReactNode {
  const t = useWords(requestsWords);
  const { id: account } = useAccount();
  const [search] = useSearch();
  const list = useList(`/accounts/${account}/requests`, requestsQueryOf(search));
  const filtered = REQUEST_FILTERS.some((name) => search[name]);
  return (
    <>
      <RequestFilters />
      <Table
        caption={t.title}
        list={list}
        rowKey={(row) => row.request_id}
        columns={useColumns(account)}
        empty={
          filtered ? (
            <NoMatch />
          ) : (
            <Empty
              title={t.none}
              action={
                <ButtonLink look="primary" to={`/accounts/${account}/models`}>
                  {t.toModels}
                </ButtonLink>
              }
            >
              {t.noneHow}
            </Empty>
          )
        }
      />
    </>
  );
}

/** An id that is not here may be that of a refused request. */
function NoMatch(): ReactNode {
  const t = useWords(requestsWords);
  const failed = useWords(failedWords);
  const [{ request }] = useSearch();
  const search = { tab: "failed", request };
  return (
    <Empty
      title={t.noMatch}
      action={
        request && (
          <Link to="." search={search} className="link">
            {failed.inFailed}
          </Link>
        )
      }
    >
      {t.noMatchHow}
    </Empty>
  );
}

function useColumns(account: string): readonly Column<RequestRow>[] {
  const t = useWords(requestsWords);
  const endpointName = useEndpointName();
  const { user } = useSession();
  const columns: Column<RequestRow>[] = [
    {
      title: t.time,
      cell: (row) => (
        <Link to={`/accounts/${account}/requests/${row.request_id}`} className="text-accent hover:underline">
          <Time at={row.accepted_at} />
        </Link>
      ),
    },
    {
      title: t.model,
      cell: (row) => (
        <span className="flex flex-col">
          <span className="break-all">{row.model}</span>
          <span className="text-sm text-mute">
            {endpointName(row.endpoint)}
            {row.streamed && ` · ${t.streamed}`}
          </span>
        </span>
      ),
    },
    {
      title: t.key,
      cell: (row) => <Short text={row.key.name ?? `#${row.key.id}`} />,
      wideOnly: true,
    },
    { title: t.outcome, cell: (row) => <Outcome row={row} />, wideOnly: true },
    { title: t.tokens, cell: (row) => <Usage row={row} />, align: "end", wideOnly: true },
    {
      title: t.took,
      align: "end",
      wideOnly: true,
      cell: (row) => (
        <span className="whitespace-nowrap">
          <Duration ms={row.first_byte_ms} /> / <Duration ms={row.total_ms} />
        </span>
      ),
    },
    {
      title: t.charge,
      align: "end",
      cell: (row) => (
        <Link to={`/accounts/${account}/requests/${row.request_id}`} className="text-accent hover:underline">
          <Money nanos={row.charge_nanos} />
        </Link>
      ),
    },
  ];
  if (user.is_operator)
    columns.splice(3, 0, {
      title: t.upstream,
      cell: (row) => <Short text={row.upstream ?? "–"} />,
      wideOnly: true,
    });
  return columns;
}

/** A name on one line, whole on hover: a long one must not push the numbers away. */
function Short({ text }: { readonly text: string }): ReactNode {
  return (
    <span className="block max-w-36 truncate" title={text}>
      {text}
    </span>
  );
}

function Usage({ row }: { readonly row: RequestRow }): ReactNode {
  const t = useWords(requestsWords);
  const media = [
    row.images === null ? null : t.images(formatCount(row.images)),
    row.video_seconds === null ? null : t.seconds(formatCount(row.video_seconds)),
  ].filter((part) => part !== null);
  const known = row.input_tokens !== null || row.output_tokens !== null;
  return (
    <span className="flex flex-col items-end">
      {media.length > 0 && <span className="whitespace-nowrap">{media.join(", ")}</span>}
      {known && (
        <span className="whitespace-nowrap">
          {row.input_tokens === null ? "–" : <Count value={row.input_tokens} />} /{" "}
          {row.output_tokens === null ? "–" : <Count value={row.output_tokens} />}
        </span>
      )}
      {row.cached_tokens !== null && row.cached_tokens > 0 && (
        <span className="text-sm whitespace-nowrap text-mute">
          {t.cached(formatCount(row.cached_tokens))}
        </span>
      )}
      {row.estimated && (
        <span title={t.estimatedWhy}>
          <Badge tone="warn">{t.estimated}</Badge>
        </span>
      )}
      {!known && media.length === 0 && "–"}
    </span>
  );
}
