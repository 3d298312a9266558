import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FakeCloud } from "../../sandbox/src/clouds/cloud-server.ts";
import { AZURE_CLIENT_FIELD, AZURE_KEY_FIELD, azureCloud, cloudRows } from "../support/clouds.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { cleanLedger } from "../support/money-books.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";

const PNG = "data:image/png;base64,iVBORw0KGgo=";
const HEADERS = { authorization: `Bearer ${TEST_KEY}`, "content-type": "application/json" };

let sandbox: TestSandbox;
let azure: FakeCloud;
let gateway: TestGateway;

beforeAll(async () => {
  sandbox = await startSandbox();
  azure = await azureCloud(sandbox.url);
  const row = (name: string, ...more: string[]) => ({
    name,
    kind: "azure",
    url: azure.url,
    models: { [name]: name === "missing" ? "absent" : "gpt-image-1" },
    more,
  });
  const rows = [
    row("by-key", AZURE_KEY_FIELD),
    row("by-token", AZURE_CLIENT_FIELD, `token_url: "${azure.url}"`),
    row("missing", AZURE_KEY_FIELD),
  ];
  const perImage = "per_image: { 1k: 0.05, 2k: 0.05, 4k: 0.05 }";
  // Nanos: 5,000 a token of text, 8,000 of images read and 32,000 made.
  const models = rows.map(
    ({ name }) =>
      `  - { id: ${name}, family: imagegen, variant: "2", price: { input: 5, image: { input: 8, output: 32 }, ${perImage} } }`,
  );
  gateway = await startGateway({
    catalog: `version: 1
models:
${models.join("\n")}
upstreams:
${cloudRows(rows)}
accounts:
  - { name: acme, balance: 1000, keys: [{ name: test, key: ${TEST_KEY} }] }
`,
  });
});

afterAll(async () => {
  await gateway?.clean();
  await Promise.all([azure?.close(), sandbox?.stop()]);
});

async function ask(path: string, body?: object): Promise<Record<string, unknown>> {
  const response = await fetch(gateway.url + path, {
    method: body === undefined ? "GET" : "POST",
    headers: HEADERS,
    body: body === undefined ? null : JSON.stringify(body),
  });
  return (await response.json()) as Record<string, unknown>;
}

async function made(model: string, image_urls: readonly string[] = []) {
  const { task_id: id } = await ask("/v1/images/generations?wait=20", { model, prompt: "a cat", image_urls });
  const record = await ask(`/v1/images/tasks/${String(id)}?wait=20`);
  return { record, receipt: await ask(`/v1/receipts/${String(id)}`) };
}

describe("an image at a cloud", () => {
  it.each(["by-key", "by-token"])("is made %s, and charged by the tokens that are counted", async (model) => {
    for (const references of [[], [PNG]]) {
      const { record, receipt } = await made(model, references);
      expect(record).toMatchObject({ status: "SUCCESS", data: [{ url: expect.any(String) }] });
      const read = 12 * 5_000 + references.length * 323 * 8_000;
      expect(receipt["charge_nanos"]).toBe(String(read + 1_056 * 32_000));
    }
  });

  it("costs nothing where its deployment does not exist", async () => {
    const { record, receipt } = await made("missing");
    expect(record["status"]).not.toBe("SUCCESS");
    expect(receipt["charge_nanos"] ?? "0").toBe("0");
  });

  it("is no reason for doctor to doubt its deployment", async () => {
    const { stdout } = await gateway.run("doctor");
    expect(stdout).toMatch(/upstream by-key.*accepted/);
    expect(stdout).toMatch(/upstream by-token.*accepted/);
  });
});

it("leaves the books in order", async () => {
  await cleanLedger(gateway);
});
