import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Upstream, UpstreamReport } from "../../../../src/console/upstreams/contract.ts";
import { useRead } from "../../api/use-read.ts";
import { formatCount, formatShare } from "../../format/count.ts";
import { formatDuration } from "../../format/duration.ts";
import { dollarsOf, formatAxisMoney, formatMoney } from "../../format/money.ts";
import { Count, Duration, Money, Time } from "../../parts/amounts.tsx";
import { Chart } from "../../parts/chart.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Section } from "../../parts/page.tsx";
import { Stat, Stats } from "../../parts/stat.tsx";
import { Rows } from "../../parts/table.tsx";
import { useLanguage } from "../../words/language.ts";
import { useWords } from "../../words/use-words.ts";
import { useReason } from "../requests/outcome.tsx";
import { upstreamWords } from "./words.ts";

const SHOWN_DAYS = 30;
const DAY_MS = 86_400_000;

/** How the upstream does now, what it brought, what failed there. */
export function Overview({ upstream }: { readonly upstream: Upstream }): ReactNode {
  const t = useWords(upstreamWords);
  const report = useRead(`/operator/upstreams/${upstream.id}/report`, { days: SHOWN_DAYS });
  return (
    <>
      <Now upstream={upstream} />
      <Loaded query={report}>
        {({ days, failures }) => (
          <>
            <Section title={t.days}>
              {days.length === 0 ? <Empty title={t.noDays} /> : <Days days={days} />}
            </Section>
            <Section title={t.failures}>
              {failures.length === 0 ? (
                <Empty title={t.noFailures}>{t.failuresNote}</Empty>
              ) : (
                <Failures failures={failures} />
              )}
            </Section>
          </>
        )}
      </Loaded>
    </>
  );
}

function Now({ upstream: { health, hour, limits } }: { readonly upstream: Upstream }): ReactNode {
  const t = useWords(upstreamWords);
  const language = useLanguage();
  const { ok, failed, rate_limited, refused } = health.attempts;
  const p95 = hour.first_byte_p95_ms;
  return (
    <div className="flex flex-col gap-3">
      <h2 className="text-lg font-semibold">{t.now}</h2>
      <Stats>
        <Stat
          label={t.running}
          note={t.runningNote(formatCount(limits.concurrency ?? 0), formatCount(health.connections))}
        >
          <Count value={health.running} />
        </Stat>
        <Stat
          label={t.attempts}
          note={t.attemptsNote(formatCount(failed), formatCount(rate_limited), formatCount(refused))}
        >
          <Count value={ok + failed + rate_limited + refused} />
        </Stat>
        <Stat label={t.breakers} note={t.breakersNote}>
          <span className={health.open_breakers > 0 ? "text-bad" : ""}>{health.open_breakers}</span>
        </Stat>
      </Stats>
      <h2 className="pt-2 text-lg font-semibold">{t.lastHour}</h2>
      <Stats>
        <Stat label={t.requests}>
          <Count value={hour.requests} />
        </Stat>
        <Stat label={t.errors} note={formatCount(hour.errors)}>
          <span className={hour.errors > 0 ? "text-bad" : ""}>
            {formatShare(hour.requests === 0 ? 0 : hour.errors / hour.requests)}
          </span>
        </Stat>
        <Stat
          label={t.firstByte}
          note={p95 === null ? undefined : t.firstByteNote(formatDuration(p95, language))}
        >
          <Duration ms={hour.first_byte_p50_ms} />
        </Stat>
        <Stat label={t.charged}>
          <Money nanos={hour.charge_nanos} />
        </Stat>
      </Stats>
      <p className="max-w-prose text-sm text-mute">{t.perProcess}</p>
    </div>
  );
}

type Day = UpstreamReport["days"][number];

