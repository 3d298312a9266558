import type { ReactNode } from "react";
import { apiUrl } from "../../api/client.ts";
import { momentOfDay } from "../../api/days.ts";
import { useSearch } from "../../api/search.ts";
import { useList } from "../../api/use-list.ts";
import { Time } from "../../parts/amounts.tsx";
import { DownloadLink } from "../../parts/download-link.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Filters, SearchFilter } from "../../parts/filters.tsx";
import { Table } from "../../parts/table.tsx";
import { useWords } from "../../words/use-words.ts";
import { Change } from "./change.tsx";
import { Actor, Deed } from "./entry.tsx";
import { auditWords } from "./words.ts";

const FILTERS = ["actor", "action", "from", "until"] as const;

interface LogProps {
  /** Of the list below /api. */
  readonly path: "/operator/audit" | `/accounts/${string}/audit`;
  /** It is of all accounts: entries name theirs, and `?account=` in the URL chooses one. */
  readonly ofAll?: boolean;
}

/** The entries of an audit log, the latest first, with filters in the URL. */
export function AuditLog({ path, ofAll = false }: LogProps): ReactNode {
  const t = useWords(auditWords);
  const [search] = useSearch();
  const { actor, action, from, until } = search;
  const account = ofAll ? search["account"] : undefined;
  const wish = { actor, action, account, from: momentOfDay(from), until: momentOfDay(until, 1) };
  const list = useList(path, wish);
  const names = ofAll ? [...FILTERS, "account"] : FILTERS;
  const filtered = names.some((name) => search[name]);
  return (
    <>
      <Filters names={names}>
        <SearchFilter name="actor" label={t.filterActor} />
        <SearchFilter name="action" label={t.filterAction} />
        <SearchFilter name="from" label={t.from} type="date" />
        <SearchFilter name="until" label={t.until} type="date" />
        <DownloadLink href={apiUrl(`${path}.csv`, wish)}>{t.export}</DownloadLink>
      </Filters>
      <Table
        caption={t.title}
        list={list}
        rowKey={({ id }) => id}
        columns={[
          {
            title: t.at,
            cell: (row) => (
              <>
                <Time at={row.at} />
                <Actor row={row} />
              </>
            ),
          },
          { title: t.action, cell: (row) => <Deed row={row} namesAccount={ofAll} /> },
          { title: t.change, cell: (row) => <Change row={row} />, wideOnly: true },
        ]}
        empty={filtered ? <Empty title={t.noMatch} /> : <Empty title={t.none}>{t.noneNote}</Empty>}
      />
    </>
  );
}
