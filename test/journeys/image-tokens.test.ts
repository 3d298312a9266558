import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { type ScriptedUpstream, scriptedUpstream, type WireRequest } from "../support/scripted-upstream.ts";

/**
 * Images that their vendor bills by tokens, in the shape of ImageGenUsage
 * (https://developers.openai.com/api/reference/resources/images).
 */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const HEADERS = { authorization: `Bearer ${TEST_KEY}`, "content-type": "application/json" };
let usage: object | undefined;
let upstream: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = await scriptedUpstream(respond);
  const perImage = "per_image: { 1k: 0.05, 2k: 0.05, 4k: 0.05 }";
  // Nanos: 5,000 a token of text, 8,000 of images read and 32,000 made; 50,000,000 an image, times 2 for the group.
  gateway = await startGateway({
    catalog: `version: 1
groups:
  - { name: default, factor: 2 }
models:
  - { id: counted, family: imagegen, variant: "2", price: { input: 5, image: { input: 8, output: 32 }, ${perImage} } }
  - { id: plain, family: imagegen, variant: "2", price: { ${perImage} } }
upstreams:
  - name: vendor
    kind: openai
    base_url: ${upstream.url}/v1
    api_keys: [secret]
    models: { counted: gpt-image-1, plain: gpt-image-1 }
accounts:
  - name: acme
    group: default
    balance: 1000
    keys:
      - { name: test, key: "${TEST_KEY}" }
`,
  });
});

afterAll(async () => {
  await gateway?.clean();
  await upstream?.close();
});

function respond({ socket }: WireRequest): void {
  const text = JSON.stringify({ created: 1, data: [{ b64_json: PNG }], usage });
  const type = "content-type: application/json";
  socket.write(`HTTP/1.1 200 OK\r\n${type}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}

const counts = (text: number, images: number, made: number) => ({
  input_tokens: text + images,
  input_tokens_details: { text_tokens: text, image_tokens: images },
  output_tokens: made,
  total_tokens: text + images + made,
});

describe("an image", () => {
  it.each([false, true])(
    "is charged by the tokens that its vendor counts (of a reference: %s)",
    async (edits) => {
      const images = edits ? 323 : 0;
      usage = counts(12, images, 1_056);
      const order = edits ? { image_urls: [`data:image/png;base64,${PNG}`] } : {};
      const receipt = await made("counted", order);
      expect(receipt["charge_nanos"]).toBe(String(2 * (12 * 5_000 + images * 8_000 + 1_056 * 32_000)));
      expect(receipt["lines"]).toContainEqual({
        bucket: "image_output",
        tokens: 1_056,
        usd_per_million_tokens: "32",
        usd: "0.033792",
      });
      expect(receipt["unpriced"]).toBeUndefined();
    },
  );

  it("is charged as ordered where its vendor counts none, or its model has no prices of them", async () => {
    usage = undefined;
    expect((await made("counted", {}))["charge_nanos"]).toBe("100000000");
    usage = counts(12, 0, 1_056);
    expect((await made("plain", {}))["charge_nanos"]).toBe("100000000");
  });

  it("costs no more than its hold, which has the price of the image and the tokens of what is read", async () => {
    usage = counts(12, 0, 900_000);
    const receipt = await made("counted", {});
    const prompt = Buffer.byteLength("a cat") + 128;
    expect(receipt["charge_nanos"]).toBe(String(2 * (50_000_000 + prompt * 5_000)));
    expect(receipt["charge_usd"]).toBe(receipt["hold_usd"]);
  });
});

it("leaves books that agree", async () => {
  expect((await gateway.run("ledger", "verify")).code).toBe(0);
});

async function made(model: string, order: object): Promise<Record<string, unknown>> {
  const submitted = await fetch(`${gateway.url}/v1/images/generations?wait=20`, {
    method: "POST",
    headers: HEADERS,
    body: JSON.stringify({ model, prompt: "a cat", ...order }),
  });
  expect(submitted.status, await submitted.clone().text()).toBe(200);
  const id = ((await submitted.json()) as { task_id: string }).task_id;
  const found = await fetch(`${gateway.url}/v1/images/tasks/${id}?wait=20`, { headers: HEADERS });
  expect(await found.json()).toMatchObject({ status: "SUCCESS" });
  return (await (await fetch(`${gateway.url}/v1/receipts/${id}`, { headers: HEADERS })).json()) as Record<
    string,
    unknown
  >;
}
