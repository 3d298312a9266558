import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Quarantine as Answer } from "../../../../src/console/ledger/contract.ts";
import { useList } from "../../api/use-list.ts";
import { Money, Time } from "../../parts/amounts.tsx";
import { Section } from "../../parts/page.tsx";
import { Table } from "../../parts/table.tsx";
import { useWords } from "../../words/use-words.ts";
import { AccountLink } from "./losses.tsx";
import { operatorLedgerWords } from "./words.ts";

/** Records that the database refused. */
export function Quarantine(): ReactNode {
  const t = useWords(operatorLedgerWords);
  const list = useList("/operator/ledger/quarantine", { limit: 20 }, { cursor: "records_after" });
  return (
    <Section title={t.records}>
      <p className="max-w-prose text-mute">{t.recordsLead}</p>
      <Table
        caption={t.records}
        list={list}
        rowKey={({ journal, record }) => `${journal} ${record}`}
        columns={[
          { title: t.when, cell: ({ at }) => <Time at={at} /> },
          { title: t.account, cell: ({ account }) => <AccountLink account={account} /> },
          { title: t.request, cell: (record) => <Request record={record} /> },
          { title: t.refusal, cell: ({ refusal }) => <span className="break-words">{refusal}</span> },
          { title: t.hold, align: "end", cell: (record) => <Money nanos={record.hold_nanos} /> },
        ]}
        empty={<p>{t.noRecords}</p>}
      />
    </Section>
  );
}

function Request({ record }: { readonly record: Answer["data"][number] }): ReactNode {
  if (record.request_id === null) return "–";
  return (
    <>
      <Link
        className="link font-mono text-sm break-all"
        to={`/accounts/${record.account.id}/requests/${record.request_id}`}
      >
        {record.request_id}
      </Link>
      <span className="block text-sm text-mute">{record.model}</span>
    </>
  );
}
