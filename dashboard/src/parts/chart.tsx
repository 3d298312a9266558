import { type ReactNode, useEffect, useRef, useState } from "react";
import uPlot from "uplot";
import { formatDay, formatMoment } from "../format/moment.ts";
import { usePreference } from "../shell/preferences.ts";
import { useLanguage } from "../words/language.ts";
import { useWords } from "../words/use-words.ts";
import { Button } from "./button.tsx";
import { chartOptions, needsYears, stackedData } from "./chart-options.ts";
import type { ChartProps, ChartSeries } from "./chart-props.ts";
import { seriesColour } from "./series-colour.ts";
import { Rows } from "./table.tsx";
import { partsWords } from "./words.ts";

/** `<Chart title={t.perDay} moments={days} series={[{ name, values }]} format={formatAxisMoney} byDay />` */
export function Chart(props: ChartProps): ReactNode {
  const { title, moments, series, height = 200 } = props;
  const t = useWords(partsWords);
  const [asTable, setAsTable] = useState(false);
  const [hovered, setHovered] = useState<number | null>(null);
  const name = useMomentName(props);
  const at = hovered ?? moments.length - 1;
  return (
    <figure className="flex min-w-0 flex-col gap-2">
      <figcaption className="flex items-center justify-between gap-4">
        <span className="font-medium">{title}</span>
        <Button look="quiet" onClick={() => setAsTable(!asTable)}>
          {asTable ? t.asChart : t.asTable}
        </Button>
      </figcaption>
      {asTable ? (
        <ChartTable {...props} />
      ) : (
        <>
          <Canvas {...props} height={height} onHover={setHovered} />
          <ul className="flex flex-wrap gap-x-4 gap-y-1 text-sm text-mute">
            <li>{name(moments[at])}</li>
            {series.map((each) => (
              <li key={each.name} className="inline-flex items-center gap-1.5">
                <span className="size-2.5 rounded-xs" style={{ background: seriesColour(each.name) }} />
                <span className="text-ink">{each.name}</span> {valueAt(each, at, props.format)}
              </li>
            ))}
          </ul>
        </>
      )}
    </figure>
  );
}

function ChartTable(props: ChartProps): ReactNode {
  const { title, moments, series, format, byDay = false } = props;
  const t = useWords(partsWords);
  const name = useMomentName(props);
  return (
    <div className="max-h-96 overflow-y-auto">
      <Rows
        caption={title}
        rows={moments.map((moment, index) => ({ moment, index }))}
        rowKey={({ moment }) => moment}
        columns={[
          {
            title: byDay ? t.day : t.time,
            cell: ({ moment }) => <span className="whitespace-nowrap">{name(moment)}</span>,
          },
          ...series.map((each) => ({
            title: each.name,
            cell: ({ index }: { readonly index: number }) => valueAt(each, index, format),
            align: "end" as const,
          })),
        ]}
      />
    </div>
  );
}

function Canvas(
  props: ChartProps & { readonly height: number; readonly onHover: (index: number | null) => void },
): ReactNode {
  const ref = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const [theme] = usePreference("theme");
  const language = useLanguage();
  const { title, moments, series, height } = props;
  // An image is drawn anew when what it shows changes; strings compare what arrays cannot.
  const content = JSON.stringify([moments, series, props.kind, theme, language, height]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: content stands for all that is drawn
  useEffect(() => {
    const box = ref.current;
    if (box === null) return;
    const draw = () => {
      const { onHover, ...shown } = latest.current;
      const options = chartOptions(shown, box, {
        language,
        onHover: (index) => latest.current.onHover(index),
      });
      return new uPlot(options, stackedData(shown), box);
    };
    let plot = draw();
    const resized = new ResizeObserver(() => plot.setSize({ width: box.clientWidth, height }));
    resized.observe(box);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const redraw = (): void => {
      plot.destroy();
      plot = draw();
    };
    scheme.addEventListener("change", redraw);
    return () => {
      scheme.removeEventListener("change", redraw);
      resized.disconnect();
      plot.destroy();
    };
  }, [content]);
  return (
    <div ref={ref} role="img" aria-label={title} className="min-w-0 overflow-hidden" style={{ height }} />
  );
}

function valueAt(series: ChartSeries, index: number, format: (value: number) => string): string {
  const value = series.values[index];
  return series.exact?.[index] ?? (value == null ? "–" : format(value));
}

function useMomentName({ moments, byDay }: ChartProps): (moment: string | undefined) => string {
  const language = useLanguage();
  return (text) => {
    if (text === undefined) return "";
    const moment = new Date(text);
    return byDay ? formatDay(moment, language, needsYears(moments)) : formatMoment(moment, language);
  };
}
