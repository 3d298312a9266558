import { describe, expect, it } from "vitest";
import { joinTexts } from "./exposition.ts";
import { createMetrics, type RequestFacts } from "./metrics.ts";

const FACTS: RequestFacts = {
  endpoint: "messages",
  model: "text-large",
  status: 200,
  firstByteMs: 120,
  totalMs: 2_000,
  usage: { inputUncached: 7, cacheWrite5m: 3, outputVisible: 0 },
  chargeNanos: 12_345_678_901_234_567_890n,
  writtenOffNanos: 0n,
};

describe("metrics", () => {
  it("count requests, times, tokens by bucket and money exactly", async () => {
    const metrics = createMetrics();
    metrics.requestEnded(FACTS);
    metrics.requestEnded({
      ...FACTS,
      status: 502,
      firstByteMs: null,
      totalMs: 700_000,
      usage: {},
      chargeNanos: 1n,
      writtenOffNanos: 5n,
    });
    metrics.usageImplausible("main");
    metrics.usageUnpriced("text-large");
    metrics.attemptEnded("main", "failed");
    metrics.attemptEnded("main", "failed");
    const text = await metrics.text();
    const labels = 'endpoint="messages",model="text-large"';
    for (const line of [
      "# TYPE faregate_requests_total counter",
      `faregate_requests_total{${labels},status="200"} 1`,
      `faregate_requests_total{${labels},status="502"} 1`,
      "# TYPE faregate_request_duration_seconds histogram",
      `faregate_request_duration_seconds_bucket{${labels},le="1"} 0`,
      `faregate_request_duration_seconds_bucket{${labels},le="2.5"} 1`,
      `faregate_request_duration_seconds_bucket{${labels},le="600"} 1`,
      `faregate_request_duration_seconds_bucket{${labels},le="+Inf"} 2`,
      `faregate_request_duration_seconds_sum{${labels}} 702`,
      `faregate_request_duration_seconds_count{${labels}} 2`,
      `faregate_request_first_byte_seconds_count{${labels}} 1`,
      `faregate_tokens_total{${labels},bucket="input_uncached"} 7`,
      `faregate_tokens_total{${labels},bucket="cache_write_5m"} 3`,
      `faregate_charged_nanos_total{${labels}} 12345678901234567891`,
      `faregate_written_off_nanos_total{${labels}} 5`,
      'faregate_implausible_usage_total{upstream="main"} 1',
      'faregate_unpriced_usage_total{model="text-large"} 1',
      'faregate_upstream_attempts_total{upstream="main",outcome="failed"} 2',
    ]) {
      expect(text.split("\n")).toContain(line);
    }
    expect(text).not.toContain("output_visible");
    const described = text.split("\n").filter((line) => line.startsWith("# HELP faregate_"));
    expect(described.filter((line) => line.endsWith("."))).toEqual([]);
  });

  it("begin at 0 for each upstream and model that the catalog has now, so that the first event is a rise", async () => {
    const metrics = createMetrics();
    const upstreams = ["main", "spare"];
    metrics.beginAtZero({ upstreams: () => upstreams, models: () => ["text-large"] });
    metrics.usageImplausible("spare");
    metrics.usageImplausible("removed");
    upstreams.push("new");
    const lines = (await metrics.text()).split("\n").filter((line) => /^faregate_(?:impl|unpr)/.test(line));
    expect(lines).toEqual([
      'faregate_implausible_usage_total{upstream="main"} 0',
      'faregate_implausible_usage_total{upstream="spare"} 1',
      'faregate_implausible_usage_total{upstream="new"} 0',
      'faregate_implausible_usage_total{upstream="removed"} 1',
      'faregate_unpriced_usage_total{model="text-large"} 0',
    ]);
  });

  it("read gauges when they are asked for, and bring the process's own", async () => {
    const metrics = createMetrics();
    let open = 1;
    metrics.gauge("holds_open", "Holds that are not settled yet.", () => open);
    metrics.gauges("upstream_connections", "Connections.", "upstream", () => [['a"b\\', 3]]);
    open = 5;
    const text = await metrics.text();
    expect(text).toContain("faregate_holds_open 5\n");
    expect(text).toContain('faregate_upstream_connections{upstream="a\\"b\\\\"} 3\n');
    expect(text).toContain("nodejs_eventloop_lag_seconds");
    expect(text).toContain("process_resident_memory_bytes");
    expect(metrics.contentType).toContain("text/plain");
  });

  it("of several processes stand once each, with the samples of all and whose they are", async () => {
    const texts = ["1", "2"].map((name) => {
      const metrics = createMetrics();
      metrics.requestEnded({ ...FACTS, status: name === "1" ? 200 : 502 });
      metrics.gauge("holds_open", "Holds.", () => Number(name));
      return metrics.text().then((text) => [name, text] as const);
    });
    const lines = joinTexts("process", await Promise.all(texts)).split("\n");
    const labels = 'endpoint="messages",model="text-large"';
    const first = lines.indexOf("# TYPE faregate_requests_total counter");
    expect(lines.slice(first, first + 4)).toEqual([
      "# TYPE faregate_requests_total counter",
      `faregate_requests_total{process="1",${labels},status="200"} 1`,
      `faregate_requests_total{process="2",${labels},status="502"} 1`,
      expect.stringMatching(/^# HELP /),
    ]);
    expect(lines).toEqual(
      expect.arrayContaining(['faregate_holds_open{process="1"} 1', 'faregate_holds_open{process="2"} 2']),
    );
    const types = lines.filter((line) => line.startsWith("# TYPE"));
    expect(types).toHaveLength(new Set(types).size);
    const form =
      /^($|# (HELP|TYPE) [a-z_\d]+ .+|[a-z_\d]+\{process="[12]"(,[a-z_]+="[^"]*")*\} (-?[\d.e+-]+|Nan))$/;
    expect(lines.filter((line) => !form.test(line))).toEqual([]);
  });

  it("are well-formed line by line, and bounded however many models there are", async () => {
    const metrics = createMetrics();
    for (let index = 0; index < 5_000; index += 1) metrics.requestEnded({ ...FACTS, model: `m-${index}` });
    const text = await metrics.text();
    const requests = text.split("\n").filter((line) => line.startsWith("faregate_requests_total"));
    expect(requests.length).toBe(2_001);
    expect(requests).toContain(
      'faregate_requests_total{endpoint="messages",model="other",status="200"} 3000',
    );
    const form = /^($|# (HELP|TYPE) [a-z_\d]+ .+|[a-z_\d]+(\{([a-z_]+="[^"]*",?)*\})? (-?[\d.e+-]+|Nan))$/;
    expect(text.split("\n").filter((line) => !form.test(line))).toEqual([]);
  });
});
