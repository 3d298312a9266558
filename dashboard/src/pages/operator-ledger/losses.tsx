import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Losses as Answer } from "../../../../src/console/ledger/contract.ts";
import { useList } from "../../api/use-list.ts";
import { Money, Time } from "../../parts/amounts.tsx";
import { Section } from "../../parts/page.tsx";
import { Table } from "../../parts/table.tsx";
import { useWords } from "../../words/use-words.ts";
import { operatorLedgerWords } from "./words.ts";

/** What accounts were charged and could not pay. */
export function Losses(): ReactNode {
  const t = useWords(operatorLedgerWords);
  const list = useList("/operator/ledger/losses", { limit: 20 });
  const answer = list.query.data as Answer | undefined;
  return (
    <Section
      title={t.losses}
      actions={
        answer && (
          <p>
            <span className="text-mute">{t.total}</span> <Money nanos={answer.total_nanos} />
          </p>
        )
      }
    >
      <p className="max-w-prose text-mute">{t.lossesLead}</p>
      <Table
        caption={t.losses}
        list={list}
        rowKey={({ id }) => id}
        columns={[
          { title: t.when, cell: ({ at }) => <Time at={at} /> },
          { title: t.account, cell: ({ account }) => <AccountLink account={account} /> },
          { title: t.kind, cell: ({ kind }) => (kind === "post" ? t.beyond : t.quarantine) },
          { title: t.amount, align: "end", cell: (loss) => <Money nanos={loss.amount_nanos} /> },
        ]}
        empty={<p>{t.noLosses}</p>}
      />
    </Section>
  );
}

/** Leads to the account's page for operators. */
export function AccountLink({ account }: { readonly account: Answer["data"][number]["account"] }): ReactNode {
  return (
    <Link className="link break-all" to={`/operator/accounts/${account.id}`}>
      {account.name}
    </Link>
  );
}
