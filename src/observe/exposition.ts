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

/**
 * Texts of several processes as one: each metric stands once, with the samples of all, which a label with the process's
 * name tells apart.
 */
export function joinTexts(
  label: string,
  texts: readonly (readonly [process: string, text: string])[],
): string {
  const metrics = new Map<string, { readonly heads: Set<string>; readonly lines: string[] }>();
  for (const [name, text] of texts) {
    let lines: string[] = [];
    for (const each of text.split("\n")) {
      if (each.startsWith("# ")) {
        const metric = each.split(" ", 3)[2] ?? "";
        const found = metrics.get(metric) ?? { heads: new Set(), lines: [] };
        metrics.set(metric, found);
        found.heads.add(each);
        lines = found.lines;
      } else if (each !== "") {
        lines.push(withLabel(each, `${label}="${escapeLabel(name)}"`));
      }
    }
  }
  return [...metrics.values()].map(({ heads, lines }) => `${[...heads, ...lines].join("\n")}\n`).join("");
}

function withLabel(sample: string, label: string): string {
  const at = sample.search(/[{ ]/);
  const name = sample.slice(0, at);
  return sample[at] === "{"
    ? `${name}{${label},${sample.slice(at + 1)}`
    : `${name}{${label}}${sample.slice(at)}`;
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
