import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { WriteOffs as Answer } from "../../../../src/console/ledger/contract.ts";
import { useList } from "../../api/use-list.ts";
import { Money, Time } from "../../parts/amounts.tsx";
import { Section } from "../../parts/page.tsx";
import { Table } from "../../parts/table.tsx";
import { useWords } from "../../words/use-words.ts";
import { AccountLink } from "./losses.tsx";
import { operatorLedgerWords } from "./words.ts";

/** What requests cost beyond all that account and key could pay. */
export function WriteOffs(): ReactNode {
  const t = useWords(operatorLedgerWords);
  const list = useList("/operator/ledger/write-offs", { limit: 20 }, { cursor: "write_offs_after" });
  const answer = list.query.data as Answer | undefined;
  return (
    <Section
      title={t.writeOffs}
      actions={
        answer && (
          <p>
            <span className="text-mute">{t.total}</span> <Money nanos={answer.total_nanos} />
          </p>
        )
      }
    >
      <p className="max-w-prose text-mute">{t.writeOffsLead}</p>
      <Table
        caption={t.writeOffs}
        list={list}
        rowKey={({ request_id }) => request_id}
        columns={[
          { title: t.when, cell: ({ at }) => <Time at={at} /> },
          { title: t.account, cell: ({ account }) => <AccountLink account={account} /> },
          { title: t.request, cell: (row) => <Request row={row} /> },
          { title: t.upstream, cell: ({ upstream }) => upstream ?? "–" },
          { title: t.why, cell: ({ why }) => t.whys[why] },
          { title: t.charged, align: "end", cell: (row) => <Money nanos={row.charge_nanos} /> },
          { title: t.amount, align: "end", cell: (row) => <Money nanos={row.amount_nanos} /> },
        ]}
        empty={<p>{t.noWriteOffs}</p>}
      />
    </Section>
  );
}

function Request({ row }: { readonly row: Answer["data"][number] }): ReactNode {
  return (
    <>
      <Link
        className="link font-mono text-sm break-all"
        to={`/accounts/${row.account.id}/requests/${row.request_id}`}
      >
        {row.request_id}
      </Link>
      <span className="block text-sm text-mute">{row.model}</span>
    </>
  );
}
