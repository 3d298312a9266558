import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { BudgetRow } from "../../../../src/console/budgets/contract.ts";
import type { KeyChange, KeyRow } from "../../../../src/console/keys/contract.ts";
import { write } from "../../api/client.ts";
import { useSearch } from "../../api/search.ts";
import { useAccount } from "../../api/session.ts";
import { useList } from "../../api/use-list.ts";
import { useRead } from "../../api/use-read.ts";
import { useWrite } from "../../api/use-write.ts";
import { formatCount } from "../../format/count.ts";
import { Money, Time } from "../../parts/amounts.tsx";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { Button, IconButton } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Filters, SearchFilter, SelectFilter } from "../../parts/filters.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Page } from "../../parts/page.tsx";
import { SpentOf } from "../../parts/spent-of.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { BudgetBar } from "../budgets/columns.tsx";
import { CreateKey, EditKey } from "./edit-key.tsx";
import { RevokeKey, RotateKey } from "./end-key.tsx";
import { keysWords } from "./words.ts";

/** As many as a page of the list has: more budgets than an account has keys to watch. */
const MAX_BUDGETS = 200;

/** What is being done to which key, in a dialog. */
type Doing =
  | { readonly what: "create" }
  | { readonly what: "edit" | "rotate" | "revoke"; readonly row: KeyRow };

/** The account's API keys: what each may do, what it spent, and all that can be done with it. */
export function KeysPage(): ReactNode {
  const t = useWords(keysWords);
  const { id: account, role } = useAccount();
  const [search] = useSearch();
  const [doing, setDoing] = useState<Doing>();
  const { state, q } = search;
  const list = useList(`/accounts/${account}/keys`, { state, search: q });
  const create = role !== "viewer" && (
    <Button look="primary" icon="plus" onClick={() => setDoing({ what: "create" })}>
      {t.create}
    </Button>
  );
  return (
    <Page title={t.title} lead={t.lead} actions={create}>
      <Filters names={["q", "state"]}>
        <SearchFilter name="q" label={t.search} />
        <SelectFilter name="state" label={t.state} all={t.current} options={[["revoked", t.revoked]]} />
      </Filters>
      <Table
        caption={t.title}
        list={list}
        rowKey={(row) => row.id}
        columns={useColumns(account, setDoing)}
        empty={
          state || q ? (
            <Empty title={t.noMatch} />
          ) : (
            <Empty title={t.none} action={create || undefined}>
              {t.noneHow}
            </Empty>
          )
        }
      />
      {doing && <Doings account={account} doing={doing} onClose={() => setDoing(undefined)} />}
    </Page>
  );
}

function Doings({
  account,
  doing,
  onClose,
}: {
  readonly account: string;
  readonly doing: Doing;
  readonly onClose: () => void;
}): ReactNode {
  const place = { account, onClose };
  switch (doing.what) {
    case "create":
      return <CreateKey {...place} />;
    case "edit":
      return <EditKey {...place} row={doing.row} />;
    case "rotate":
      return <RotateKey {...place} row={doing.row} />;
    case "revoke":
      return <RevokeKey {...place} row={doing.row} />;
  }
}

function useColumns(account: string, act: (doing: Doing) => void): readonly Column<KeyRow>[] {
  const t = useWords(keysWords);
  const budgets = useRead(`/accounts/${account}/budgets`, { limit: MAX_BUDGETS }).data?.data ?? [];
  const requests = (row: KeyRow, from?: string) => ({
    to: `/accounts/${account}/requests`,
    search: { key: row.id, from },
  });
  return [
    { title: t.name, cell: (row) => <Name row={row} /> },
    { title: t.limits, cell: (row) => <Terms row={row} />, wideOnly: true },
    {
      title: t.limit,
      cell: (row) => <Limit row={row} budgets={budgets.filter(({ key }) => key?.id === row.id)} />,
      wideOnly: true,
    },
    {
      title: t.spentMonth,
      align: "end",
      cell: (row) => (
        <Link {...requests(row, monthStart())} className="text-accent hover:underline">
          <Money nanos={row.spent_month_nanos} />
        </Link>
      ),
    },
    {
      title: t.spentTotal,
      align: "end",
      wideOnly: true,
      cell: (row) => (
        <Link {...requests(row)} className="text-accent hover:underline">
          <Money nanos={row.spent_total_nanos} />
        </Link>
      ),
    },
    {
      title: t.lastUsed,
      align: "end",
      wideOnly: true,
      cell: (row) => (row.last_used_at === null ? t.never : <Time at={row.last_used_at} />),
    },
    {
      title: <span className="sr-only">{t.edit}</span>,
      align: "end",
      cell: (row) => row.may_change && <KeyMenu account={account} row={row} act={act} />,
    },
  ];
}

