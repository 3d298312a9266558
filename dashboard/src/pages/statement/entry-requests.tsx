import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useSearch } from "../../api/search.ts";
import { useList } from "../../api/use-list.ts";
import { Money, Time } from "../../parts/amounts.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Table } from "../../parts/table.tsx";
import { useWords } from "../../words/use-words.ts";
import { statementWords } from "./words.ts";

/** The requests that the entry named in the URL sums up, each leading to its receipt. */
export function EntryRequests({ account }: { readonly account: string }): ReactNode {
  const t = useWords(statementWords);
  const [{ entry }, change] = useSearch();
  const close = () => change({ entry: undefined, entry_after: undefined });
  return (
    <Dialog open={entry !== undefined} title={t.requestsTitle} onClose={close} wide>
      {entry !== undefined && <Requests account={account} entry={entry} />}
    </Dialog>
  );
}

function Requests({ account, entry }: { readonly account: string; readonly entry: string }): ReactNode {
  const t = useWords(statementWords);
  const path = `/accounts/${account}/statement/${encodeURIComponent(entry)}/requests` as const;
  const list = useList(path, {}, { cursor: "entry_after" });
  return (
    <Table
      caption={t.requestsTitle}
      list={list}
      rowKey={(row) => row.request_id}
      columns={[
        {
          title: t.request,
          cell: ({ request_id: id }) => (
            <Link className="link font-mono text-sm break-all" to={`/accounts/${account}/requests/${id}`}>
              {id}
            </Link>
          ),
        },
        { title: t.model, cell: (row) => row.model },
        { title: t.ended, wideOnly: true, cell: (row) => <Time at={row.ended_at} /> },
        { title: t.charge, align: "end", cell: (row) => <Money nanos={row.charge_nanos} /> },
      ]}
      empty={<p className="text-mute">{t.noRequests}</p>}
    />
  );
}
