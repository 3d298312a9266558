import type { ReactNode } from "react";
import { apiUrl } from "../../api/client.ts";
import { useSearch } from "../../api/search.ts";
import { useRead } from "../../api/use-read.ts";
import { formatMoney } from "../../format/money.ts";
import { Count, Money } from "../../parts/amounts.tsx";
import { DownloadLink } from "../../parts/download-link.tsx";
import { Empty } from "../../parts/empty.tsx";
import { ChooserFilter, Filters, SearchFilter } from "../../parts/filters.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { RangeLinks } from "../../parts/range-links.tsx";
import { Stat, Stats } from "../../parts/stat.tsx";
import { Table } from "../../parts/table.tsx";
import { Tabs, useTab } from "../../parts/tabs.tsx";
import { useWords } from "../../words/use-words.ts";
import { Margin, type Spending, useColumns } from "./columns.tsx";
import { type By, filtersOf, PERIODS, periodOf, SPENDING_BY, spendingQueryOf } from "./query.ts";
import { operatorSpendingWords } from "./words.ts";

/** What all accounts were charged, what vendors bill for it, and what is left. */
export function OperatorSpendingPage(): ReactNode {
  const t = useWords(operatorSpendingWords);
  const [search] = useSearch();
  const by = useTab(SPENDING_BY);
  const asked = spendingQueryOf(search, by);
  const lacksKey = by === "tag" && !search["tag_key"];
  const query = useRead("/operator/spending", {
    ...(lacksKey ? { ...asked, by: "account" } : asked),
    limit: 50,
    after: search["after"],
  });
  const columns = useColumns(by, query.data);
  return (
    <Page
      title={t.title}
      lead={t.lead}
      actions={<DownloadLink href={apiUrl("/operator/spending.csv", asked)}>{t.export}</DownloadLink>}
    >
      <Range />
      <Loaded query={query}>
        {({ from, to, totals }) => <Totals from={from} to={to} totals={totals} />}
      </Loaded>
      <Tabs label={t.by} tabs={SPENDING_BY.map((name) => [name, t.tabs[name]] as const)} />
      <Narrowing by={by} />
      {lacksKey && <Empty title={t.chooseKey}>{t.chooseKeyHow}</Empty>}
      {!lacksKey && query.data !== undefined && (
        <Table
          caption={t.tabs[by]}
          list={{ query, cursor: "after" }}
          rowKey={({ id }) => id}
          columns={columns}
          empty={<Empty title={t.none}>{t.noneHow}</Empty>}
        />
      )}
    </Page>
  );
}

/** Calendar periods as links, and two fields for any other days. */
function Range(): ReactNode {
  const t = useWords(operatorSpendingWords);
  const [search] = useSearch();
  const current = periodOf(search);
  return (
    <div className="flex flex-wrap items-end gap-2">
      <RangeLinks
        label={t.range}
        links={PERIODS.map((period) => ({
          title: t.periods[period],
          search: { period, from: undefined, to: undefined },
          current: period === current,
        }))}
      />
      <SearchFilter name="from" label={t.from} type="date" />
      <SearchFilter name="to" label={t.to} type="date" />
    </div>
  );
}

function Narrowing({ by }: { readonly by: By }): ReactNode {
  const t = useWords(operatorSpendingWords);
  const names = filtersOf(by);
  return (
    <Filters names={by === "tag" ? [...names, "tag_key"] : names}>
      {by === "tag" && <SearchFilter name="tag_key" label={t.tagKey} />}
      <ChooserFilter
        name="account"
        label={t.names.account}
        all={t.anyAccount}
        path="/operator/accounts"
        choiceOf={({ id, name, group }) => ({ id, name, note: group })}
      />
      {names.map(
        (name) => name !== "account" && <SearchFilter key={name} name={name} label={t.names[name]} />,
      )}
    </Filters>
  );
}

function Totals({ from, to, totals }: Pick<Spending, "from" | "to" | "totals">): ReactNode {
  const t = useWords(operatorSpendingWords);
  return (
    <Stats>
      <Stat label={t.charged} note={t.span(from, to)}>
        <Money nanos={totals.charge_nanos} />
      </Stat>
      <Stat label={t.cost}>
        <Money nanos={totals.cost_nanos} />
      </Stat>
      <Stat label={t.margin}>
        <Margin nanos={totals.margin_nanos} />
      </Stat>
      {totals.unknown_costs > 0 && (
        <Stat label={t.unknown} note={t.unknownNote(formatMoney(totals.unknown_charge_nanos))}>
          <Count value={totals.unknown_costs} />
        </Stat>
      )}
      <Stat label={t.requests}>
        <Count value={totals.requests} />
      </Stat>
    </Stats>
  );
}
