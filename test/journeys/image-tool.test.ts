import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { postedReceipt, type Receipt } from "../support/posted-receipt.ts";
import { type ScriptedUpstream, scriptedUpstream, type WireRequest } from "../support/scripted-upstream.ts";

/**
 * The tool that makes images with a model of its own, whose tokens stand in `tool_usage.image_gen` in the shape of
 * ImageGenUsage (https://developers.openai.com/api/reference/resources/responses).
 */
const FRUGAL_KEY = "frugal-key-0123456789abcdef";
let answer: object = {};
let upstream: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = await scriptedUpstream(respond);
  const limits = "context_tokens: 200000, max_output_tokens: 32000";
  const perImage = "per_image: { 1k: 0.25, 2k: 0.25, 4k: 0.25 }";
  // Nanos a token: 3,000 and 15,000 of the text model; 5,000 of text, 8,000 of images read and 32,000 made by the other.
  gateway = await startGateway({
    catalog: `version: 1
groups:
  - { name: default, factor: 1 }
models:
  - { id: text, endpoints: [oa-response], ${limits}, price: { input: 3, output: 15 } }
  - { id: by-call, endpoints: [oa-response], ${limits}, price: { input: 3, output: 15, calls: { image_generation: 0.04 } } }
  - { id: drawing, family: imagegen, variant: "2", price: { input: 5, image: { input: 8, output: 32 }, ${perImage} } }
  - { id: plain, family: imagegen, variant: "2", price: { ${perImage} } }
upstreams:
  - name: vendor
    kind: openai
    base_url: ${upstream.url}/v1
    api_keys: [secret]
    models: { text: gpt-text, by-call: gpt-text, drawing: gpt-image-1, plain: gpt-image-0 }
accounts:
  - name: acme
    group: default
    balance: 1000
    keys:
      - { name: test, key: "${TEST_KEY}" }
      - { name: frugal, key: "${FRUGAL_KEY}", models: [text, by-call] }
`,
  });
});

afterAll(async () => {
  await gateway?.clean();
  await upstream?.close();
});

function respond({ body, socket }: WireRequest): void {
  const isStream = body.includes('"stream":true');
  const whole = JSON.stringify(answer);
  const text = isStream ? `data: {"type":"response.completed","response":${whole}}\n\n` : whole;
  const type = isStream ? "text/event-stream" : "application/json";
  socket.write(
    `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}

const TOOL = { type: "image_generation" };
const PNG = Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1").toString("base64");
const drawn = (model: string | undefined, images: object | undefined) => ({
  id: "resp_1",
  object: "response",
  status: "completed",
  output: [{ type: "image_generation_call", id: "ig_1", status: "completed", result: PNG }],
  tools: [{ ...TOOL, model }],
  usage: { input_tokens: 100, output_tokens: 20, total_tokens: 120 },
  tool_usage: { image_gen: images, web_search: { num_requests: 0 } },
});
const IMAGE_USAGE = {
  input_tokens: 50,
  input_tokens_details: { text_tokens: 10, image_tokens: 40 },
  output_tokens: 1_056,
  output_tokens_details: { text_tokens: 6, image_tokens: 1_050 },
  total_tokens: 1_106,
};
const OWN = 100 * 3_000 + 20 * 15_000;

describe.each([false, true])("an image that a response made (streamed: %s)", (stream) => {
  it("is charged by the tokens of the model that made it", async () => {
    answer = drawn("gpt-image-1", IMAGE_USAGE);
    const receipt = await charged({ model: "text", input: "Draw", tools: [TOOL], stream });
    // The output of text has the highest price of output, since the image model has none of its own.
    expect(receipt["charge_nanos"]).toBe(String(OWN + 10 * 5_000 + 40 * 8_000 + 1_050 * 32_000 + 6 * 32_000));
    answer = drawn("gpt-image-1", {
      ...IMAGE_USAGE,
      output_tokens: 1_050,
      output_tokens_details: undefined,
      total_tokens: 1_100,
    });
    const images = await charged({ model: "text", input: "Draw", tools: [TOOL], stream });
    expect(images["charge_nanos"]).toBe(String(OWN + 10 * 5_000 + 40 * 8_000 + 1_050 * 32_000));
    expect(images["unpriced"]).toBeUndefined();
  });

  it("is charged by the call, and its tokens with it, where calls have a price", async () => {
    answer = drawn("gpt-image-1", IMAGE_USAGE);
    const receipt = await charged({ model: "by-call", input: "Draw", tools: [TOOL], stream });
    expect(receipt["charge_nanos"]).toBe(String(OWN + 40_000_000));
    expect(receipt["unpriced"]).toBeUndefined();
  });

  it("is charged at the highest price that was asked, and named, where its model has no price", async () => {
    answer = drawn("gpt-image-9", {
      ...IMAGE_USAGE,
      output_tokens: 1_050,
      output_tokens_details: undefined,
      total_tokens: 1_100,
    });
    const receipt = await charged({ model: "text", input: "Draw", tools: [TOOL], stream });
    expect(receipt["unpriced"]).toEqual(["model gpt-image-9", "image_output"]);
    expect(receipt["charge_nanos"]).toBe(String(OWN + 50 * 3_000 + 1_050 * 15_000));
  });
});

it.each([
  ["the model that the tool takes by default", FRUGAL_KEY, "text", {}, 400],
  ["a named one", FRUGAL_KEY, "text", { model: "gpt-image-1" }, 404],
  ["a named one, though calls have a price", FRUGAL_KEY, "by-call", { model: "gpt-image-1" }, 404],
  ["one that nobody knows", TEST_KEY, "text", { model: "gpt-image-9" }, 404],
  ["one without prices of tokens", TEST_KEY, "text", { model: "gpt-image-0" }, 400],
] as const)(
  "refuses a tool whose model the key may not use, or has no price: %s",
  async (_, key, model, more, status) => {
    answer = drawn(undefined, undefined);
    const reply = await ask(key, { model, input: "Draw", tools: [{ ...TOOL, ...more }] });
    expect(reply.status, await reply.text()).toBe(status);
  },
);

it("serves it to a key that may, by our name or the vendor's", async () => {
  answer = drawn("gpt-image-1", IMAGE_USAGE);
  for (const name of ["drawing", "gpt-image-1"])
    expect(
      (await ask(TEST_KEY, { model: "text", input: "Draw", tools: [{ ...TOOL, model: name }] })).status,
    ).toBe(200);
  expect((await ask(FRUGAL_KEY, { model: "by-call", input: "Draw", tools: [TOOL] })).status).toBe(200);
});

it("leaves books that agree", async () => {
  expect((await gateway.run("ledger", "verify")).code).toBe(0);
});

function ask(key: string, body: object): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return fetch(`${gateway.url}/v1/responses`, { method: "POST", headers, body: JSON.stringify(body) });
}

/** The receipt, whose lines add up to the charge, which its hold covers. */
async function charged(body: object): Promise<Receipt> {
  const posted = await postedReceipt(gateway.url, "v1/responses", body);
  expect(Number(posted["charge_usd"])).toBeCloseTo(Number(posted["sum_usd"]), 12);
  return posted;
}
