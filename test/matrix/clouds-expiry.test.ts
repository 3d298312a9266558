import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FakeCloud } from "../../sandbox/src/clouds/cloud-server.ts";
import { casesOf } from "../support/cases.ts";
import { AZURE_CLIENT_FIELD, azureCloud, cloudRows } from "../support/clouds.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { call, TEXT_PROTOCOLS } from "../support/text-caller.ts";

/** 60 as in production: FAREGATE_TOKEN_SECONDS=60 TEST_CASES=all. */
const LIFE_SECONDS = Number(process.env["FAREGATE_TOKEN_SECONDS"] ?? 2);
const AT_ONCE = 8;
/** Processes share a port, and each has a token of its own. */
const PROCESSES = 2;
/** Over several lives, and over dozens with all cases. */
const REQUESTS = casesOf(10_000) === 10_000 ? 10_000 : 500;

/** On a machine that does much else. */
const LIMIT_MS = 1_200_000;

let sandbox: TestSandbox;
let azure: FakeCloud;
let gateway: TestGateway;

beforeAll(async () => {
  sandbox = await startSandbox();
  azure = await azureCloud(sandbox.url, LIFE_SECONDS);
  const more = [AZURE_CLIENT_FIELD, `token_url: "${azure.url}"`];
  gateway = await startGateway({
    args: ["--processes", String(PROCESSES)],
    catalog: `version: 1
models:
  - { id: text, context_tokens: 200000, max_output_tokens: 8000, price: { input: 3, output: 15 } }
upstreams:
${cloudRows([{ name: "azure", kind: "azure", url: azure.url, models: { text: "gpt-4o" }, more }])}
accounts:
  - { name: acme, balance: 1000, keys: [{ name: test, key: ${TEST_KEY} }] }
`,
  });
});

afterAll(async () => {
  await gateway?.clean();
  await Promise.all([azure?.close(), sandbox?.stop()]);
});

/** Sends requests one after the other from several callers; gives how many did not succeed. */
async function load(requests: number, after?: (done: number) => void): Promise<string[]> {
  const failures: string[] = [];
  let left = requests;
  const caller = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const protocol = TEXT_PROTOCOLS[left % TEXT_PROTOCOLS.length] ?? "messages";
      const wish = { protocol, prompt: "Hello [[sandbox: tokens=5]]", streamed: left % 3 === 0 };
      let heard = await call(gateway.url, wish);
      // The gateway's own database may be slow here, which is no matter of tokens: whoever is told so asks again.
      while (heard.code === "service_unavailable") heard = await call(gateway.url, wish);
      if (!heard.complete) failures.push(`${heard.status} ${heard.text}`);
      after?.(requests - left);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, caller));
  return failures;
}

describe("requests over access tokens that expire", () => {
  it(
    "all succeed, with one token per life",
    async () => {
      const begun = Date.now();
      const failures = await load(REQUESTS);
      const lives = (Date.now() - begun) / (LIFE_SECONDS * 1000);
      process.stdout.write(
        `${REQUESTS} requests in ${lives.toFixed(1)} lives of ${LIFE_SECONDS} s, ${PROCESSES} processes: ${azure.tokens.issued} tokens, ${failures.length} failed\n`,
      );
      expect(failures).toEqual([]);
      // The next one is asked for in the last fifth of a life.
      expect(azure.tokens.issued).toBeLessThanOrEqual(PROCESSES * (Math.ceil(lives / 0.8) + 1));
      expect(azure.tokens.issued).toBeGreaterThanOrEqual(Math.floor(lives));
      expect(azure.tokens.asked).toBe(azure.tokens.issued);
    },
    LIMIT_MS,
  );

  it(
    "all succeed where tokens end before their time, which nobody tells",
    async () => {
      const requests = casesOf(1_000);
      await new Promise((resolve) => setTimeout(resolve, LIFE_SECONDS * 1000));
      await load(1);
      // Older than what came just now, which is not at fault where it is refused.
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      azure.tokens.revoke();
      expect(await load(requests)).toEqual([]);
    },
    LIMIT_MS,
  );
});
