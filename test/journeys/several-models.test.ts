import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { postedReceipt, type Receipt } from "../support/posted-receipt.ts";
import { type ScriptedUpstream, scriptedUpstream, type WireRequest } from "../support/scripted-upstream.ts";

/**
 * Responses in which several models have worked, in the shape of `usage.iterations`
 * (https://platform.claude.com/docs/en/api/beta/messages: BetaUsage).
 */
const FRUGAL_KEY = "frugal-key-0123456789abcdef";
let usage: object = {};
/** Where a block of the response says that another model goes on. */
let handover: readonly object[] = [];
let upstream: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = await scriptedUpstream(respond);
  const limits = "context_tokens: 200000, max_output_tokens: 32000";
  gateway = await startGateway({
    catalog: `version: 1
groups:
  - { name: default, factor: 1 }
models:
  - { id: text, endpoints: [oa, oa-response, an, ge], ${limits}, price: { input: 3, output: 15, cache_read: 0.3, speeds: { fast: { factor: 6 } } } }
  - { id: counted, endpoints: [an], ${limits}, price: { input: 3, output: 15, cache_read: 0.3, calls: { advisor: 0.02 } } }
  - { id: clever, endpoints: [an], ${limits}, price: { input: 10, output: 50, cache_read: 1, speeds: { fast: { factor: 6 } } } }
  - { id: cheap, endpoints: [an], ${limits}, price: { input: 1, output: 5, cache_read: 0.1 } }
  - { id: vectors, endpoints: [embeddings], price: { input: 1 } }
  - { id: routed, endpoints: [oa, oa-response], ${limits}, price: { input: 1, output: 5 } }
  - { id: routed-clever, endpoints: [oa, oa-response], ${limits}, price: { input: 10, output: 50 } }
upstreams:
  - name: embedder
    kind: sandbox
    base_url: ${upstream.url}
    api_keys: [secret]
    protocols: [embeddings]
    models: { vectors: vendor/vectors }
  - name: router
    kind: sandbox
    base_url: ${upstream.url}
    api_keys: [secret]
    protocols: [chat-completions, responses]
    models: { routed: vendor/routed, routed-clever: vendor/clever }
  - name: vendor
    kind: sandbox
    base_url: ${upstream.url}
    api_keys: [secret]
    protocols: [messages]
    models: { text: claude-text, counted: claude-counted, clever: claude-clever, cheap: claude-cheap }
accounts:
  - name: acme
    group: default
    balance: 1000
    keys:
      - { name: test, key: "${TEST_KEY}" }
      - { name: frugal, key: "${FRUGAL_KEY}", models: [text, cheap, routed] }
`,
  });
});

afterAll(async () => {
  await gateway?.clean();
  await upstream?.close();
});

