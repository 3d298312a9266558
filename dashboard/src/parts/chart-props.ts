export interface ChartSeries {
  readonly name: string;
  /** One for each moment; null where nothing is known. */
  readonly values: readonly (number | null)[];
  /** The exact words for a value, where a number cannot hold them (money). */
  readonly exact?: readonly string[];
}

export interface ChartProps {
  /** The question it answers: heading of the table, label of the image. */
  readonly title: string;
  /** ISO moments, ascending. */
  readonly moments: readonly string[];
  readonly series: readonly ChartSeries[];
  /** Bars stand on one another (amounts); lines do not (rates, latencies). */
  readonly kind?: "bars" | "lines";
  /** A value of the axis in words. */
  readonly format: (value: number) => string;
  /** Moments are days, named as such; else times. */
  readonly byDay?: boolean;
  readonly height?: number;
}
