import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { SpendingResponse } from "../../../../src/console/spending/contract.ts";
import { apiUrl } from "../../api/client.ts";
import { useSearch } from "../../api/search.ts";
import { useAccount } from "../../api/session.ts";
import { useRead } from "../../api/use-read.ts";
import { formatCount, formatShare } from "../../format/count.ts";
import { formatDuration } from "../../format/duration.ts";
import { dollarsOf, formatAxisMoney, formatForecast, formatMoney } from "../../format/money.ts";
import { Count, Duration, Money } from "../../parts/amounts.tsx";
import { ButtonLink } from "../../parts/button.tsx";
import { Chart } from "../../parts/chart.tsx";
import type { ChartSeries } from "../../parts/chart-props.ts";
import { DownloadLink } from "../../parts/download-link.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Filters, SearchFilter } from "../../parts/filters.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Page, Section } from "../../parts/page.tsx";
import { Stat, Stats } from "../../parts/stat.tsx";
import { Rows } from "../../parts/table.tsx";
import { Tabs, useTab } from "../../parts/tabs.tsx";
import { useLanguage } from "../../words/language.ts";
import { useWords } from "../../words/use-words.ts";
import { type By, Groups, useGroupName } from "./groups.tsx";
import { type Days, daysOf, momentsOf, RangePicker } from "./range.tsx";
import { spendingWords } from "./words.ts";

const TABS: readonly By[] = ["model", "key", "user", "endpoint", "tag"];

/** Where the account's money goes, what the month will come to, and the rows behind every total. */
export function SpendingPage(): ReactNode {
  const t = useWords(spendingWords);
  const { id: account } = useAccount();
  const [search] = useSearch();
  const by = useTab(TABS);
  const days = daysOf(search);
  const tagKey = search["tag_key"] || undefined;
  const lacksKey = by === "tag" && tagKey === undefined;
  const asked = by === "tag" && tagKey !== undefined ? { by, tag_key: tagKey, ...days } : { by, ...days };
  const query = useRead(`/accounts/${account}/spending`, lacksKey ? days : asked);
  return (
    <Page
      title={t.title}
      lead={t.lead}
      actions={
        <DownloadLink href={apiUrl(`/accounts/${account}/spending.csv`, lacksKey ? days : asked)}>
          {t.export}
        </DownloadLink>
      }
    >
      <RangePicker days={days} />
      <Loaded query={query}>
        {(answer) => (
          <div className={`flex min-w-0 flex-col gap-6 ${query.isPlaceholderData ? "opacity-60" : ""}`}>
            <Totals answer={answer} account={account} days={days} />
            <Tabs label={t.by} tabs={TABS.map((name) => [name, t.tabs[name]] as const)} />
            {by === "tag" && (
              <Filters names={["tag_key"]}>
                <SearchFilter name="tag_key" label={t.tagKey} />
              </Filters>
            )}
            {lacksKey ? (
              <Empty title={t.chooseKey}>{t.chooseKeyHow}</Empty>
            ) : answer.groups.length === 0 ? (
              <Nothing account={account} />
            ) : (
              <>
                <SpendingChart answer={answer} by={by} />
                <Groups answer={answer} by={by} account={account} days={days} />
                <Section title={t.buckets}>
                  <Buckets answer={answer} />
                </Section>
              </>
            )}
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function Nothing({ account }: { readonly account: string }): ReactNode {
  const t = useWords(spendingWords);
  return (
    <Empty title={t.none} action={<ButtonLink to={`/accounts/${account}/models`}>{t.toModels}</ButtonLink>}>
      {t.noneHow}
    </Empty>
  );
}

interface TotalsProps {
  readonly answer: SpendingResponse;
  readonly account: string;
  readonly days: Days;
}

function Totals({ answer, account, days }: TotalsProps): ReactNode {
  const t = useWords(spendingWords);
  const { totals, forecast } = answer;
  const requests = { to: `/accounts/${account}/requests`, className: "hover:underline" } as const;
  const cached = totals.input_tokens === 0 ? 0 : totals.tokens.cache_read / totals.input_tokens;
  return (
    <Stats>
      <Stat label={t.charged}>
        <Link {...requests} search={{ ...days }}>
          <Money nanos={totals.charge_nanos} />
        </Link>
      </Stat>
      <Stat label={t.forecast} note={t.forecastNote(formatForecast(forecast.expected_nanos))}>
        <Money nanos={forecast.charged_nanos} />
      </Stat>
      <Stat label={t.requests}>
        <Link {...requests} search={{ ...days }}>
          <Count value={totals.requests} />
        </Link>
      </Stat>
      <Stat
        label={t.errors}
        note={totals.requests > 0 && t.errorShare(formatShare(totals.errors / totals.requests))}
      >
        <Link {...requests} search={{ ...days, outcome: "failed" }}>
          <Count value={totals.errors} />
        </Link>
      </Stat>
      <Stat label={t.tokens} note={cached > 0 && t.cached(formatShare(cached))}>
        <Count value={totals.input_tokens} /> / <Count value={totals.output_tokens} />
      </Stat>
      <Latency label={t.firstByte} of={totals.latencies.first_byte} />
      <Latency label={t.total} of={totals.latencies.total} />
    </Stats>
  );
}

function Latency({
  label,
  of,
}: {
  readonly label: string;
  readonly of: SpendingResponse["totals"]["latencies"]["total"];
}): ReactNode {
  const t = useWords(spendingWords);
  const language = useLanguage();
  if (of === null) return null;
  return (
    <Stat label={label} note={t.p95(formatDuration(of.p95_ms, language))}>
      <Duration ms={of.p50_ms} />
    </Stat>
  );
}

function SpendingChart({ answer, by }: { readonly answer: SpendingResponse; readonly by: By }): ReactNode {
  const t = useWords(spendingWords);
  const name = useGroupName(answer, by);
  const moments = momentsOf(answer);
  const place = new Map(moments.map((moment, index) => [moment, index]));
  const amounts = new Map<string | null, string[]>();
  for (const { at, group, charge_nanos: nanos } of answer.series) {
    const row = amounts.get(group) ?? moments.map(() => "0");
    const index = place.get(at);
    if (index !== undefined) row[index] = nanos;
    amounts.set(group, row);
  }
  // Groups in the table's order, so that chart and table read alike.
  const drawn = [...answer.groups.map(({ id }) => id), null].filter((id) => amounts.has(id));
  const series: ChartSeries[] = drawn.map((id) => {
    const row = amounts.get(id) ?? [];
    const group = answer.groups.find((each) => each.id === id);
    return {
      name: group === undefined ? t.others : name(group),
      values: row.map(dollarsOf),
      exact: row.map(formatMoney),
    };
  });
  return (
    <Chart title={t.chart[by]} moments={moments} series={series} format={formatAxisMoney} kind="bars" byDay />
  );
}

function Buckets({ answer }: { readonly answer: SpendingResponse }): ReactNode {
  const t = useWords(spendingWords);
  const { tokens, estimated } = answer.totals;
  const names = Object.keys(t.bucketNames) as (keyof typeof t.bucketNames)[];
  return (
    <div className="flex max-w-xl flex-col gap-2">
      <Rows
        caption={t.buckets}
        rows={names}
        rowKey={(bucket) => bucket}
        columns={[
          { title: t.bucket, cell: (bucket) => t.bucketNames[bucket] },
          { title: t.count, align: "end", cell: (bucket) => <Count value={tokens[bucket]} /> },
        ]}
      />
      {estimated > 0 && <p className="text-sm text-mute">{t.estimated(formatCount(estimated))}</p>}
    </div>
  );
}
