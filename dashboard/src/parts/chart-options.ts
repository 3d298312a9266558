import uPlot from "uplot";
import { formatDay } from "../format/moment.ts";
import type { Language } from "../words/language.ts";
import type { ChartProps } from "./chart-props.ts";
import { computedColour, seriesColour } from "./series-colour.ts";

/** In seconds, as uPlot counts. */
const DAY = 86_400;

/** Room for "12 Nov 2026" and some air, where uPlot would leave that for "12 Nov". */
const YEARS_SPACE = 100;

/** Charts below each other begin alike where their amounts are short. */
const MIN_AXIS = 56;

type Shown = Omit<ChartProps, "height"> & { readonly height: number };

interface ChartContext {
  readonly language: Language;
  readonly onHover: (index: number | null) => void;
}

/** The options of uPlot: amounts from zero, thin lines, the axis in words. */
export function chartOptions(
  shown: Shown,
  box: HTMLElement,
  { language, onHover }: ChartContext,
): uPlot.Options {
  const { series, kind = "bars", format, byDay = false, height } = shown;
  const colour = (name: string) => computedColour(name, box);
  const axis = {
    stroke: colour("var(--mute)"),
    grid: { stroke: colour("var(--line)"), width: 1 },
    ticks: { show: false },
    font: `12px ${getComputedStyle(box).fontFamily}`,
  };
  return {
    width: box.clientWidth,
    height,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: kind === "lines" } },
    hooks: { setCursor: [(plot) => onHover(plot.cursor.idx ?? null)] },
    scales: {
      x: { time: true, range: rangeOfBars(kind) },
      y: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.05 : 1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 28,
        values: (_plot, seconds) => seconds.map((each) => tick(each, shown, language)),
        ...(byDay ? daysOfAxis(shown.moments) : {}),
      },
      { ...axis, size: widthOfAmounts, values: (_plot, values) => values.map(format) },
    ],
    series: [
      {},
      ...drawnOrder(kind, series).map((each) => {
        const own = colour(seriesColour(each.name));
        return kind === "lines"
          ? { label: each.name, stroke: own, width: 1.5, points: { show: false } }
          : { label: each.name, stroke: own, fill: own, width: 0, points: { show: false }, ...bars() };
      }),
    ],
  };
}

/** True if two of these days would have the same name without their years. */
export function needsYears(moments: ChartProps["moments"]): boolean {
  const seconds = secondsOf(moments);
  return (seconds.at(-1) ?? 0) - (seconds[0] ?? 0) >= 365 * DAY;
}

/** The columns uPlot draws: bars stand on those before them, and the tallest are drawn first, behind. */
export function stackedData({
  moments,
  series,
  kind = "bars",
}: Pick<ChartProps, "moments" | "series" | "kind">): uPlot.AlignedData {
  const seconds = secondsOf(moments);
  if (kind === "lines") return [seconds, ...series.map(({ values }) => [...values])];
  const sums = moments.map(() => 0);
  const columns = series.map(({ values }) =>
    moments.map((_, index) => {
      sums[index] = (sums[index] ?? 0) + (values[index] ?? 0);
      return sums[index] ?? 0;
    }),
  );
  return [seconds, ...columns.reverse()];
}

function secondsOf(moments: ChartProps["moments"]): number[] {
  return moments.map((moment) => Date.parse(moment) / 1_000);
}

function drawnOrder<Each>(kind: "bars" | "lines", series: readonly Each[]): readonly Each[] {
  return kind === "lines" ? series : [...series].reverse();
}

function bars(): Pick<uPlot.Series, "paths"> {
  const paths = uPlot.paths.bars?.({ size: [0.7, 48] });
  return paths === undefined ? {} : { paths };
}

/** Bars need half a step of room at both ends. */
function rangeOfBars(kind: "bars" | "lines"): uPlot.Range.Function {
  return (plot, low, high) => {
    const [moments] = plot.data;
    const step = moments.length > 1 ? (high - low) / (moments.length - 1) : DAY;
    return kind === "bars" ? [low - step / 2, high + step / 2] : [low, high];
  };
}

/**
 * Every so many of the days themselves. Day sums are of UTC days, and uPlot's own way there leads through the reader's zone,
 * where a day may have 23 hours or 25: its marks stood an hour early then, and named the day before.
 */
function daysOfAxis(moments: ChartProps["moments"]): Pick<uPlot.Axis, "space" | "incrs" | "splits"> {
  const seconds = secondsOf(moments);
  return {
    ...(needsYears(moments) && { space: YEARS_SPACE }),
    incrs: [1, 2, 7, 14, 30, 90, 180, 365].map((days) => days * DAY),
    splits: (_plot, _axis, _low, _high, step) => seconds.filter((_, day) => day % (step / DAY) === 0),
  };
}

/** Room for the longest of an axis's amounts: $0.00000002 and $1,500,000 need more than most, and cut short are others. */
function widthOfAmounts(plot: uPlot, amounts: readonly string[] | null): number {
  const { font, gap = 0 } = plot.axes[1] ?? {};
  // uPlot has scaled the font to the screen's pixels, as it draws.
  plot.ctx.font = String(Array.isArray(font) ? font[0] : font);
  const widths = (amounts ?? []).map((amount) => plot.ctx.measureText(amount).width / devicePixelRatio);
  return Math.max(MIN_AXIS, Math.ceil(Math.max(0, ...widths) + gap));
}

function tick(seconds: number, { byDay, moments }: Shown, language: Language): string {
  const moment = new Date(seconds * 1_000);
  if (byDay) return formatDay(moment, language, needsYears(moments));
  return moment.toLocaleTimeString(language === "zh" ? "zh-CN" : "en-GB", {
    hour: "2-digit",
    minute: "2-digit",
  });
}
