import { afterAll, beforeAll, expect, it } from "vitest";
import type { Model } from "../../src/console/catalog/contract.ts";
import { catalogFile } from "../support/catalog-file.ts";
import { BOOTSTRAP_PASSWORD, signIn } from "../support/console.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { cleanLedger } from "../support/money-books.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { waitFor } from "../support/wait.ts";

let sandbox: TestSandbox;
let gateway: TestGateway;

beforeAll(async () => {
  sandbox = await startSandbox();
  gateway = await startGateway({
    catalog: catalogFile({ upstreams: [{ url: sandbox.url }], price: "{ input: 3, output: 15 }" }),
    env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD },
  });
});

afterAll(async () => {
  await gateway?.clean();
  await sandbox?.stop();
});

it("charges every request at the price of the moment at which it was accepted, without a restart or a further apply", async () => {
  const before = await charged();
  const from = new Date(Date.now() + 3_000);
  const operator = await signIn(gateway);
  const shown = (await operator.get("/operator/models/text")).body as Model;
  const coming_prices = [{ from: from.toISOString(), input: "6", output: "30" }];
  const { id: _, price_since: _since, upstreams: _upstreams, callable_in: _groups, ...read } = shown;
  const { revision: _revision, ...terms } = read;
  const written = await operator.put("/operator/models/text", { ...terms, coming_prices });
  expect(written.body).toMatchObject({ price: { input: "3", output: "15" }, coming_prices });

  const all = [before];
  await waitFor("a request at the price that was written ahead", async () => {
    all.push(await charged());
    return all.at(-1)?.input === "6";
  });
  for (const { acceptedAt, input } of all) expect(input).toBe(acceptedAt < from ? "3" : "6");
  expect(all[0]?.input).toBe("3");

  const after = (await operator.get("/operator/models/text")).body as Model;
  expect(after).toMatchObject({
    price: { input: "6", output: "30" },
    coming_prices: [],
    price_since: from.toISOString(),
  });
  await cleanLedger(gateway);
});

it("is shown by the export and the comparison of prices, and judged by the rules of the file", async () => {
  const operator = await signIn(gateway);
  const shown = (await operator.get("/operator/models/text")).body as Model;
  const { id: _, price_since: _since, upstreams: _upstreams, callable_in: _groups, ...read } = shown;
  const { revision: _revision, ...terms } = read;
  const put = (...coming_prices: object[]) =>
    operator.put("/operator/models/text", { ...terms, coming_prices });
  const from = "2100-01-01T00:00:00Z";
  expect((await put({ from, input: "7" })).body.error).toMatchObject({
    param: "coming_prices[0].output",
    message: expect.stringMatching(/^coming_prices\[0\]\.output: is required/),
  });
  expect((await put({ from: "2100-01-01", input: "7", output: "8" })).status).toBe(400);
  expect((await put({ from, input: "7", output: "8" })).status).toBe(200);
  expect((await gateway.run("export")).stdout).toContain(
    `price:\n      - input: 6\n        output: 30\n      - from: ${from}\n        input: 7\n        output: 8\n`,
  );
  const { stdout } = await gateway.run("prices");
  expect(stdout).toContain(`! text: not compared: the price from ${from}: input 7, output 8`);
  const listed = await fetch(`${gateway.url}/v1/models`, {
    headers: { authorization: `Bearer ${TEST_KEY}` },
  });
  expect(await listed.text()).not.toContain("2100");
});

interface Charged {
  readonly acceptedAt: Date;
  /** USD per 1,000,000 tokens of input. */
  readonly input: string | undefined;
}

async function charged(): Promise<Charged> {
  const headers = { authorization: `Bearer ${TEST_KEY}`, "content-type": "application/json" };
  const body = JSON.stringify({ model: "text", messages: [{ role: "user", content: "Hello" }] });
  const response = await fetch(`${gateway.url}/v1/chat/completions`, { method: "POST", headers, body });
  expect(response.status, await response.clone().text()).toBe(200);
  await response.text();
  const url = `${gateway.url}/v1/receipts/${response.headers.get("x-request-id")}`;
  const receipt = (await (await fetch(url, { headers })).json()) as Record<string, unknown>;
  const lines = receipt["lines"] as { bucket: string; usd_per_million_tokens: string }[];
  return {
    acceptedAt: new Date(String(receipt["accepted_at"])),
    input: lines.find(({ bucket }) => bucket === "input_uncached")?.usd_per_million_tokens,
  };
}
