import type { ReactNode } from "react";
import type { Traffic } from "../../../../src/console/traffic/contract.ts";
import type { Liveness } from "../../api/use-events.ts";
import { useRead } from "../../api/use-read.ts";
import { formatCount, formatShare, formatShortCount } from "../../format/count.ts";
import { Count, Duration, Money } from "../../parts/amounts.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Stat, Stats } from "../../parts/stat.tsx";
import { Tabs, useTab } from "../../parts/tabs.tsx";
import { useWords } from "../../words/use-words.ts";
import { TrafficCharts } from "./charts.tsx";
import { TrafficRows } from "./traffic-rows.tsx";
import { useLiveTraffic } from "./use-live-traffic.ts";
import { trafficWords } from "./words.ts";

/** What passes now: the operators' first look. */
export function OperatorTrafficPage(): ReactNode {
  const t = useWords(trafficWords);
  const span = useTab(["live", "hour"], "span");
  return (
    <Page title={t.title} lead={t.lead}>
      <Tabs
        label={t.span}
        param="span"
        tabs={[
          ["live", t.live],
          ["hour", t.hour],
        ]}
      />
      {span === "live" ? <Live /> : <Hour />}
    </Page>
  );
}

function Live(): ReactNode {
  const [traffic, liveness] = useLiveTraffic();
  if (traffic === undefined) return <Skeleton lines={6} />;
  return <Shown traffic={traffic} liveness={liveness} />;
}

const HOUR_INTERVAL_MS = 30_000;

function Hour(): ReactNode {
  const query = useRead("/operator/traffic", {}, { everyMs: HOUR_INTERVAL_MS });
  return <Loaded query={query}>{(traffic) => <Shown traffic={traffic} />}</Loaded>;
}

function Shown({
  traffic,
  liveness,
}: {
  readonly traffic: Traffic;
  readonly liveness?: Liveness;
}): ReactNode {
  const t = useWords(trafficWords);
  const note = liveness === undefined ? t.overHour : t.overMinute;
  const passed = traffic.slots.some(({ requests }) => requests > 0);
  return (
    <>
      <Figures traffic={traffic} note={note} liveness={liveness} />
      {passed ? (
        <>
          <TrafficCharts traffic={traffic} />
          <TrafficRows by="upstream" rows={traffic.upstreams} note={note} />
          <TrafficRows by="model" rows={traffic.models} note={note} />
        </>
      ) : (
        <Empty title={t.none}>{t.noneNote}</Empty>
      )}
    </>
  );
}

interface FiguresProps {
  readonly traffic: Traffic;
  readonly note: string;
  readonly liveness: Liveness | undefined;
}

function Figures({ traffic, note, liveness }: FiguresProps): ReactNode {
  const t = useWords(trafficWords);
  const { total, span_seconds: seconds, process } = traffic;
  const rate = total.requests / seconds;
  const tokens = (total.input_tokens + total.output_tokens) / seconds;
  return (
    <Stats>
      <Stat label={t.perSecond} note={liveness ? <Pulse liveness={liveness} /> : note}>
        {rate.toLocaleString("en", { maximumFractionDigits: rate < 10 ? 2 : 0 })}
      </Stat>
      <Stat label={t.errors} note={t.errorsNote(formatCount(total.errors))}>
        <span className={total.errors > 0 ? "text-bad" : ""}>
          {formatShare(total.requests === 0 ? 0 : total.errors / total.requests)}
        </span>
      </Stat>
      <Stat label={t.firstByte} note={t.firstByteNote}>
        <Duration ms={total.first_byte_p50_ms} />
      </Stat>
      <Stat label={t.slow} note={t.slowNote}>
        <Duration ms={total.first_byte_p95_ms} />
      </Stat>
      <Stat
        label={t.tokens}
        note={t.tokensNote(
          formatShortCount(total.input_tokens / seconds),
          formatShortCount(total.output_tokens / seconds),
        )}
      >
        {formatShortCount(tokens)}
      </Stat>
      <Stat label={t.charged} note={note}>
        <Money nanos={total.charge_nanos} />
      </Stat>
      <Stat label={t.running} note={process.label}>
        <Count value={process.running} />
      </Stat>
    </Stats>
  );
}

function Pulse({ liveness }: { readonly liveness: Liveness }): ReactNode {
  const t = useWords(trafficWords);
  if (liveness === "live") return <Badge tone="good">{t.isLive}</Badge>;
  return <Badge tone="warn">{liveness === "lost" ? t.lost : t.connecting}</Badge>;
}
