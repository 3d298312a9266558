import { type ReactNode, useState } from "react";
import type { StatementEntry } from "../../../../src/console/statement/contract.ts";
import { apiUrl } from "../../api/client.ts";
import { momentOfDay } from "../../api/days.ts";
import { useSearch } from "../../api/search.ts";
import { useAccount } from "../../api/session.ts";
import { useList } from "../../api/use-list.ts";
import { useRead } from "../../api/use-read.ts";
import { Money, Time } from "../../parts/amounts.tsx";
import { Button } from "../../parts/button.tsx";
import { DownloadLink } from "../../parts/download-link.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Filters, SearchFilter } from "../../parts/filters.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { Stat, Stats } from "../../parts/stat.tsx";
import { Table } from "../../parts/table.tsx";
import { Tabs, useTab } from "../../parts/tabs.tsx";
import { useWords } from "../../words/use-words.ts";
import { Alert } from "./alert.tsx";
import { EntryRequests } from "./entry-requests.tsx";
import { EntryText } from "./entry-text.tsx";
import { Redeem } from "./redeem.tsx";
import { statementWords } from "./words.ts";

/** Where the money went: balance, every entry in words, codes and the alert. */
export function StatementPage(): ReactNode {
  const t = useWords(statementWords);
  const account = useAccount();
  const wish = useWish();
  const [redeeming, setRedeeming] = useState(false);
  const mayRedeem = account.role !== "viewer";
  const redeem = (
    <Button look="primary" onClick={() => setRedeeming(true)}>
      {t.redeem}
    </Button>
  );
  return (
    <Page
      title={t.title}
      lead={t.lead}
      actions={
        <>
          <DownloadLink href={apiUrl(`/accounts/${account.id}/statement.csv`, wish)}>{t.export}</DownloadLink>
          {mayRedeem && redeem}
        </>
      }
    >
      <Balances account={account.id} />
      <Entries account={account.id} wish={wish} top={mayRedeem ? redeem : undefined} />
      {account.role === "owner" && <Alert account={account.id} />}
      <EntryRequests account={account.id} />
      <Redeem account={account.id} open={redeeming} onClose={() => setRedeeming(false)} />
    </Page>
  );
}

/** Often enough that a charge shows while one looks. */
const BALANCE_EVERY_MS = 5_000;

function Balances({ account }: { readonly account: string }): ReactNode {
  const t = useWords(statementWords);
  const query = useRead(`/accounts/${account}/balance`, {}, { everyMs: BALANCE_EVERY_MS });
  return (
    <Loaded query={query}>
      {(balance) => (
        <Stats>
          <Stat label={t.available} note={t.availableNote}>
            <Money nanos={balance.available_nanos} />
          </Stat>
          <Stat label={t.held} note={t.heldNote}>
            <Money nanos={balance.held_nanos} />
          </Stat>
          <Stat label={t.balance}>
            <Money nanos={balance.balance_nanos} />
          </Stat>
        </Stats>
      )}
    </Loaded>
  );
}

const VIEWS = ["changes", "funding", "usage", "tasks", "everything"] as const;

/** What the URL asks for, as the API takes it; days are whole, in UTC, the last one included. */
function useWish(): { view: string; from: string | undefined; to: string | undefined } {
  const [{ from, to }] = useSearch();
  return { view: useTab(VIEWS, "view"), from: momentOfDay(from), to: momentOfDay(to, 1) };
}

function Entries({
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
