import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FakeCloud } from "../../sandbox/src/clouds/cloud-server.ts";
import { AZURE_CLIENT_FIELD, azureCloud, cloudRows } from "../support/clouds.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { httpProxy, PROXY_PASSWORD, PROXY_USER, type TestProxy } from "../support/proxies.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { call } from "../support/text-caller.ts";

let sandbox: TestSandbox;
let azure: FakeCloud;
let proxy: TestProxy;
let gateway: TestGateway;

beforeAll(async () => {
  sandbox = await startSandbox();
  azure = await azureCloud(sandbox.url);
  // Names that nothing but the proxy can resolve.
  const port = Number(new URL(azure.url).port);
  proxy = await httpProxy({ "cloud.internal": port, "login.internal": port });
  const through = (to: number): string => `proxy: "http://${PROXY_USER}:${PROXY_PASSWORD}@127.0.0.1:${to}"`;
  const row = (name: string, base: string, ...more: string[]) => ({
    name,
    kind: "azure",
    url: base,
    models: { [name]: "gpt-4o" },
    more: [AZURE_CLIENT_FIELD, ...more],
  });
  const models = ["through", "down"].map(
    (id) =>
      `  - { id: ${id}, context_tokens: 200000, max_output_tokens: 8000, price: { input: 3, output: 15 } }`,
  );
  gateway = await startGateway({
    catalog: `version: 1
models:
${models.join("\n")}
upstreams:
${cloudRows([
  row("through", "http://cloud.internal", 'token_url: "http://login.internal"', through(proxy.port)),
  // It could be reached without its proxy, behind whose port nothing is.
  row("down", azure.url, `token_url: "${azure.url}"`, through(1)),
])}
accounts:
  - { name: acme, balance: 1000, keys: [{ name: test, key: ${TEST_KEY} }] }
`,
  });
});

afterAll(async () => {
  await gateway?.clean();
  await Promise.all([azure?.close(), proxy?.close(), sandbox?.stop()]);
});

const ask = (model: string) => call(gateway.url, { protocol: "messages", model, prompt: "Hello" });

describe("a cloud behind a proxy", () => {
  it("is asked for its tokens through it too", async () => {
    expect((await ask("through")).status).toBe(200);
    expect(proxy.asked).toEqual(["login.internal:80", "cloud.internal:80"]);
  });

  it("is not asked for a token directly where the proxy is down", async () => {
    const { asked } = azure.tokens;
    const { length } = azure.served;
    expect((await ask("down")).status).toBe(502);
    expect(azure.tokens.asked).toBe(asked);
    expect(azure.served).toHaveLength(length);
    expect(gateway.output()).toContain("The proxy of 127.0.0.1");
  });
});
