/** The Prometheus text format, as much of it as we use. */

/** Label names and values, in the order in which they are written. */
export type Labels = readonly (readonly [name: string, value: string])[];

export interface Sample {
  readonly labels: Labels;
  readonly value: number | bigint;
}

/** One metric with its samples; nothing while there are none. */
export function metricText(
  name: string,
  type: "counter" | "gauge",
  help: string,
  samples: readonly Sample[],
): string {
  if (samples.length === 0) return "";
  return head(name, type, help) + samples.map(({ labels, value }) => line(name, labels, value)).join("");
}

/** Counts of values by upper bounds, with their sum. */
export class Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: Float64Array;
  #sum = 0;

  /** `bounds` rise; what is above the last is counted too. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    let index = 0;
    while (index < this.#bounds.length && value > (this.#bounds[index] ?? 0)) index += 1;
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#sum += value;
  }

  get count(): number {
    return this.#counts.reduce((total, count) => total + count, 0);
  }

  lines(name: string, labels: Labels): string {
    let total = 0;
    let text = "";
    this.#counts.forEach((count, index) => {
      total += count;
      const bound = this.#bounds[index];
      const le = bound === undefined ? "+Inf" : String(bound);
      text += line(`${name}_bucket`, [...labels, ["le", le]], total);
    });
    return text + line(`${name}_sum`, labels, this.#sum) + line(`${name}_count`, labels, total);
  }
}

/** A histogram metric with one histogram for each set of labels. */
export function histogramText(
  name: string,
  help: string,
  series: readonly (readonly [labels: Labels, histogram: Histogram])[],
): string {
  const used = series.filter(([, histogram]) => histogram.count > 0);
  if (used.length === 0) return "";
  return (
    head(name, "histogram", help) + used.map(([labels, histogram]) => histogram.lines(name, labels)).join("")
  );
}

function head(name: string, type: string, help: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
}

function line(name: string, labels: Labels, value: number | bigint): string {
  const inside = labels.map(([label, text]) => `${label}="${escapeLabel(text)}"`).join(",");
  return `${name}${inside === "" ? "" : `{${inside}}`} ${value}\n`;
}

function escapeLabel(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
