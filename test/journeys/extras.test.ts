import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { catalogFile } from "../support/catalog-file.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";

let sandbox: TestSandbox;
let gateway: TestGateway;

beforeAll(async () => {
  sandbox = await startSandbox();
  const price =
    '{ input: 3, output: 15, extras: { web_search_preview: 0.01, "service_tier:priority": 0.002 } }';
  gateway = await startGateway({ catalog: catalogFile({ upstreams: [{ url: sandbox.url }], price }) });
});

afterAll(async () => {
  await gateway?.clean();
  await sandbox?.stop();
});

describe("what is not tokens", () => {
  it("is charged at its price for the request and stands on the receipt", async () => {
    const answer = await ask({ tools: [{ type: "web_search_preview" }], service_tier: "priority" });
    expect(answer.status).toBe(200);
    const { usage } = (await answer.json()) as { usage: { input_tokens: number; output_tokens: number } };
    const receipt = await receiptOf(answer);
    expect(receipt["extras"]).toEqual([
      { name: "service_tier:priority", usd: "0.002" },
      { name: "web_search_preview", usd: "0.01" },
    ]);
    const tokens = usage.input_tokens * 3_000 + usage.output_tokens * 15_000;
    expect(receipt["charge_nanos"]).toBe(String(tokens + 12_000_000));
  });

  it("is refused without a price, naming what would need one", async () => {
    const answer = await ask({ tools: [{ type: "image_generation" }] });
    const { error } = (await answer.json()) as { error: { code: string; param: string; message: string } };
    expect([answer.status, error.code, error.param]).toEqual([400, "invalid_request", "tools"]);
    expect(error.message).toContain('price.extras "image_generation"');
  });
});

function ask(fields: object): Promise<Response> {
  return fetch(`${gateway.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${TEST_KEY}` },
    body: JSON.stringify({ model: "text", input: "Hello", ...fields }),
  });
}

async function receiptOf(answer: Response): Promise<Record<string, unknown>> {
  const url = `${gateway.url}/v1/receipts/${answer.headers.get("x-request-id")}`;
  const receipt = await fetch(url, { headers: { authorization: `Bearer ${TEST_KEY}` } });
  return (await receipt.json()) as Record<string, unknown>;
}
