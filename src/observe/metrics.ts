import { collectDefaultMetrics, Registry } from "prom-client";
import { TOKEN_BUCKETS, type TokenBucket, type TokenUsage } from "../usage/usage.ts";
import { Histogram, histogramText, type Labels, metricText, type Sample } from "./exposition.ts";

/** The facts of a finished request that are counted. */
export interface RequestFacts {
  readonly endpoint: string;
  /** A model that the caller may use; null where the request named none, so that callers cannot make up series. */
  readonly model: string | null;
  /** The status that the caller saw; 0 = gone before any. */
  readonly status: number;
  readonly firstByteMs: number | null;
  readonly totalMs: number;
  readonly usage: TokenUsage;
  readonly chargeNanos: bigint;
  /** The cost beyond the charge. */
  readonly writtenOffNanos: bigint;
}

export interface Metrics {
  requestEnded(facts: RequestFacts): void;
  /** `upstream` is a name of the catalog, `outcome` one of routing's words. */
  attemptEnded(upstream: string, outcome: string): void;
  /** An upstream, by its name, reported counts that are not possible. */
  usageImplausible(upstream: string): void;
  /** An upstream served a request with what its model has no price for. */
  usageUnpriced(model: string): void;
  /**
   * Names whose counts begin at 0: an alert on a rise needs the sample before the first event. Asked whenever metrics are read,
   * as names come and go with the catalog.
   */
  beginAtZero(names: { readonly upstreams: ReadNames; readonly models: ReadNames }): void;
  /** A number that is read when metrics are. `name` without the `faregate_` prefix. */
  gauge(name: string, help: string, read: () => number): void;
  /** The same for several numbers told apart by one label. */
  gauges(name: string, help: string, label: string, read: () => Iterable<readonly [string, number]>): void;
  /** The same for numbers that only rise; their names end with `_total`. */
  counters(name: string, help: string, label: string, read: () => Iterable<readonly [string, number]>): void;
  /** All of it in the Prometheus text format; of several processes of one start, that of all. */
  text(): Promise<string>;
  readonly contentType: string;
}

type ReadNames = () => Iterable<string>;

/** Makes of the reader of this process's text the reader of that of all its siblings. */
export type TextOfAll = (own: () => Promise<string>) => () => Promise<string>;

/** From a cached answer to a long reasoning one. */
const SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/** More series than this are a mistake of ours; what comes after them is counted under `other`. */
const MAX_SERIES = 2_000;

/** The counts of one endpoint and model. */
interface Series {
  readonly labels: Labels;
  readonly byStatus: Map<number, number>;
  readonly firstByte: Histogram;
  readonly total: Histogram;
  readonly tokens: Map<TokenBucket, number>;
  chargeNanos: bigint;
  writtenOffNanos: bigint;
}

/**
 * The numbers an operator watches. Counting is on the path of every request, so it is a look-up and an
 * addition in plain maps; text is made only when somebody reads it.
 */
export function createMetrics(textOfAll: TextOfAll = (own) => own): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const series = new Map<string, Map<string, Series>>();
  let seriesCount = 0;
  const attempts = new Map<string, Map<string, number>>();
  const implausible = new Map<string, number>();
  const unpriced = new Map<string, number>();
  const gauges: (() => string)[] = [];
  let knownUpstreams: ReadNames = () => [];
  let knownModels: ReadNames = () => [];

  return {
    contentType: registry.contentType,
    requestEnded(facts) {
      const found = seriesOf(facts.endpoint, facts.model ?? "");
      add(found.byStatus, facts.status, 1);
      found.total.observe(facts.totalMs / 1_000);
      if (facts.firstByteMs !== null) found.firstByte.observe(facts.firstByteMs / 1_000);
      found.chargeNanos += facts.chargeNanos;
      found.writtenOffNanos += facts.writtenOffNanos;
      for (const bucket of TOKEN_BUCKETS) {
        const tokens = facts.usage[bucket];
        if (tokens !== undefined && tokens > 0) add(found.tokens, bucket, tokens);
      }
    },
    attemptEnded(upstream, outcome) {
      let counts = attempts.get(upstream);
      if (counts === undefined) {
        counts = new Map();
        attempts.set(upstream, counts);
      }
      add(counts, outcome, 1);
    },
    usageImplausible: (upstream) => add(implausible, upstream, 1),
    usageUnpriced: (model) => add(unpriced, model, 1),
    beginAtZero({ upstreams, models }) {
      knownUpstreams = upstreams;
      knownModels = models;
    },
    gauge(name, help, read) {
      gauges.push(() => metricText(`faregate_${name}`, "gauge", help, [{ labels: [], value: read() }]));
    },
    gauges(name, help, label, read) {
      gauges.push(() => metricText(`faregate_${name}`, "gauge", help, samplesOf(label, read())));
    },
    counters(name, help, label, read) {
      gauges.push(() => metricText(`faregate_${name}`, "counter", help, samplesOf(label, read())));
    },
    text: textOfAll(ownText),
  };

  async function ownText(): Promise<string> {
    const own = [
      ...requestTexts(allSeries()),
      attemptText(attempts),
      implausibleText(fromZero(knownUpstreams(), implausible)),
      unpricedText(fromZero(knownModels(), unpriced)),
      ...gauges.map((read) => read()),
    ];
    return `${own.filter((text) => text !== "").join("\n")}\n${await registry.metrics()}`;
  }

  function allSeries(): readonly Series[] {
    return [...series.values()].flatMap((byModel) => [...byModel.values()]);
  }

  function seriesOf(endpoint: string, model: string): Series {
    let byModel = series.get(endpoint);
    if (byModel === undefined) {
      byModel = new Map();
      series.set(endpoint, byModel);
    }
    let found = byModel.get(model);
    if (found === undefined) {
      if (seriesCount >= MAX_SERIES && model !== "other") return seriesOf(endpoint, "other");
      seriesCount += 1;
      found = openSeries(endpoint, model);
      byModel.set(model, found);
    }
    return found;
  }
}

