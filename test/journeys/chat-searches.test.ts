import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { posted, postedReceipt, type Receipt } from "../support/posted-receipt.ts";
import { type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";

/**
 * Searches that vendors run for chats: models that search for each response and count nothing, and calls that stand in the
 * response. Nanos: 2,500 a token in, 10,000 out.
 */
const TOKENS = 40 * 2_500 + 6 * 10_000;
const SEARCH = 5_000_000;
const VISIT = 1_000_000;

let message: object = {};
let beside: object = {};
let finish = "stop";
let isDown = false;
let vendor: VendorUpstream;
let gateway: TestGateway;

beforeAll(async () => {
  vendor = await vendorUpstream(({ streamed, response }) => {
    if (isDown) {
      response.writeHead(500, { "content-type": "application/json" });
      response.end('{"error":{"message":"down"}}');
      return;
    }
    const usage = { prompt_tokens: 40, completion_tokens: 6, total_tokens: 46 };
    const said = { role: "assistant", content: "Seven degrees.", ...message };
    const head = { id: "chatcmpl-1", created: 1_790_000_000, model: "m" };
    if (!streamed) {
      const choices = [{ index: 0, message: said, finish_reason: finish }];
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ ...head, object: "chat.completion", choices, usage, ...beside }));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    const chunk = (choices: readonly object[], more: object = {}): void => {
      response.write(
        `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices, ...more })}\n\n`,
      );
    };
    chunk([{ index: 0, delta: said, finish_reason: null }], beside);
    chunk([{ index: 0, delta: {}, finish_reason: finish }]);
    chunk([], { usage });
    response.end("data: [DONE]\n\n");
  });
  const more = "endpoints: [oa, oa-response, an, ge], context_tokens: 100000, max_output_tokens: 8000";
  const price = "input: 2.5, output: 10";
  const calls = "calls: { web_search: 0.005, visit_website: 0.001 }";
  gateway = await startGateway({
    catalog: `version: 1
models:
  - { id: preview, ${more}, price: { ${price} } }
  - { id: mini-preview, ${more}, price: { ${price} } }
  - { id: later, ${more}, price: { ${price} } }
  - { id: own, ${more}, price: { ${price}, calls: { web_search: 0.001 } } }
  - { id: plain, ${more}, price: { ${price} } }
  - { id: fixed, ${more}, price: { ${price}, request: 0.01 } }
  - { id: compound, ${more}, price: { ${price}, ${calls} } }
  - { id: offered, ${more}, price: { ${price}, ${calls} } }
upstreams:
  - name: openai
    kind: openai
    base_url: "${vendor.url}/v1"
    api_key: key
    protocols: [chat-completions]
    models:
      preview: gpt-4o-search-preview-2025-03-11
      mini-preview: gpt-4o-mini-search-preview
      later: gpt-5-search-api
      own: gpt-4o-search-preview
      plain: gpt-4o
      fixed: gpt-4o
  - name: others
    kind: openai-compatible
    base_url: "${vendor.url}/v1"
    api_key: key
    models: { compound: groq/compound, offered: glm-5 }
accounts:
  - { name: acme, balance: 1000, keys: [{ name: test, key: ${TEST_KEY} }] }
`,
  });
});

afterAll(async () => {
  await gateway?.clean();
  await vendor?.close();
});

const SAID = [{ role: "user", content: "How warm is it?" }];

/** Requests of each protocol, plain and streamed, to a model. */
const WAYS: Readonly<Record<string, (model: string) => readonly [path: string, body: object]>> = {
  "a chat": (model) => ["v1/chat/completions", { model, messages: SAID }],
  "a streamed chat": (model) => ["v1/chat/completions", { model, messages: SAID, stream: true }],
  messages: (model) => ["v1/messages", { model, max_tokens: 100, messages: SAID }],
  "streamed messages": (model) => ["v1/messages", { model, max_tokens: 100, messages: SAID, stream: true }],
  responses: (model) => ["v1/responses", { model, input: "How warm is it?" }],
  "streamed responses": (model) => ["v1/responses", { model, input: "How warm is it?", stream: true }],
  generateContent: (model) => [
    `v1beta/models/${model}:generateContent`,
    { contents: [{ role: "user", parts: [{ text: "How warm is it?" }] }] },
  ],
  streamGenerateContent: (model) => [
    `v1beta/models/${model}:streamGenerateContent`,
    { contents: [{ role: "user", parts: [{ text: "How warm is it?" }] }] },
  ],
};
const NAMES = Object.keys(WAYS);