const TONES: Readonly<Record<KeyRow["state"], Tone>> = {
  active: "good",
  disabled: "warn",
  expired: "warn",
  revoked: "bad",
};

function Name({ row }: { readonly row: KeyRow }): ReactNode {
  const t = useWords(keysWords);
  return (
    <div className="flex min-w-0 flex-col gap-0.5">
      <span className="flex flex-wrap items-center gap-2">
        <span className="font-medium break-all">{row.name}</span>
        {row.state !== "active" && <Badge tone={TONES[row.state]}>{t.states[row.state]}</Badge>}
      </span>
      <span className="text-sm text-mute">
        <code className="font-mono whitespace-nowrap">{row.hint}</code> ·{" "}
        {row.created_by === null ? t.byFile : t.createdBy(row.created_by.name)}
      </span>
      {row.old_secret_until !== null && (
        <span className="text-sm text-mute">
          {t.oldSecret} <Time at={row.old_secret_until} exact />
        </span>
      )}
    </div>
  );
}

function Terms({ row }: { readonly row: KeyRow }): ReactNode {
  const t = useWords(keysWords);
  const { requests_per_minute: requests, tokens_per_minute: tokens, concurrency } = row.rate_limits;
  const rates = [
    requests === null ? null : t.perMinute(formatCount(requests)),
    tokens === null ? null : t.tokensPerMinute(formatCount(tokens)),
    concurrency === null ? null : t.atOnce(formatCount(concurrency)),
  ].filter((rate) => rate !== null);
  return (
    <div className="flex flex-col gap-0.5 text-sm">
      <span title={row.models?.join(", ")}>
        {row.models === null ? t.allModels : t.models(row.models.length)}
      </span>
      {rates.map((rate) => (
        <span key={rate} className="text-mute">
          {rate}
        </span>
      ))}
      {row.allowed_addresses !== null && (
        <span className="text-mute" title={row.allowed_addresses.join(", ")}>
          {t.addresses(row.allowed_addresses.length)}
        </span>
      )}
      {row.expires_at !== null && (
        <span className="text-mute">
          {row.state === "expired" ? t.expired : t.expires} <Time at={row.expires_at} />
        </span>
      )}
    </div>
  );
}

/** The key's own limit, and the budgets that count this key only. */
function Limit({
  row,
  budgets,
}: {
  readonly row: KeyRow;
  readonly budgets: readonly BudgetRow[];
}): ReactNode {
  const t = useWords(keysWords);
  const limit = row.spending_limit;
  if (limit === null && budgets.length === 0) return <span className="text-mute">–</span>;
  return (
    <div className="flex flex-col gap-2">
      {limit !== null && (
        <SpentOf
          label={t.limit}
          spent={limit.spent_nanos}
          amount={limit.amount_nanos}
          period={t.periods[limit.period]}
        />
      )}
      {budgets.map((budget) => (
        <div key={budget.id}>
          <p className="text-sm break-all">{t.budget(budget.name)}</p>
          <BudgetBar row={budget} />
        </div>
      ))}
    </div>
  );
}

function KeyMenu({
  account,
  row,
  act,
}: {
  readonly account: string;
  readonly row: KeyRow;
  readonly act: (doing: Doing) => void;
}): ReactNode {
  const t = useWords(keysWords);
  const toggle = useWrite(
    (body: KeyChange) => write("PATCH", `/accounts/${account}/keys/${row.id}`, body),
    ({ name, disabled }) => toast(disabled ? t.disabled(name) : t.enabled(name)),
  );
  return (
    <Menu
      items={[
        { title: t.edit, onSelect: () => act({ what: "edit", row }) },
        {
          title: row.disabled ? t.enable : t.disable,
          onSelect: () => toggle.mutate({ disabled: !row.disabled }),
          disabled: toggle.isPending,
        },
        { title: t.rotate, onSelect: () => act({ what: "rotate", row }) },
        { title: t.revoke, onSelect: () => act({ what: "revoke", row }), danger: true },
      ]}
    >
      <IconButton icon="more" label={t.actions(row.name)} />
    </Menu>
  );
}

/** The first day of the current month, UTC. */
function monthStart(): string {
  return `${new Date().toISOString().slice(0, 7)}-01`;
}
