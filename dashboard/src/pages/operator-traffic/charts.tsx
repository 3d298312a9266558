import type { ReactNode } from "react";
import type { Traffic } from "../../../../src/console/traffic/contract.ts";
import { formatShortCount } from "../../format/count.ts";
import { formatDuration } from "../../format/duration.ts";
import { Chart } from "../../parts/chart.tsx";
import { useLanguage } from "../../words/language.ts";
import { useWords } from "../../words/use-words.ts";
import { trafficWords } from "./words.ts";

/** How much, how fast, how many tokens. The newest slot is still filling and would look like a fall. */
export function TrafficCharts({ traffic }: { readonly traffic: Traffic }): ReactNode {
  const t = useWords(trafficWords);
  const language = useLanguage();
  const { slot_seconds: seconds } = traffic;
  const slots = traffic.slots.slice(0, -1);
  const moments = slots.map(({ at }) => at);
  const milliseconds = (value: number) => formatDuration(value, language);
  return (
    <div className="grid gap-8 lg:grid-cols-2">
      <Chart
        title={t.chartRequests}
        moments={moments}
        kind="bars"
        series={[
          { name: t.requests, values: slots.map(({ requests, errors }) => requests - errors) },
          { name: t.errors, values: slots.map(({ errors }) => errors) },
        ]}
        format={formatShortCount}
      />
      <Chart
        title={t.chartLatency}
        moments={moments}
        kind="lines"
        series={[
          { name: t.median, values: slots.map((slot) => slot.first_byte_p50_ms) },
          { name: t.p95, values: slots.map((slot) => slot.first_byte_p95_ms) },
        ]}
        format={milliseconds}
      />
      <Chart
        title={t.chartTokens}
        moments={moments}
        kind="lines"
        series={[
          { name: t.input, values: slots.map(({ input_tokens }) => input_tokens / seconds) },
          { name: t.output, values: slots.map(({ output_tokens }) => output_tokens / seconds) },
        ]}
        format={formatShortCount}
      />
    </div>
  );
}