function respond({ body, socket }: WireRequest): void {
  const isStream = body.includes('"stream":true');
  const message = { id: "msg_1", type: "message", role: "assistant", model: "claude-text" };
  const content = [...handover, { type: "text", text: "Hi" }];
  const events = [
    {
      type: "message_start",
      message: { ...message, content: [], usage: { ...usage, iterations: null, output_tokens: 1 } },
    },
    ...handover.map((block) => ({ type: "content_block_start", index: 9, content_block: block })),
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage },
    { type: "message_stop" },
  ];
  const text = isStream
    ? events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("")
    : JSON.stringify({ ...message, content, stop_reason: "end_turn", usage });
  const type = isStream ? "text/event-stream" : "application/json";
  socket.write(
    `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}

const counts = (input: number, read: number, output: number) => ({
  input_tokens: input,
  cache_read_input_tokens: read,
  cache_creation_input_tokens: 0,
  output_tokens: output,
});

const SAID = [{ role: "user", content: "Hello" }];
const CLEVER = { type: "advisor_20260301", name: "advisor", model: "claude-clever" };
/** Names an advisor and a fallback. */
const NAMED = {
  model: "text",
  max_tokens: 1_000,
  messages: SAID,
  tools: [CLEVER],
  fallbacks: [{ model: "claude-cheap" }],
  context_management: { edits: [{ type: "compact_20260112" }] },
};
const said = (block: object) => ({ role: "user", content: [{ type: "text", text: "Hello" }, block] });
const PLAIN = { path: "v1/messages", body: { model: "text", max_tokens: 1_000, messages: SAID } };
const BARE = [
  PLAIN,
  { path: "v1/chat/completions", body: { model: "text", messages: SAID } },
  { path: "v1/responses", body: { model: "text", input: "Hello" } },
  {
    path: "v1beta/models/text:generateContent",
    body: { contents: [{ role: "user", parts: [{ text: "Hello" }] }] },
  },
];

const WAYS = [
  { path: "v1/messages", body: NAMED },
  { path: "v1/messages", body: { ...NAMED, stream: true } },
];

describe.each(WAYS)("an answer of several models to $path $body,", ({ path, body }) => {
  it("is charged for the advisor and the summary by the prices of the models that made them", async () => {
    usage = {
      ...counts(1_000, 200, 500),
      speed: "fast",
      iterations: [
        { type: "compaction", ...counts(9_000, 0, 300) },
        { type: "message", model: "claude-text", ...counts(1_000, 200, 500) },
        { type: "advisor_message", model: "claude-clever-20260301", ...counts(8_000, 40, 1_200) },
      ],
    };
    const receipt = await charged(path, body);
    expect(linesOf(receipt)).toEqual([
      "input_uncached 10000",
      "cache_read 200",
      "output_visible 800",
      "clever input_uncached 8000",
      "clever cache_read 40",
      "clever output_visible 1200",
    ]);
    expect(receipt["charge_nanos"]).toBe(
      String(6 * (10_000 * 3_000 + 200 * 300 + 800 * 15_000) + 8_000 * 10_000 + 40 * 1_000 + 1_200 * 50_000),
    );
    expect(receipt["unpriced"]).toBeUndefined();
  });

  it("is charged at the price of the fallback that a block alone names", async () => {
    usage = counts(1_000, 200, 500);
    // fallback_response.txt of the vendor's Python SDK.
    const trigger = { type: "refusal", category: null };
    handover = [
      { type: "fallback", from: { model: "claude-text" }, to: { model: "claude-cheap-20260301" }, trigger },
    ];
    const receipt = await charged(path, body);
    handover = [];
    expect(linesOf(receipt)).toEqual([
      "cheap input_uncached 1000",
      "cheap cache_read 200",
      "cheap output_visible 500",
    ]);
    expect(receipt["charge_nanos"]).toBe(String(1_000 * 1_000 + 200 * 100 + 500 * 5_000));
  });

  it("is charged at the price of the fallback that has served it, and no part of it twice", async () => {
    usage = {
      ...counts(2_000, 0, 300),
      iterations: [
        { type: "message", model: "claude-text", ...counts(1_000, 0, 10) },
        { type: "fallback_message", model: "claude-cheap", ...counts(1_000, 0, 290) },
      ],
    };
    const split = await charged(path, body);
    expect(linesOf(split)).toEqual([
      "cheap input_uncached 1000",
      "cheap output_visible 290",
      "text input_uncached 1000",
      "text output_visible 10",
    ]);
    expect(split["charge_nanos"]).toBe(String(1_000 * 1_000 + 290 * 5_000 + 1_000 * 3_000 + 10 * 15_000));
    usage = {
      ...counts(1_000, 0, 290),
      iterations: [
        { type: "message", model: "claude-text", ...counts(1_000, 0, 0) },
        { type: "fallback_message", model: "claude-cheap", ...counts(1_000, 0, 290) },
      ],
    };
    const whole = await charged(path, body);
    expect(whole["charge_nanos"]).toBe(String(1_000 * 1_000 + 290 * 5_000));
  });

  it("is charged at the highest price that was asked where a model is not in the catalog, and says so", async () => {
    usage = {
      ...counts(10, 0, 10),
      iterations: [{ type: "advisor_message", model: "claude-other", ...counts(100, 0, 20) }],
    };
    const receipt = await charged(path, body);
    expect(receipt["unpriced"]).toEqual(["model claude-other"]);
    expect(receipt["charge_nanos"]).toBe(String(110 * 3_000 + 30 * 15_000));
  });
});

const DEFINED = { type: "tool_definition", definition: CLEVER };
const ADVISED = [
  ["in the list of tools", { tools: [CLEVER] }],
  ["in a block", { messages: [...SAID, said({ type: "tool_addition", tool: DEFINED })] }],
  [
    "among those that a compaction keeps",
    { messages: [said({ type: "compaction", content: "s", tool_changes: [{ tool: DEFINED }] }), ...SAID] },
  ],
] as const;

describe.each(ADVISED)("an advisor that is defined %s", (_, fields) => {
  it.each([false, true])(
    "costs its tokens, and its calls only what they are priced at (stream: %s)",
    async (stream) => {
      usage = {
        ...counts(1_000, 0, 500),
        iterations: [
          { type: "message", ...counts(1_000, 0, 500) },
          { type: "advisor_message", model: "claude-clever", ...counts(8_000, 0, 1_200) },
          { type: "advisor_message", model: "claude-clever", ...counts(9_000, 0, 100) },
        ],
      };
      const tokens = 1_000 * 3_000 + 500 * 15_000 + 17_000 * 10_000 + 1_300 * 50_000;
      const body = { ...PLAIN.body, stream, ...fields };
      const free = await charged("v1/messages", body);
      expect(free["charge_nanos"]).toBe(String(tokens));
      expect([free["unpriced"], free["implausible"] ?? []]).toEqual([undefined, []]);
      const counted = await charged("v1/messages", { ...body, model: "counted" });
      expect(counted["charge_nanos"]).toBe(String(tokens + 2 * 20_000_000));
      expect([counted["unpriced"], counted["implausible"] ?? []]).toEqual([undefined, []]);
    },
  );
});

it.each(BARE)(
  "charges none but the model that was asked where $path names no other",
  async ({ path, body }) => {
    usage = {
      ...counts(1_000, 0, 500),
      iterations: Array.from({ length: 200 }, () => ({
        type: "advisor_message",
        model: "claude-clever",
        ...counts(200_000, 0, 32_000),
      })),
    };
    const told = await charged(path, body);
    expect(told["charge_nanos"]).toBe(String(1_000 * 3_000 + 500 * 15_000));
    expect(told["implausible"]).toEqual([
      { field: "input", reported: 200 * 200_000, most: 0 },
      { field: "output", reported: 200 * 32_000, most: 0 },
    ]);
    usage = {
      ...counts(1_000, 0, 290),
      iterations: [{ type: "fallback_message", model: "claude-clever", ...counts(1_000, 0, 290) }],
    };
    expect((await charged(path, body))["charge_nanos"]).toBe(String(1_000 * 3_000 + 290 * 15_000));
  },
);

describe.each(BARE)("a summary that $path has not asked for", ({ path, body }) => {
  it.each([false, true])("is neither charged nor told (stream: %s)", async (streams) => {
    usage = {
      ...counts(1_000, 0, 500),
      iterations: [
        { type: "compaction", ...counts(150_000, 0, 3_000) },
        { type: "message", ...counts(1_000, 0, 500) },
      ],
    };
    const isNative = path.startsWith("v1beta");
    const ways = isNative ? path.replace("generate", "streamGenerate") : path;
    const streamed = isNative ? body : { ...body, stream: true, stream_options: CHAT_USAGE[path] };
    const told = await charged(streams ? ways : path, streams ? streamed : body);
    expect(linesOf(told)).toEqual(["input_uncached 1000", "output_visible 500"]);
    expect(told["implausible"]).toEqual([
      { field: "input", reported: 151_000, most: 1_000 },
      { field: "output", reported: 3_500, most: 500 },
    ]);
    // A forwarded response keeps its bytes.
    if (path === "v1/messages") return;
    const text = await textOf(streams ? ways : path, streams ? streamed : body);
    const names = /"(?:prompt_tokens|input_tokens|promptTokenCount)":\s*(\d+)/g;
    expect([...text.matchAll(names)].at(-1)?.[1]).toBe("1000");
    expect(text).not.toContain("151000");
  });
});

/** Chat completions tell their usage only to those who ask. */
const CHAT_USAGE: Readonly<Record<string, object>> = { "v1/chat/completions": { include_usage: true } };

/** The bytes of a response. */
async function textOf(path: string, body: object): Promise<string> {
  const response = await fetch(`${gateway.url}/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${TEST_KEY}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return response.text();
}

