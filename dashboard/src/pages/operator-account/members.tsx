import type { ReactNode } from "react";
import { useList } from "../../api/use-list.ts";
import { ButtonLink } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Section } from "../../parts/page.tsx";
import { Table } from "../../parts/table.tsx";
import { useWords } from "../../words/use-words.ts";
import { operatorAccountWords } from "./words.ts";

/** Who belongs to the account. */
export function Members({ account }: { readonly account: string }): ReactNode {
  const t = useWords(operatorAccountWords);
  const list = useList(`/accounts/${account}/members`);
  const toPeople = <ButtonLink to={`/accounts/${account}/members`}>{t.invite}</ButtonLink>;
  return (
    <Section title={t.people} actions={toPeople}>
      <Table
        caption={t.people}
        list={list}
        rowKey={(member) => member.email}
        columns={[
          {
            title: t.who,
            cell: ({ name, email }) => (
              <>
                {name}
                <span className="block text-sm break-all text-mute">{email}</span>
              </>
            ),
          },
          { title: t.role, cell: ({ role }) => t.roleOf(role) },
        ]}
        empty={<Empty title={t.noPeople}>{t.noPeopleLead}</Empty>}
      />
    </Section>
  );
}
