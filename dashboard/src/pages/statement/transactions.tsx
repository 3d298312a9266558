import type { ReactNode } from "react";
import type { StatementEntry } from "../../../../src/console/statement/contract.ts";
import { momentOfDay } from "../../api/days.ts";
import { useSearch } from "../../api/search.ts";
import { useList } from "../../api/use-list.ts";
import { Money, Time } from "../../parts/amounts.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Filters, SearchFilter } from "../../parts/filters.tsx";
import { Table } from "../../parts/table.tsx";
import { Tabs, useTab } from "../../parts/tabs.tsx";
import { useWords } from "../../words/use-words.ts";
import { EntryText } from "./entry-text.tsx";
import { statementWords } from "./words.ts";

const VIEWS = ["changes", "funding", "usage", "tasks", "everything"] as const;

/** Which transactions the URL asks for, as the API takes it; days are whole, in UTC, the last one included. */
export function useWish(): { view: string; from: string | undefined; to: string | undefined } {
  const [{ from, to }] = useSearch();
  return { view: useTab(VIEWS, "view"), from: momentOfDay(from), to: momentOfDay(to, 1) };
}

/** Every entry of the ledger by itself, newest first. */
export function Transactions({
  account,
  wish,
  top,
}: {
  readonly account: string;
  readonly wish: ReturnType<typeof useWish>;
  readonly top: ReactNode;
}): ReactNode {
  const t = useWords(statementWords);
  const list = useList(`/accounts/${account}/statement`, wish);
  const filtered = wish.view !== "changes" || wish.from !== undefined || wish.to !== undefined;
  const balances = list.query.data?.data.some((entry) => entry.balance_after_nanos !== null) ?? true;
  return (
    <div className="flex flex-col gap-4">
      <Tabs label={t.view} param="view" tabs={VIEWS.map((view) => [view, t[view]] as const)} />
      <Filters names={["from", "to"]}>
        <SearchFilter name="from" type="date" label={t.from} />
        <SearchFilter name="to" type="date" label={t.to} />
      </Filters>
      <Table
        caption={t.title}
        list={list}
        rowKey={(entry) => entry.id}
        columns={[
          { title: t.when, wideOnly: true, cell: ({ at }) => <Time at={at} /> },
          { title: t.what, cell: (entry) => <EntryText account={account} entry={entry} /> },
          { title: t.change, align: "end", cell: (entry) => <Change entry={entry} /> },
          ...(balances
            ? [
                {
                  title: t.balanceAfter,
                  align: "end" as const,
                  wideOnly: true,
                  cell: ({ balance_after_nanos: after }: StatementEntry) =>
                    after === null ? "–" : <Money nanos={after} />,
                },
              ]
            : []),
        ]}
        empty={
          filtered ? (
            <Empty title={t.noneFound}>{t.noneFoundLead}</Empty>
          ) : (
            <Empty title={t.none} action={top}>
              {t.noneLead}
            </Empty>
          )
        }
      />
    </div>
  );
}

/** What an entry did to the balance; where it did nothing, what it did to what is available. */
function Change({ entry }: { readonly entry: StatementEntry }): ReactNode {
  if (entry.change_nanos !== "0") {
    const gained = !entry.change_nanos.startsWith("-");
    return (
      <span className={gained ? "text-good" : ""}>
        <Money nanos={entry.change_nanos} signed />
      </span>
    );
  }
  return <Unchanged entry={entry} />;
}

function Unchanged({ entry }: { readonly entry: StatementEntry }): ReactNode {
  const t = useWords(statementWords);
  const reserved = entry.available_change_nanos;
  return (
    <span className="text-mute">
      <Money nanos={reserved === "0" ? entry.amount_nanos : reserved} signed={reserved !== "0"} />
      {reserved !== "0" && <span className="block text-xs">{t.ofAvailable}</span>}
    </span>
  );
}
