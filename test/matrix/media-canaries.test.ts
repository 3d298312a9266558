import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { forbiddenUrls } from "../support/forbidden-urls.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { PATIENCE_MS } from "../support/gateways.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { waitFor } from "../support/wait.ts";
import { ask, type Reply } from "../support/world.ts";

const SUBMIT = "/v2/videos/generations";

describe("addresses inside the operator's network (F1)", { timeout: PATIENCE_MS }, () => {
  let sandbox: TestSandbox;
  let gateway: TestGateway;
  let canary: Server;
  let urls: readonly string[];
  let connections = 0;
  beforeAll(async () => {
    canary = createServer((socket) => {
      connections += 1;
      socket.destroy();
    }).listen(0, "0.0.0.0");
    await once(canary, "listening");
    urls = forbiddenUrls((canary.address() as AddressInfo).port);
    sandbox = await startSandbox({ taskMs: 0 });
    gateway = await startGateway({ catalog: catalog(sandbox.url) });
  });
  afterAll(async () => {
    await gateway.end();
    await gateway.clean();
    await sandbox.stop();
    canary.close();
  });

  const at = (path: string, body?: object): Promise<Reply> => ask(gateway.url, path, body, { key: TEST_KEY });
  const each = async (visit: (url: string) => Promise<void>): Promise<void> => {
    for (const url of urls) await visit(url);
    expect(connections).toBe(0);
  };

  it("hear of no task's end: refused with the submit, or told so by the log", async () => {
    const told = new Map<string, string>();
    await each(async (url) => {
      // Longer than the family allows: it ends at once, without an upstream.
      const { status, json } = await at(SUBMIT, { ...order([]), duration: 31, webhook_url: url });
      // An empty one is none at all.
      if (url === "") return;
      if (status === 200) told.set(url, json.id);
      else expect([status, json.error?.code ?? json.code]).toEqual([400, "invalid_request"]);
    });
    expect(told.size).toBeGreaterThan(100);
    for (const [url, id] of told) {
      const path = `/v1/webhooks/deliveries/${id}`;
      const attempt = await waitFor(`an attempt at ${url}`, async () => (await at(path)).json.attempts?.[0]);
      expect(attempt).toMatchObject({ status: null, failure: expect.any(String) });
    }
    expect(connections).toBe(0);
  });

  it("are not fetched for the pictures of a video or of an asset", async () => {
    await each(async (url) => {
      const image = { type: "image_url", role: "reference_image", image_url: { url } };
      const video = { ...order([image]), duration: 4 };
      await at(SUBMIT, video);
      const dryRun = async (model: string): Promise<string> =>
        (await at(`${SUBMIT}?dry_run=1`, { ...video, model })).json.fail_reason;
      const { status, json } = await at("/v1/videoa/asset/create", { url });
      // Nor is anybody else told to fetch what the address itself says is private.
      if (!isLiteral(url)) return;
      expect([url, status, json.error?.code]).toEqual([url, 400, "invalid_url"]);
      const refused = /^`content\[1\]\.image_url\.url` must be a public http\(s\) URL/;
      expect(await dryRun("videoa-2.0-fast")).toMatch(refused);
      // A vendor in the operator's network makes private URLs itself, but none of a machine's own.
      if (isOfMachine(url)) expect(await dryRun("videoa-2.0")).toMatch(refused);
      if (url === urls[0]) expect([url, await dryRun("videoa-2.0")]).toEqual([url, ""]);
    });
  });
});

/** Whether no resolver is needed to tell where it leads. */
function isLiteral(url: string): boolean {
  const host = URL.canParse(url) ? new URL(url).hostname : "";
  return host.startsWith("[") || /^[\d.]+$/.test(host) || /(?:^|\.)localhost\.?$/.test(host);
}

function isOfMachine(url: string): boolean {
  return /^\[fe80|^\[::ffff:a9fe|^169\.254\.|^100\.100\.100\.200$|^168\.63\.129\.16$|^\[fd00:ec2:/.test(
    new URL(url).hostname,
  );
}

function order(items: readonly object[]): object {
  const text = { type: "text", text: "A fox [[sandbox: fail=dark]]" };
  return { model: "videoa-2.0", content: [text, ...items] };
}

function catalog(url: string): string {
  return `version: 1
models:
  - { id: videoa-2.0, family: videoa, price: { per_second: { 720p: 0.1, 1080p: 0.2 } } }
  - { id: videoa-2.0-fast, family: videoa, price: { per_second: { 720p: 0.1 } } }
upstreams:
  - { name: vendor, kind: sandbox, base_url: "${url}", api_key: good-key, models: [videoa-2.0] }
  - { name: outside, kind: sandbox, base_url: "https://vendor.example", api_key: good-key, models: [videoa-2.0-fast] }
accounts: [{ name: acme, balance: 100000, keys: [{ name: main, key: ${TEST_KEY} }] }]
`;
}