it("leaves books that agree", async () => {
  expect((await gateway.run("ledger", "verify")).code).toBe(0);
});

/** Lines with something in them, with the model where it is another than was asked. */
function linesOf(receipt: Record<string, unknown>): string[] {
  const lines = receipt["lines"] as { model?: string; bucket: string; tokens: number }[];
  return lines
    .filter(({ tokens }) => tokens > 0)
    .map(({ model, bucket, tokens }) => [...(model ? [model] : []), bucket, tokens].join(" "));
}

function charged(path: string, body: object): Promise<Receipt> {
  return postedReceipt(gateway.url, path, body);
}

describe("further models that a request names", () => {
  const advisor = (model: string) => ({ tools: [{ type: "advisor_20260301", name: "advisor", model }] });
  const fallbacks = (...models: string[]) => ({ fallbacks: models.map((model) => ({ model })) });
  const block = (more: object) => ({
    messages: [{ role: "user", content: [{ type: "text", text: "Hello" }, more] }],
  });
  const send = async (key: string, fields: object) => {
    usage = counts(10, 0, 5);
    const response = await fetch(`${gateway.url}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: JSON.stringify({ model: "text", max_tokens: 100, messages: SAID, ...fields }),
    });
    return [response.status, ((await response.json()) as { error?: { code?: string } }).error?.code] as const;
  };

  it.each([
    ["our name of a fallback", fallbacks("clever"), "model_not_found"],
    ["the vendor's name of a fallback", fallbacks("claude-cheap", "claude-clever"), "model_not_found"],
    ["a fallback that nobody knows", fallbacks("claude-other"), "model_not_found"],
    ["an advisor", advisor("claude-clever"), "model_not_found"],
    [
      "an advisor of a block",
      block({ type: "tool_addition", tool: { type: "tool_definition", definition: CLEVER } }),
      "model_not_found",
    ],
    [
      "an advisor that a compaction keeps",
      block({ type: "compaction", content: "s", tool_changes: [{ tool: { definition: CLEVER } }] }),
      "model_not_found",
    ],
    ["fallbacks by their names alone", { fallbacks: ["claude-cheap", "claude-clever"] }, "model_not_found"],
    ["a list within a list", { fallbacks: [["claude-clever"]] }, "model_not_found"],
    ["a name deeper within", { fallbacks: [{ with: { model: "claude-other" } }] }, "model_not_found"],
    ["a model by another word", { fallbacks: [{ name: "clever" }] }, "model_not_found"],
    ["a fallback in the singular", { fallback: { model: "claude-clever" } }, "model_not_found"],
    ["what the vendor chooses", { fallbacks: "default" }, "invalid_request"],
    ["what the vendor chooses, in a list", { fallbacks: ["default"] }, "invalid_request"],
    ["what the vendor chooses, in the singular", { fallback: "default" }, "invalid_request"],
  ] as const)("are refused where the key may not use them: %s", async (_, fields, code) => {
    const status = code === "model_not_found" ? 404 : 400;
    expect(await send(FRUGAL_KEY, fields)).toEqual([status, code]);
  });

  it.each([
    ["v1/chat/completions", { model: "routed", messages: SAID }],
    ["v1/responses", { model: "routed", input: "Hello" }],
    ["v1/messages", { model: "text", max_tokens: 100, messages: SAID }],
  ] as const)("are refused where they would be tried in the place of the model: %s", async (path, body) => {
    for (const models of [["vendor/clever"], ["vendor/routed", "clever"], ["unknown"]]) {
      const response = await fetch(`${gateway.url}/${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${FRUGAL_KEY}`, "content-type": "application/json" },
        body: JSON.stringify({ ...body, models }),
      });
      expect([models, response.status]).toEqual([models, 404]);
      expect(await response.text()).toContain("model_not_found");
    }
  });

  it.each([
    ["v1/chat/completions", { messages: SAID }],
    ["v1/responses", { input: "Hello" }],
  ] as const)("are refused where another gateway would take them as fallbacks: %s", async (path, body) => {
    const ask = async (fallbacks: readonly unknown[]) => {
      const response = await fetch(`${gateway.url}/${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${FRUGAL_KEY}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "routed", ...body, fallbacks }),
      });
      return [response.status, await response.text()] as const;
    };
    for (const fallback of ["vendor/clever", { model: "clever" }, { routed: ["clever"] }, "unknown"]) {
      const [status, text] = await ask([fallback]);
      expect([fallback, status]).toEqual([fallback, 404]);
      expect(text).toContain("model_not_found");
    }
    expect((await ask([{ model: "routed", service_tier: "priority" }]))[0]).toBe(400);
  });

  it("are refused where they are asked for what has no price", async () => {
    const speed = "fast";
    expect(await send(TEST_KEY, { fallbacks: [{ model: "claude-cheap", speed }] })).toEqual([
      400,
      "invalid_request",
    ]);
    expect(await send(TEST_KEY, { speed, ...fallbacks("claude-cheap") })).toEqual([400, "invalid_request"]);
    expect(
      await send(TEST_KEY, { speed, fallbacks: [{ model: "claude-cheap", speed: "standard" }] }),
    ).toEqual([200, undefined]);
    expect(await send(TEST_KEY, { speed, ...fallbacks("claude-clever") })).toEqual([200, undefined]);
  });

  it("are refused as advisors without the prices that their tokens need, whatever calls cost", async () => {
    for (const model of ["text", "counted"]) {
      const [status, code] = await send(TEST_KEY, { model, ...advisor("vectors") });
      expect([model, status, code]).toEqual([
        model,
        400,
        model === "text" ? "invalid_request" : "model_not_priced",
      ]);
    }
  });

  it("pass where it may", async () => {
    expect(
      await send(FRUGAL_KEY, {
        fallbacks: ["claude-cheap", { model: "cheap", thinking: { type: "enabled" } }],
      }),
    ).toEqual([200, undefined]);
    expect(await send(FRUGAL_KEY, fallbacks("claude-cheap"))).toEqual([200, undefined]);
    expect(await send(TEST_KEY, fallbacks("claude-clever"))).toEqual([200, undefined]);
    expect(await send(TEST_KEY, { fallbacks: "default" })).toEqual([200, undefined]);
  });
});
