// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${NAME} is what the file holds.
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AZURE_CLIENT, startAzure } from "../../sandbox/src/clouds/azure.ts";
import type { FakeCloud } from "../../sandbox/src/clouds/cloud-server.ts";
import { GOOGLE_PROJECT, startGoogle } from "../../sandbox/src/clouds/google.ts";
import { cloudRows, GOOGLE_KEY, serviceAccount } from "../support/clouds.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { call } from "../support/text-caller.ts";

const PEM = readFileSync(new URL("../support/certificates/application.pem", import.meta.url), "utf8");
const HOUR_MS = 3_600_000;

/** How much the cloud's clock is ahead of the gateway's. */
const CLOCKS = { right: 0, behind: -HOUR_MS, ahead: 2 * HOUR_MS };
const NAMES = Object.keys(CLOCKS) as (keyof typeof CLOCKS)[];

let sandbox: TestSandbox;
let clouds: FakeCloud[];
let gateway: TestGateway;

beforeAll(async () => {
  sandbox = await startSandbox();
  const { publicKey } = new X509Certificate(PEM.slice(PEM.indexOf("-----BEGIN CERTIFICATE")));
  const { tenant_id: tenant, client_id: client } = AZURE_CLIENT;
  const rows = await Promise.all(
    NAMES.map(async (clock) => {
      const options = { sandbox: sandbox.url, aheadMs: CLOCKS[clock] };
      const azure = await startAzure({ ...options, publicKey });
      const google = await startGoogle({ ...options, publicKey: GOOGLE_KEY });
      const certificate = `credentials: [{ tenant_id: ${tenant}, client_id: ${client}, certificate: "\${PEM}" }]`;
      const account = 'credentials: [{ service_account: "${SERVICE_ACCOUNT}" }]';
      const vertex = `project: ${GOOGLE_PROJECT}, location: europe-west1`;
      const row = (kind: string, cloud: FakeCloud, ...more: string[]) => ({
        cloud,
        name: `${kind}-${clock}`,
        kind,
        url: cloud.url,
        models: { [`${kind}-${clock}`]: "claude-sonnet-4-5" },
        more: [`token_url: "${cloud.url}"`, ...more],
      });
      return [row("azure", azure, certificate), row("vertex", google, account, vertex)];
    }),
  );
  clouds = rows.flat().map(({ cloud }) => cloud);
  const models = rows
    .flat()
    .map(
      ({ name }) =>
        `  - { id: ${name}, context_tokens: 200000, max_output_tokens: 8000, price: { input: 3, output: 15 } }`,
    );
  gateway = await startGateway({
    catalog: `version: 1
models:
${models.join("\n")}
upstreams:
${cloudRows(rows.flat())}
accounts:
  - { name: acme, balance: 1000, keys: [{ name: test, key: ${TEST_KEY} }] }
`,
    env: { SERVICE_ACCOUNT: serviceAccount(), PEM },
  });
});

afterAll(async () => {
  await gateway?.clean();
  await Promise.all([...(clouds ?? []).map((cloud) => cloud.close()), sandbox?.stop()]);
});

const ask = (model: string) => call(gateway.url, { protocol: "messages", model, prompt: "Hello" });

describe.each(["azure", "vertex"])("a signed assertion to %s", (kind) => {
  it("lets requests in where both clocks are right", async () => {
    expect(await ask(`${kind}-right`)).toMatchObject({ status: 200 });
  });

  it.each(["behind", "ahead"])(
    "is refused by a clock that is %s, and the operator is told to set this one",
    async (clock) => {
      const heard = await ask(`${kind}-${clock}`);
      expect(heard.status).toBe(502);
      expect(heard.text).not.toMatch(/assertion|JWT|clock/i);
      expect(gateway.output()).toMatch(
        new RegExp(`${kind}-${clock} can't be asked: .*(valid time range|short-lived)`),
      );
      const { stdout } = await gateway.run("doctor");
      expect(stdout).toMatch(new RegExp(`upstream ${kind}-${clock} .*Set this machine's clock`));
    },
  );
});
