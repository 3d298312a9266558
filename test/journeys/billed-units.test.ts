import { afterAll, beforeAll, expect, it } from "vitest";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { postedReceipt, type Receipt } from "../support/posted-receipt.ts";
import { type ScriptedUpstream, scriptedUpstream, type WireRequest } from "../support/scripted-upstream.ts";

/** What embeddings and rerank are billed by beside tokens of text: images, sound, and searches. */
let answer: object = {};
let upstream: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = await scriptedUpstream(respond);
  // Nanos: 120 a token of text, 470 of an image, 6,500 of sound; 100,000 an image; 50 a token ranked; 2,000,000 a search.
  gateway = await startGateway({
    catalog: `version: 1
groups:
  - { name: default, factor: 1 }
models:
  - { id: mixed, endpoints: [embeddings], context_tokens: 32000, price: { input: 0.12, image: { input: 0.47 }, audio: { input: 6.5 } } }
  - { id: pictures, endpoints: [embeddings], context_tokens: 512, price: { input: 0.1, units: { image: 0.0001 } } }
  - { id: either, endpoints: [vendorz-rerank], context_tokens: 4000, price: { input: 0.05, units: { search: 0.002 } } }
upstreams:
  - name: vendor
    kind: gateway
    base_url: ${upstream.url}
    api_keys: [secret]
    models: [mixed, pictures, either]
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
  const text = JSON.stringify(answer);
  const type = "content-type: application/json";
  socket.write(`HTTP/1.1 200 OK\r\n${type}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}

const vectors = (more: object) => ({ object: "list", data: [{ index: 0, embedding: [0.5] }], ...more });
const ranked = (more: object) => ({ results: [{ index: 0, relevance_score: 0.5 }], ...more });
const PICTURE = { image: "https://example.com/a.png" };
const QUESTION = { model: "either", query: "q", documents: ["a", "b"] };

it.each([
  // https://docs.cohere.com/v2/reference/embed
  [{ meta: { billed_units: { input_tokens: 3, image_tokens: 1_400 } } }, 3 * 120 + 1_400 * 470],
  // https://docs.voyageai.com/reference/multimodal-embeddings-api: 560 pixels a token
  [{ usage: { text_tokens: 5, image_pixels: 560_000, total_tokens: 1_005 } }, 5 * 120 + 1_000 * 470],
  // https://ai.google.dev/api/embeddings, as its OpenAI-compatible servers state it
  [
    { usage: { prompt_tokens: 60, prompt_tokens_details: { text_tokens: 10, audio_tokens: 50 } } },
    10 * 120 + 50 * 6_500,
  ],
])("charges each medium that is embedded by its own price: %j", async (stated, nanos) => {
  answer = vectors(stated);
  const receipt = await charged("embeddings", { model: "mixed", input: [PICTURE, "a text"] });
  expect(receipt).toMatchObject({ charge_nanos: String(nanos), estimated: false });
  expect(receipt["unpriced"]).toBeUndefined();
});

it("charges an image as such where the vendor bills those", async () => {
  answer = {
    embeddings: { float: [[0.5]] },
    meta: { billed_units: { input_tokens: null, images: 1 } },
  };
  const receipt = await charged("embeddings", { model: "pictures", input: [PICTURE] });
  expect(receipt).toMatchObject({ charge_nanos: "100000", estimated: false });
});

it("charges a ranking by tokens or by searches, whichever the vendor bills", async () => {
  // https://docs.voyageai.com/reference/reranker-api
  answer = ranked({ usage: { total_tokens: 40 } });
  expect(await charged("rerank", QUESTION)).toMatchObject({ charge_nanos: String(40 * 50) });
  // https://docs.cohere.com/v2/reference/rerank
  answer = ranked({ meta: { billed_units: { search_units: 1 } } });
  expect(await charged("rerank", QUESTION)).toMatchObject({ charge_nanos: "2000000", estimated: false });
});

it("charges no more units than a request can bring", async () => {
  answer = ranked({ meta: { billed_units: { search_units: 900_000 } } });
  expect(await charged("rerank", QUESTION)).toMatchObject({
    charge_nanos: "2000000",
    estimated: true,
    implausible: [{ field: "search", reported: 900_000, most: 1 }],
  });
  answer = vectors({ meta: { billed_units: { images: 70 } } });
  expect(await charged("embeddings", { model: "pictures", input: ["a", PICTURE] })).toMatchObject({
    charge_nanos: "100000",
    implausible: [{ field: "image", reported: 70, most: 1 }],
  });
});

it("leaves books that agree", async () => {
  expect((await gateway.run("ledger", "verify")).code).toBe(0);
});

/** The receipt of a request, whose lines add up to its charge, which its hold covers. */
async function charged(path: string, body: object): Promise<Receipt> {
  const posted = await postedReceipt(gateway.url, `v1/${path}`, body);
  expect(Number(posted["charge_usd"])).toBeCloseTo(Number(posted["sum_usd"]), 12);
  expect(posted["written_off_usd"] ?? "0").toMatch(/^0/);
  return posted;
}