async function charged(way: string, model: string, more: object = {}): Promise<Receipt> {
  const [path, body] = WAYS[way]?.(model) ?? ["", {}];
  return postedReceipt(gateway.url, path, { ...body, ...more });
}

describe.each(NAMES)("by %s", (way) => {
  it("models that search for each response cost one search by OpenAI's list, or by the catalog", async () => {
    [message, beside, finish] = [{}, {}, "stop"];
    const prices = {
      preview: 25_000_000,
      "mini-preview": 25_000_000,
      later: 10_000_000,
      own: 1_000_000,
      plain: 0,
    };
    for (const [model, search] of Object.entries(prices)) {
      const receipt = await charged(way, model);
      expect([model, receipt["charge_nanos"], receipt["unpriced"]]).toEqual([
        model,
        String(TOKENS + search),
        undefined,
      ]);
    }
  });

  it("tools that Groq says it has run cost their calls, and nothing where it has run none", async () => {
    finish = "stop";
    beside = {};
    const run = (index: number, type: string) => ({ index, type, arguments: "{}", output: "found" });
    const told = [
      [[], 0],
      [[run(0, "search")], SEARCH],
      [[run(0, "search"), run(1, "search"), run(2, "visit")], 2 * SEARCH + VISIT],
    ] as const;
    for (const [executed_tools, calls] of told) {
      message = { executed_tools };
      const receipt = await charged(way, "compound");
      expect(receipt["charge_nanos"]).toBe(String(TOKENS + calls));
    }
  });
});

/** What vendors take for a search, and how they say that they have run it. */
const SEARCHES = {
  "Groq's": [
    { type: "browser_search" },
    { executed_tools: [{ index: 0, type: "browser.search", arguments: "{}" }] },
    {},
    "stop",
  ],
  "Z.ai's": [
    { type: "web_search", web_search: { enable: true, search_engine: "search_pro_jina" } },
    {},
    {
      web_search: [
        { title: "a", link: "https://a.example" },
        { title: "b", link: "https://b.example" },
      ],
    },
    "stop",
  ],
  "Moonshot's": [
    { type: "builtin_function", function: { name: "$web_search" } },
    {
      tool_calls: [
        {
          index: 0,
          id: "call_1",
          type: "builtin_function",
          function: { name: "$web_search", arguments: "{}" },
        },
      ],
    },
    {},
    "tool_calls",
  ],
} as const;

describe.each(Object.entries(SEARCHES))("%s search", (_, [tool, ran, found, ended]) => {
  it.each([false, true])("costs one call where the response tells it (stream: %s)", async (stream) => {
    [message, beside, finish] = [ran, found, ended];
    const receipt = await charged(stream ? "a streamed chat" : "a chat", "offered", { tools: [tool] });
    expect([receipt["charge_nanos"], receipt["estimated"]]).toEqual([String(TOKENS + SEARCH), false]);
    expect(Number(receipt["hold_usd"]) * 1e9).toBeGreaterThanOrEqual(TOKENS + SEARCH);
  });
});

it("that no vendor has run stands on no receipt: of a failed request nothing is listed, nor its own price", async () => {
  isDown = true;
  for (const model of ["preview", "later", "fixed"]) {
    const body = { model, messages: SAID };
    const { receipt } = await posted(gateway.url, "v1/chat/completions", body, {}, 502);
    expect(receipt).toMatchObject({ charge_nanos: "0", charged: false, lines: [], sum_usd: "0" });
  }
  isDown = false;
});

it("leaves books that agree", async () => {
  expect((await gateway.run("ledger", "verify")).code).toBe(0);
});
