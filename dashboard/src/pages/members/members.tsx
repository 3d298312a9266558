import { type ReactNode, useState } from "react";
import type { MemberRow } from "../../../../src/console/users/contract.ts";
import { useAccount, useSession } from "../../api/session.ts";
import { useList } from "../../api/use-list.ts";
import { Time } from "../../parts/amounts.tsx";
import { Badge } from "../../parts/badge.tsx";
import { IconButton } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Table } from "../../parts/table.tsx";
import { useWords } from "../../words/use-words.ts";
import { ChangeRole } from "./change-role.tsx";
import { PersonName } from "./person-name.tsx";
import { RemoveMember } from "./remove-member.tsx";
import { peopleWords } from "./words.ts";

type Doing = { readonly what: "role" | "remove"; readonly member: MemberRow };

/** The members of the account; `invite` begins with the first. */
export function Members({ invite }: { readonly invite: ReactNode }): ReactNode {
  const t = useWords(peopleWords);
  const { id, role } = useAccount();
  const { user } = useSession();
  const list = useList(`/accounts/${id}/members`);
  const [doing, setDoing] = useState<Doing>();
  const close = () => setDoing(undefined);
  return (
    <>
      <Table
        caption={t.members}
        list={list}
        rowKey={(member) => member.user_id}
        columns={[
          {
            title: t.name,
            cell: (member) => (
              <PersonName person={member} badges={member.user_id === user.id && <Badge>{t.you}</Badge>} />
            ),
          },
          { title: t.role, cell: (member) => t.roles[member.role] },
          { title: t.since, wideOnly: true, cell: (member) => <Time at={member.since} /> },
          {
            title: t.lastSignIn,
            wideOnly: true,
            cell: ({ last_sign_in_at: at }) => (at === null ? t.never : <Time at={at} />),
          },
          {
            title: <span className="sr-only">{t.changeRole}</span>,
            align: "end",
            cell: (member) =>
              role === "owner" && (
                <Menu
                  items={[
                    { title: t.changeRole, onSelect: () => setDoing({ what: "role", member }) },
                    {
                      title: t.remove,
                      onSelect: () => setDoing({ what: "remove", member }),
                      danger: true,
                    },
                  ]}
                >
                  <IconButton icon="more" label={t.actions(member.name)} />
                </Menu>
              ),
          },
        ]}
        empty={
          <Empty title={t.noMembers} action={invite}>
            {t.noMembersHow}
          </Empty>
        }
      />
      {doing?.what === "role" && <ChangeRole account={id} member={doing.member} onClose={close} />}
      {doing?.what === "remove" && <RemoveMember account={id} member={doing.member} onClose={close} />}
    </>
  );
}
