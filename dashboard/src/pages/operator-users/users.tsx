import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { UserRow } from "../../../../src/console/users/contract.ts";
import { useSearch } from "../../api/search.ts";
import { useSession } from "../../api/session.ts";
import { useList } from "../../api/use-list.ts";
import { Time } from "../../parts/amounts.tsx";
import { Badge } from "../../parts/badge.tsx";
import { IconButton } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Filters, SearchFilter } from "../../parts/filters.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Reserved } from "../../parts/reserved.tsx";
import { Table } from "../../parts/table.tsx";
import { useWords } from "../../words/use-words.ts";
import { PersonName } from "../members/person-name.tsx";
import { peopleWords } from "../members/words.ts";
import { type UserAct, UserDialog } from "./user-dialogs.tsx";

type Doing = { readonly act: UserAct; readonly user: UserRow };

/** Everybody who can sign in, the latest first. */
export function Users(): ReactNode {
  const t = useWords(peopleWords);
  const [{ q }] = useSearch();
  const { user: viewer } = useSession();
  const list = useList("/operator/users", { q });
  const [doing, setDoing] = useState<Doing>();
  const itemsOf = (user: UserRow) => {
    const item = (act: UserAct, title: string, danger = false) => ({
      title,
      danger,
      onSelect: () => setDoing({ act, user }),
    });
    // One's own password and role are changed on one's own page, or by another operator.
    if (user.id === viewer.id) return [item("identities", t.identities)];
    return [
      item("password", t.resetPassword),
      item("identities", t.identities),
      ...(user.has_totp ? [item("totp", t.resetCodes)] : []),
      item("operator", t.changeOperator),
      user.disabled ? item("unlock", t.unlock) : item("lock", t.lock, true),
    ];
  };
  return (
    <div className="flex flex-col gap-4">
      <Filters names={["q"]}>
        <SearchFilter name="q" label={t.search} />
      </Filters>
      <Table
        caption={t.users}
        list={list}
        rowKey={(user) => user.id}
        columns={[
          {
            title: t.name,
            cell: (user) => (
              <PersonName
                person={user}
                badges={
                  <>
                    {user.id === viewer.id && <Badge>{t.you}</Badge>}
                    {user.operator_role !== null && (
                      <Badge tone="accent">{t.operatorRoles[user.operator_role]}</Badge>
                    )}
                  </>
                }
              />
            ),
          },
          { title: t.accounts, wideOnly: true, cell: (user) => <Accounts user={user} /> },
          {
            title: t.lastSignIn,
            cell: ({ last_sign_in_at: at }) => (at === null ? t.never : <Time at={at} />),
          },
          { title: t.since, wideOnly: true, cell: (user) => <Time at={user.created_at} /> },
          {
            title: <span className="sr-only">{t.changeRole}</span>,
            align: "end",
            cell: (user) => (
              <Reserved to="all">
                <Menu items={itemsOf(user)}>
                  <IconButton icon="more" label={t.actions(user.name)} />
                </Menu>
              </Reserved>
            ),
          },
        ]}
        empty={<Empty title={t.noUsers}>{t.noUsersHow}</Empty>}
      />
      {doing && <UserDialog act={doing.act} user={doing.user} onClose={() => setDoing(undefined)} />}
    </div>
  );
}

function Accounts({ user }: { readonly user: UserRow }): ReactNode {
  const t = useWords(peopleWords);
  if (user.accounts.length === 0) return <span className="text-mute">{t.noAccount}</span>;
  return (
    <ul>
      {user.accounts.map(({ id, name, role }) => (
        <li key={id}>
          <Link className="link break-all" to={`/operator/accounts/${id}`}>
            {name}
          </Link>{" "}
          <span className="text-mute">{t.roles[role]}</span>
        </li>
      ))}
    </ul>
  );
}
