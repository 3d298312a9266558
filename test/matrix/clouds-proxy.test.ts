// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${NAME} is what the file holds.
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AZURE_CLIENT } from "../../sandbox/src/clouds/azure.ts";
import type { FakeCloud } from "../../sandbox/src/clouds/cloud-server.ts";
import { AZURE_CLIENT_FIELD, azureCloud, cloudRows, serviceAccount } from "../support/clouds.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { httpProxy, PROXY_PASSWORD, PROXY_USER, type TestProxy } from "../support/proxies.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { call } from "../support/text-caller.ts";

let sandbox: TestSandbox;
let azure: FakeCloud;
let proxy: TestProxy;
let gateway: TestGateway;

/** Stands for everything that must not be asked directly: it counts who comes. */
let canary: Server;
let canaryUrl: string;
let seen = 0;

const PROXIES = { http: "http://127.0.0.1:1", https: "https://127.0.0.1:1", socks5: "socks5://127.0.0.1:1" };
const PEM = readFileSync(new URL("../support/certificates/application.pem", import.meta.url), "utf8");
const FILE = new URL("../support/certificates/ca.pem", import.meta.url).pathname;

/** Each credential that is exchanged for a token, by a request that goes out. */
const EXCHANGED: Readonly<Record<string, readonly [kind: string, credential: string]>> = {
  secret: ["azure", JSON.stringify(AZURE_CLIENT)],
  certificate: ["azure", '{ tenant_id: t, client_id: c, certificate: "${PEM}" }'],
  workload: ["azure", `{ from: workload-identity, tenant_id: t, client_id: c, token_file: "${FILE}" }`],
  account: ["vertex", '{ service_account: "${SERVICE_ACCOUNT}" }'],
  user: ["vertex", '{ service_account: "${USER_DOCUMENT}" }'],
  federation: ["vertex", '{ external_account: "${EXTERNAL_ACCOUNT}" }'],
};
const BEHIND = Object.keys(PROXIES).flatMap((proxy) =>
  Object.keys(EXCHANGED).map((credential) => ({ proxy, credential, name: `${credential}-${proxy}` })),
);

function behindProxies() {
  return BEHIND.map(({ proxy, credential, name }) => {
    const [kind = "", fields = ""] = EXCHANGED[credential] ?? [];
    const place = kind === "vertex" ? ["project: acme", "location: eu"] : [];
    const through = `proxy: "${PROXIES[proxy as keyof typeof PROXIES]}"`;
    // What federation names itself is asked where no token_url says otherwise.
    const tokens = credential === "federation" ? [] : [`token_url: "${canaryUrl}"`];
    return {
      name,
      kind,
      url: canaryUrl,
      models: { [name]: "claude-sonnet-4-5" },
      more: [`credentials: [${fields}]`, through, ...tokens, ...place],
    };
  });
}

beforeAll(async () => {
  sandbox = await startSandbox();
  azure = await azureCloud(sandbox.url);
  canary = createServer((socket) => {
    seen += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => canary.listen(0, "127.0.0.1", resolve));
  canaryUrl = `http://127.0.0.1:${(canary.address() as AddressInfo).port}`;
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
  const models = ["through", "down", ...BEHIND.map(({ name }) => name)].map(
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
  ...behindProxies(),
])}
accounts:
  - { name: acme, balance: 1000, keys: [{ name: test, key: ${TEST_KEY} }] }
`,
    env: {
      PEM,
      SERVICE_ACCOUNT: serviceAccount(),
      USER_DOCUMENT: JSON.stringify({
        type: "authorized_user",
        client_id: "c",
        client_secret: "s",
        refresh_token: "r",
      }),
      EXTERNAL_ACCOUNT: JSON.stringify({
        type: "external_account",
        audience: "//iam.googleapis.com/pool",
        subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
        token_url: `${canaryUrl}/v1/token`,
        service_account_impersonation_url: `${canaryUrl}/v1/account:generateAccessToken`,
        credential_source: { file: FILE },
      }),
    },
  });
});

afterAll(async () => {
  await gateway?.clean();
  canary?.close();
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

  it("is never asked directly, whatever gives out its tokens, by requests, tests and lists of models", async () => {
    for (const { name } of BEHIND) expect([name, (await ask(name)).status]).toEqual([name, 502]);
    const { stdout } = await gateway.run("doctor");
    for (const { name } of BEHIND)
      expect(stdout).toMatch(new RegExp(`upstream ${name} .*[Tt]he proxy of 127.0.0.1`));
    for (const name of ["secret-http", "account-socks5"]) await gateway.run("models", name);
    expect(seen).toBe(0);
  });
});