function Days({ days }: { readonly days: readonly Day[] }): ReactNode {
  const t = useWords(upstreamWords);
  const states = days.some(({ reported }) => reported !== null);
  const all = everyDay(days);
  return (
    <div className="flex flex-col gap-6">
      <Chart
        title={t.chartCharged}
        moments={all.map(({ day }) => `${day}T00:00:00Z`)}
        series={[
          {
            name: t.charged,
            values: all.map(({ charge_nanos }) => dollarsOf(charge_nanos)),
            exact: all.map(({ charge_nanos }) => formatMoney(charge_nanos)),
          },
        ]}
        kind="bars"
        format={formatAxisMoney}
        byDay
      />
      <Rows
        caption={t.days}
        rows={[...days].reverse()}
        rowKey={({ day }) => day}
        columns={[
          { title: t.day, cell: ({ day }) => <span className="whitespace-nowrap">{day}</span> },
          { title: t.requests, align: "end", cell: ({ requests }) => <Count value={requests} /> },
          { title: t.errors, align: "end", cell: ({ errors }) => <Count value={errors} /> },
          {
            title: t.tokens,
            align: "end",
            wideOnly: true,
            cell: (day) => `${formatCount(day.input_tokens)} / ${formatCount(day.output_tokens)}`,
          },
          {
            title: t.media,
            align: "end",
            wideOnly: true,
            cell: (day) => `${formatCount(day.images)} / ${formatCount(day.video_seconds)}`,
          },
          { title: t.charged, align: "end", cell: (day) => <Money nanos={day.charge_nanos} /> },
          ...(states
            ? [
                {
                  title: t.cost,
                  align: "end" as const,
                  cell: (day: Day) => <Cost day={day} />,
                  wideOnly: true,
                },
                { title: t.margin, align: "end" as const, cell: (day: Day) => <Margin day={day} /> },
              ]
            : []),
        ]}
      />
      {states && <p className="max-w-prose text-sm text-mute">{t.costNote}</p>}
    </div>
  );
}

/** Days without requests bring nothing, and are days all the same. */
function everyDay(days: readonly Day[]): readonly Pick<Day, "day" | "charge_nanos">[] {
  const known = new Map(days.map((day) => [day.day, day]));
  return Array.from({ length: SHOWN_DAYS }, (_, index) => {
    const day = new Date(Date.now() - (SHOWN_DAYS - 1 - index) * DAY_MS).toISOString().slice(0, 10);
    return known.get(day) ?? { day, charge_nanos: "0" };
  });
}

function Cost({ day: { reported } }: { readonly day: Day }): ReactNode {
  return reported === null ? "–" : <Money nanos={reported.cost_nanos} />;
}

function Margin({ day: { reported } }: { readonly day: Day }): ReactNode {
  if (reported === null) return "–";
  const margin = BigInt(reported.charge_nanos) - BigInt(reported.cost_nanos);
  return (
    <span className={margin < 0n ? "text-bad" : ""}>
      <Money nanos={String(margin)} />
    </span>
  );
}

function Failures({ failures }: { readonly failures: UpstreamReport["failures"] }): ReactNode {
  const t = useWords(upstreamWords);
  const say = useReason();
  return (
    <Rows
      caption={t.failures}
      rows={failures}
      rowKey={({ request_id, at }) => `${request_id} ${at}`}
      columns={[
        { title: t.at, cell: ({ at }) => <Time at={at} /> },
        { title: t.model, cell: ({ model }) => <span className="break-all">{model}</span> },
        { title: t.status, align: "end", cell: ({ status }) => status },
        {
          title: t.reason,
          cell: ({ reason, error_code }) =>
            error_code === null ? say(reason) : `${say(reason)} · ${error_code}`,
        },
        {
          title: t.request,
          wideOnly: true,
          cell: ({ account_id, request_id }) => (
            <Link
              to={`/accounts/${account_id}/requests/${request_id}`}
              className="font-mono text-sm break-all text-accent hover:underline"
            >
              {request_id}
            </Link>
          ),
        },
      ]}
    />
  );
}
