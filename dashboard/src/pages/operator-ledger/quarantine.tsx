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

/** Lines that the database refused. */
export function Quarantine(): ReactNode {
  const t = useWords(operatorLedgerWords);
  const list = useList<Answer["data"][number]>(
    "/operator/ledger/quarantine",
    { limit: 20 },
    { cursor: "lines_after" },
  );
  return (
    <Section title={t.lines}>
      <p className="max-w-prose text-mute">{t.linesLead}</p>
      <Table
        caption={t.lines}
        list={list}
        rowKey={({ spool, line }) => `${spool} ${line}`}
        columns={[
          { title: t.when, cell: ({ at }) => <Time at={at} /> },
          { title: t.account, cell: ({ account }) => <AccountLink account={account} /> },
          { title: t.request, cell: (line) => <Request line={line} /> },
          { title: t.refusal, cell: ({ refusal }) => <span className="break-words">{refusal}</span> },
          { title: t.hold, align: "end", cell: (line) => <Money nanos={line.hold_nanos} /> },
        ]}
        empty={<p>{t.noLines}</p>}
      />
    </Section>
  );
}

function Request({ line }: { readonly line: Answer["data"][number] }): ReactNode {
  if (line.request_id === null) return "–";
  return (
    <>
      <Link
        className="link font-mono text-sm break-all"
        to={`/accounts/${line.account.id}/requests/${line.request_id}`}
      >
        {line.request_id}
      </Link>
      <span className="block text-sm text-mute">{line.model}</span>
    </>
  );
}
