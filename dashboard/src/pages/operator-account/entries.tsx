import type { ReactNode } from "react";
import type { StatementEntry } from "../../../../src/console/statement/contract.ts";
import { useRead } from "../../api/use-read.ts";
import { Money, Time } from "../../parts/amounts.tsx";
import { ButtonLink } from "../../parts/button.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Section } from "../../parts/page.tsx";
import { Rows } from "../../parts/table.tsx";
import { useWords } from "../../words/use-words.ts";
import { operatorAccountWords } from "./words.ts";

/** How its money came in: the last credits, codes and debits. */
export function Entries({ account }: { readonly account: string }): ReactNode {
  const t = useWords(operatorAccountWords);
  const query = useRead(`/accounts/${account}/statement`, { view: "funding", limit: 5 });
  return (
    <Section
      title={t.entries}
      actions={
        <ButtonLink to={`/accounts/${account}/statement`} search={{ tab: "transactions" }}>
          {t.allEntries}
        </ButtonLink>
      }
    >
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="text-mute">{t.noEntries}</p>
          ) : (
            <Rows
              caption={t.entries}
              rows={data}
              rowKey={(entry) => entry.id}
              columns={[
                { title: t.when, cell: ({ at }) => <Time at={at} /> },
                { title: t.what, cell: (entry) => <What entry={entry} /> },
                {
                  title: t.change,
                  align: "end",
                  cell: (entry) => <Money nanos={entry.change_nanos} signed />,
                },
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  );
}

function What({ entry }: { readonly entry: StatementEntry }): ReactNode {
  const t = useWords(operatorAccountWords);
  const said: Partial<Record<StatementEntry["kind"], string>> = {
    opening: t.opening,
    credit: t.creditEntry,
    debit: t.debitEntry,
    code: t.code(entry.reference.id),
  };
  return (
    <>
      {said[entry.kind]}
      {entry.reason !== null && <span className="block text-sm wrap-anywhere text-mute">{entry.reason}</span>}
    </>
  );
}
