import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { AccountRow } from "../../../../src/console/accounts/contract.ts";
import { useSearch } from "../../api/search.ts";
import { useList } from "../../api/use-list.ts";
import { useRead } from "../../api/use-read.ts";
import { Money, Time } from "../../parts/amounts.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Filters, SearchFilter, SelectFilter } from "../../parts/filters.tsx";
import { Page } from "../../parts/page.tsx";
import { Reserved } from "../../parts/reserved.tsx";
import { Table } from "../../parts/table.tsx";
import { Tabs, useTab } from "../../parts/tabs.tsx";
import { useWords } from "../../words/use-words.ts";
import { Budgets } from "./budgets.tsx";
import { GroupDialog } from "./group-dialog.tsx";
import { Groups } from "./groups.tsx";
import { OpenAccount } from "./open-account.tsx";
import { operatorAccountsWords } from "./words.ts";

/** Every account, the groups they are in, and their budgets. */
export function OperatorAccountsPage(): ReactNode {
  const t = useWords(operatorAccountsWords);
  const tab = useTab(["accounts", "groups", "budgets"]);
  const [making, setMaking] = useState(false);
  const close = () => setMaking(false);
  return (
    <Page
      title={t.title}
      lead={t.lead}
      actions={
        tab !== "budgets" && (
          <Reserved to="all">
            <Button look="primary" icon="plus" onClick={() => setMaking(true)}>
              {tab === "accounts" ? t.open : t.newGroup}
            </Button>
          </Reserved>
        )
      }
    >
      <Tabs
        label={t.tabs}
        tabs={[
          ["accounts", t.accounts],
          ["groups", t.groups],
          ["budgets", t.budgets],
        ]}
      />
      {tab === "accounts" && <Accounts />}
      {tab === "groups" && <Groups />}
      {tab === "budgets" && <Budgets />}
      {tab === "accounts" && <OpenAccount open={making} onClose={close} />}
      {tab === "groups" && <GroupDialog open={making} group={null} onClose={close} />}
    </Page>
  );
}

function Accounts(): ReactNode {
  const t = useWords(operatorAccountsWords);
  const [{ search, group, state }] = useSearch();
  const groups = useRead("/operator/groups");
  const disabled = state === undefined ? undefined : String(state === "suspended");
  const list = useList("/operator/accounts", { search, group, disabled });
  return (
    <div className="flex flex-col gap-4">
      <Filters names={["search", "group", "state"]}>
        <SearchFilter name="search" label={t.search} />
        <SelectFilter
          name="group"
          label={t.group}
          all={t.allGroups}
          options={(groups.data?.data ?? []).map(({ name }) => [name, name] as const)}
        />
        <SelectFilter
          name="state"
          label={t.state}
          all={t.anyState}
          options={[
            ["active", t.active],
            ["suspended", t.suspended],
          ]}
        />
      </Filters>
      <Table
        caption={t.accounts}
        list={list}
        rowKey={(account) => account.id}
        columns={[
          { title: t.name, cell: (account) => <Name account={account} /> },
          { title: t.group, wideOnly: true, cell: (account) => account.group },
          { title: t.available, align: "end", cell: (account) => <Money nanos={account.available_nanos} /> },
          {
            title: t.month,
            align: "end",
            wideOnly: true,
            cell: (account) => (
              <Link className="link" to={`/accounts/${account.id}/spending`}>
                <Money nanos={account.spent_this_month_nanos} />
              </Link>
            ),
          },
          {
            title: t.created,
            align: "end",
            wideOnly: true,
            cell: (account) => <Time at={account.created_at} />,
          },
        ]}
        empty={<Empty title={t.none}>{t.noneLead}</Empty>}
      />
    </div>
  );
}

function Name({ account }: { readonly account: AccountRow }): ReactNode {
  const t = useWords(operatorAccountsWords);
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      <Link className="link break-all" to={`/operator/accounts/${account.id}`}>
        {account.name}
      </Link>
      {account.disabled && <Badge tone="bad">{t.suspended}</Badge>}
    </span>
  );
}