function openSeries(endpoint: string, model: string): Series {
  return {
    labels: [
      ["endpoint", endpoint],
      ["model", model],
    ],
    byStatus: new Map(),
    firstByte: new Histogram(SECONDS),
    total: new Histogram(SECONDS),
    tokens: new Map(),
    chargeNanos: 0n,
    writtenOffNanos: 0n,
  };
}

function requestTexts(series: readonly Series[]): string[] {
  const each = (samples: (one: Series) => Sample[]): Sample[] => series.flatMap(samples);
  return [
    metricText(
      "faregate_requests_total",
      "counter",
      "Text requests by HTTP status, refused ones included; 0 = the client disconnected first",
      each(({ labels, byStatus }) =>
        [...byStatus].map(([status, value]) => ({ labels: [...labels, ["status", String(status)]], value })),
      ),
    ),
    histogramText(
      "faregate_request_first_byte_seconds",
      "Time from the arrival of a request to the first byte of its response, in seconds",
      series.map(({ labels, firstByte }) => [labels, firstByte]),
    ),
    histogramText(
      "faregate_request_duration_seconds",
      "Time from the arrival of a request to its end, in seconds",
      series.map(({ labels, total }) => [labels, total]),
    ),
    metricText(
      "faregate_tokens_total",
      "counter",
      "Tokens by bucket; each token is counted in one bucket",
      each(({ labels, tokens }) =>
        [...tokens].map(([bucket, value]) => ({ labels: [...labels, ["bucket", snakeCase(bucket)]], value })),
      ),
    ),
    metricText(
      "faregate_charged_nanos_total",
      "counter",
      "Charges, in billionths of a US dollar (nanos)",
      each(({ labels, chargeNanos }) => (chargeNanos > 0n ? [{ labels, value: chargeNanos }] : [])),
    ),
    metricText(
      "faregate_written_off_nanos_total",
      "counter",
      "Cost that was written off because account or key could not pay it, in billionths of a US dollar (nanos)",
      // Also where it is 0: an alarm on its increase needs the sample before the first write-off.
      each(({ labels, writtenOffNanos }) => [{ labels, value: writtenOffNanos }]),
    ),
  ];
}

function attemptText(attempts: ReadonlyMap<string, ReadonlyMap<string, number>>): string {
  const samples = [...attempts].flatMap(([upstream, counts]) =>
    [...counts].map(([outcome, value]) => ({
      labels: [["upstream", upstream] as const, ["outcome", outcome] as const],
      value,
    })),
  );
  return metricText(
    "faregate_upstream_attempts_total",
    "counter",
    "Requests sent to upstreams, by outcome",
    samples,
  );
}

function implausibleText(counts: ReadonlyMap<string, number>): string {
  const help = "Responses for which the upstream reported implausible usage";
  return metricText("faregate_implausible_usage_total", "counter", help, samplesOf("upstream", counts));
}

function unpricedText(counts: ReadonlyMap<string, number>): string {
  const help = "Responses with usage that the model has no price for";
  return metricText("faregate_unpriced_usage_total", "counter", help, samplesOf("model", counts));
}

/** The counts, and a 0 for each known name that has none. */
export function fromZero<K>(names: Iterable<K>, counts: ReadonlyMap<K, number>): ReadonlyMap<K, number> {
  const all = new Map<K, number>();
  for (const name of names) all.set(name, 0);
  for (const [name, count] of counts) all.set(name, count);
  return all;
}

function samplesOf(label: string, numbers: Iterable<readonly [string, number]>): Sample[] {
  return Array.from(numbers, ([text, value]) => ({ labels: [[label, text]], value }));
}

function snakeCase(text: string): string {
  return text.replace(/[A-Z]|\d+/g, (part) => `_${part.toLowerCase()}`);
}

function add<K>(counts: Map<K, number>, key: K, amount: number): void {
  counts.set(key, (counts.get(key) ?? 0) + amount);
}
