import { connect } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { freePort } from "../support/free-port.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { type Gateways, startGateways } from "../support/gateways.ts";
import { modelsFile } from "../support/models-file.ts";
import { serveWell, type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { waitFor } from "../support/wait.ts";

describe("an address for monitors (settings.metrics_address)", () => {
  let gateways: Gateways | undefined;
  let monitor: string;
  beforeEach(async () => {
    monitor = `127.0.0.1:${await freePort()}`;
  });
  afterEach(async () => {
    await gateways?.clean();
    gateways = undefined;
  });

  const start = async (args: readonly string[] = []): Promise<Gateways> => {
    const catalog = `version: 1
settings: { metrics_address: "${monitor}" }
accounts: [{ name: acme, balance: 1, keys: [{ name: main, key: ${TEST_KEY} }] }]
`;
    const started = await startGateways(1, { catalog, args });
    await waitFor("the monitors' address", async () => {
      const found = await fetch(`http://${monitor}/healthz`).catch(() => undefined);
      return found?.status === 200;
    });
    return started;
  };
  const get = async (base: string, path: string) => {
    const response = await fetch(`${base}${path}`);
    return { status: response.status, text: await response.text() };
  };

  it("takes /metrics off the public port, and has the probes", async () => {
    gateways = await start();
    const { url } = gateways.first;
    expect(await get(`http://${monitor}`, "/metrics")).toMatchObject({
      status: 200,
      text: expect.stringContaining("faregate_requests_running 0"),
    });
    expect(await get(url, "/metrics")).toMatchObject({
      status: 404,
      text: expect.stringMatching(
        /^\{"error":\{"message":"[^"]*settings\.metrics_address[^"]*\(request id: /,
      ),
    });
    for (const base of [url, `http://${monitor}`]) {
      expect(await get(base, "/healthz")).toEqual({ status: 200, text: '{"status":"ok"}' });
      expect(await get(base, "/readyz")).toEqual({ status: 200, text: '{"status":"ready"}' });
    }
    expect((await get(`http://${monitor}`, "/v1/models")).status).toBe(404);
  });

  it("tells of a --role worker, which has no other, and why it is not ready", async () => {
    gateways = await start(["--role", "worker"]);
    const base = `http://${monitor}`;
    expect(await get(base, "/metrics")).toMatchObject({
      status: 200,
      text: expect.stringContaining("faregate_tasks_in_flight 0"),
    });
    expect(await get(base, "/readyz")).toEqual({ status: 200, text: '{"status":"ready"}' });
    await gateways.first.database?.shut();
    const reason = "the database is unreachable";
    await waitFor("the worker to notice", async () => (await get(base, "/readyz")).status === 503);
    expect(JSON.parse((await get(base, "/readyz")).text)).toEqual({ status: "not_ready", reason });
    expect((await get(base, "/healthz")).status).toBe(200);
  });
});

describe("what alerts watch", () => {
  it("is there at 0 before its first event, by each upstream, model and state, and by no alias", async () => {
    const upstreams = [{ name: "first", url: "http://127.0.0.1:1" }];
    const catalog = modelsFile({ models: ["text"], upstreams }).replace(
      "upstreams:",
      "  - { id: best, alias_of: text }\nupstreams:",
    );
    const gateway = await startGateway({ catalog });
    try {
      let text = "";
      await waitFor("the first count of tasks", async () => {
        text = await (await fetch(`${gateway.url}/metrics`)).text();
        return WATCHED.every((line) => text.split("\n").includes(line));
      });
      expect(text).not.toContain('model="best"');
    } finally {
      await gateway.end();
      await gateway.clean();
    }
  });
});

const WATCHED = [
  'faregate_implausible_usage_total{upstream="first"} 0',
  'faregate_unpriced_usage_total{model="text"} 0',
  'faregate_tasks_fate_unknown_total{upstream="first"} 0',
  'faregate_tasks_open{state="NOT_START"} 0',
  'faregate_tasks_open{state="IN_PROGRESS"} 0',
  "faregate_journal_records_unposted 0",
];

describe("faregate_requests_total", () => {
  const slowKey = "slow-key-0123456789abcdef";
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    vendor = await vendorUpstream((call) => {
      if (call.model === "text") serveWell(call);
      else call.response.writeHead(500, { "content-type": "application/json" }).end("{}");
    });
    const limit = "rate_limits: { requests_per_minute: 2 }, models: [text]";
    const keys = [`{ name: test, key: ${TEST_KEY} }`, `{ name: slow, key: ${slowKey}, ${limit} }`];
    const upstreams = [{ name: "first", url: vendor.url }];
    gateway = await startGateway({ catalog: modelsFile({ models: ["text", "ill"], upstreams, keys }) });
  });
  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
    await vendor?.close();
  });

  const post = async (body: object | string, key: string = TEST_KEY): Promise<number> => {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    await response.text();
    return response.status;
  };
  const counted = async (): Promise<string[]> => {
    const text = await (await fetch(`${gateway.url}/metrics`)).text();
    const lines = text.split("\n").filter((line) => line.startsWith("faregate_requests_total{"));
    return lines.map((line) => line.replace(/^.*endpoint="chat-completions",|[}]/g, "")).sort();
  };

  it("has each text request once, what is refused before it is relayed as well", async () => {
    const messages = [{ role: "user", content: "Hello" }];
    const good = { model: "text", messages };
    expect(await post(good)).toBe(200);
    expect(await post({ model: "ill", messages })).toBe(502);
    expect(await post(good, "no-such-key-0123456789")).toBe(401);
    expect(await post({ model: "made-up", messages })).toBe(404);
    expect(await post({ model: "ill", messages }, slowKey)).toBe(404);
    expect(await post("{")).toBe(400);
    expect(await post({ model: "text", messages: "Hello" })).toBe(400);
    expect(await post(good, slowKey)).toBe(200);
    expect(await post(good, slowKey)).toBe(429);
    expect(await counted()).toEqual([
      'model="",status="400" 1',
      'model="",status="401" 1',
      'model="",status="404" 2',
      // Refused before its body is read, which names the model.
      'model="",status="429" 1',
      'model="ill",status="502" 1',
      'model="text",status="200" 2',
      'model="text",status="400" 1',
    ]);
  });

  it("has a caller who leaves while sending the body as one who saw no status", async () => {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${TEST_KEY}\r\n`;
    socket.write(`${head}content-type: application/json\r\ncontent-length: 1000\r\n\r\n{"model":`, () =>
      socket.destroy(),
    );
    await waitFor("the request to be counted", async () =>
      (await counted()).includes('model="",status="0" 1'),
    );
  });
});
