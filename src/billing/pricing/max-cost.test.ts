import fc from "fast-check";
import { countTokens as countCl100k } from "gpt-tokenizer/encoding/cl100k_base";
import { countTokens as countO200k } from "gpt-tokenizer/encoding/o200k_base";
import { countTokens as countP50k } from "gpt-tokenizer/encoding/p50k_base";
import { countTokens as countR50k } from "gpt-tokenizer/encoding/r50k_base";
import { describe, expect, it } from "vitest";
import { createBodyScan } from "../../base/json/json-scan.ts";
import { compileWatch } from "../../base/json/json-watch.ts";
import type { Model } from "../../catalog/catalog.ts";
import type { ProtocolName } from "../../conversation/protocol-name.ts";
import { holdPaths } from "../../protocols/body-features.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import { chargeOf } from "./charge.ts";
import { freezePrice } from "./frozen-price.ts";
import { estimateMaxCost, type RequestBound } from "./max-cost.ts";

const LIMITS: Partial<Record<ProtocolName, readonly string[]>> = {
  "chat-completions": ["max_tokens", "max_completion_tokens"],
  responses: ["max_output_tokens"],
  messages: ["max_tokens"],
  "generate-content": ["generationConfig.maxOutputTokens"],
};
const COUNTS = ["n", "generationConfig.candidateCount"];

/** One dollar a million for input makes a token a thousand nanos; output costs ten times as much. */
const model: Model = {
  id: "m",
  family: null,
  variant: null,
  ownedBy: "x",
  created: 0,
  endpoints: ["chat-completions"],
  groups: null,
  contextTokens: 200_000,
  maxOutputTokens: 8_000,
  price: {
    id: 1n,
    rates: {
      input: 1_000_000_000n,
      output: 10_000_000_000n,
      cacheWrite: 1_000_000_000n,
      cacheWrite1h: 2_000_000_000n,
    },
    media: {},
  },
  quirks: {},
};

function scanOf(endpoint: ProtocolName, text: string) {
  const scanner = createBodyScan(
    compileWatch([
      ...holdPaths(PROTOCOLS[endpoint].forward.hold),
      ...(LIMITS[endpoint] ?? []),
      ...COUNTS,
      "tools",
      "input",
    ]),
  );
  scanner.write(Buffer.from(text));
  return scanner.end();
}

const SETTINGS = { maxPasses: 100, holdCalls: 1 };

function boundOf(endpoint: ProtocolName, body: unknown, of: Model = model, more: object = {}): RequestBound {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return estimateMaxCost({
    forward: {
      hold: PROTOCOLS[endpoint].forward.hold,
      outputLimits: LIMITS[endpoint] ?? [],
      zeroIsALimit: PROTOCOLS[endpoint].forward.zeroIsALimit,
      responseCounts: COUNTS,
    },
    model: of,
    price: freezePrice(of, 1_000_000n, {}, 0),
    body: [Buffer.from(text)],
    scan: scanOf(endpoint, text),
    settings: SETTINGS,
    ...more,
  });
}

function holdOf(endpoint: ProtocolName, body: unknown, of: Model = model, copies = 1): bigint {
  return boundOf(endpoint, body, of, { copies }).amountNanos;
}

/** What vendors may put around a prompt, and what beside tools. */
const FRAME = 128;
const TOOLS = 1_000;
/** The input tokens that are held for a text of ASCII without escapes. */
const textTokens = (body: unknown): number => JSON.stringify(body).length + FRAME;

/** The input tokens and output tokens that a hold is made of, for a body that asks for one output token. */
const inputTokens = (endpoint: ProtocolName, body: unknown): number =>
  Number(holdOf(endpoint, body) - 10_000n) / 1000;
const outputTokens = (fields: string): number => {
  const body = `{"x":[]${fields === "" ? "" : `,${fields}`}}`;
  const saved = body.includes("\\u006f") ? 3 : 0;
  const input = Math.min(200_000, body.length - saved + FRAME);
  const written = holdOf("chat-completions", body) - BigInt(input) * 1000n;
  return Number(written) / 10_000;
};

describe("the output of a hold", () => {
  it("is the model's maximum where nothing is asked, else the largest value asked", () => {
    expect(outputTokens("")).toBe(8_000);
    expect(outputTokens('"max_tokens":null')).toBe(8_000);
    expect(outputTokens('"max_tokens":100')).toBe(100);
    expect(outputTokens('"max_tokens":100,"max_completion_tokens":700')).toBe(700);
    expect(outputTokens('"max_tokens":900000')).toBe(8_000);
  });

  it("is not lowered by duplicates, escaped keys or values that are no count", () => {
    expect(outputTokens('"max_tokens":700,"max_tokens":1')).toBe(700);
    expect(outputTokens('"max_tokens":1,"max_t\\u006fkens":700')).toBe(700);
    for (const odd of ['"7"', "-1", "0", "1.5", "1e400", "true", "[]", "{}", '""']) {
      expect(outputTokens(`"max_tokens":1,"max_tokens":${odd}`), odd).toBe(8_000);
    }
    expect(outputTokens(`${'"max_tokens":1,'.repeat(3_000)}"max_tokens":1`)).toBe(8_000);
  });

  it("is one token of messages at a limit of 0, which only fills the vendor's cache, and has no limit below it", () => {
    const held = (limit: number): number =>
      boundOf("messages", { x: [], max_tokens: limit }).usage.statedOutputTokens;
    expect([1, 0, -0, -1].map(held)).toEqual([1, 1, 1, 8_000]);
    expect(boundOf("responses", { x: [], max_output_tokens: 0 }).usage.statedOutputTokens).toBe(8_000);
  });

  it("counts every answer asked for, whatever a vendor may make of the number", () => {
    expect(outputTokens('"max_tokens":10,"n":3')).toBe(30);
    expect(outputTokens('"max_tokens":10,"n":null')).toBe(10);
    expect(outputTokens('"max_tokens":10,"n":2,"n":1')).toBe(20);
    expect(outputTokens('"max_tokens":10,"n":1000')).toBe(10_000);
    expect(outputTokens('"max_tokens":10,"n":1000000000')).toBe(10_000_000_000);
    expect(outputTokens('"max_tokens":10,"n":"3000"')).toBe(30_000);
    expect(outputTokens('"max_tokens":10,"n":200.5')).toBe(2_010);
    for (const odd of ['"x"', "0", "-5", "{}", "true"])
      expect(outputTokens(`"max_tokens":10,"n":${odd}`), odd).toBe(1_280);
    // More than any balance, so nobody is served them.
    for (const huge of ["1e30", "1e400"])
      expect(outputTokens(`"max_tokens":10,"n":${huge}`), huge).toBeGreaterThan(1e15);
  });
});

describe("the input of a hold", () => {
  const png = `data:image/png;base64,${"A".repeat(100_000)}`;
  const chat = (part: unknown): unknown => ({ messages: [{ role: "user", content: [part] }], max_tokens: 1 });
  const messages = (part: unknown): unknown => chat(part);

  it("is one token for each byte of text and some around it, at most the context", () => {
    const body = { messages: [{ role: "user", content: "x".repeat(1000) }], max_tokens: 1 };
    expect(inputTokens("chat-completions", body)).toBe(textTokens(body));
    expect(inputTokens("chat-completions", { ...body, tools: [] })).toBe(
      textTokens({ ...body, tools: [] }) + TOOLS,
    );
    expect(inputTokens("messages", chat("y".repeat(1_000_000)))).toBe(200_000);
  });

  it("counts as often as the request may be sent, while the answers are counted already", () => {
    const body = { messages: [{ role: "user", content: "x".repeat(1000) }], max_tokens: 1, n: 4 };
    const tokens = BigInt(textTokens(body));
    expect(holdOf("chat-completions", body, model, 4)).toBe(4n * tokens * 1_000n + 4n * 10_000n);
    expect(holdOf("chat-completions", body)).toBe(tokens * 1_000n + 4n * 10_000n);
  });

  it("counts twice, with a summary, where the vendor may summarise the conversation on the way", () => {
    const messages = { messages: [{ role: "user", content: "x".repeat(1000) }], max_tokens: 1 };
    const responses = { input: "x".repeat(1000), max_output_tokens: 1 };
    const managed = (...types: readonly string[]): object => ({
      ...messages,
      context_management: { edits: types.map((type) => ({ type })) },
    });
    const cases: [ProtocolName, object, passes: number][] = [
      ["messages", messages, 1],
      ["messages", managed("clear_tool_uses_20250919"), 1],
      ["messages", managed("clear_tool_uses_20250919", "compact_20260112"), 2],
      ["messages", managed("what_comes_next"), 2],
      ["responses", { ...responses, context_management: [{ type: "compaction" }] }, 2],
    ];
    for (const [endpoint, body, passes] of cases) {
      const input = BigInt(passes * textTokens(body)) * 1_000n;
      const output = BigInt(1 + (passes - 1) * 8_000) * 10_000n;
      expect(holdOf(endpoint, body), JSON.stringify(body)).toBe(input + output);
    }
  });

  it("is the whole context where content is elsewhere or the upstream adds some", () => {
    const cases: [ProtocolName, object][] = [
      ["responses", { previous_response_id: "resp_1" }],
      ["responses", { conversation: { id: "conv_1" } }],
      ["responses", { prompt: { id: "pmpt_1" } }],
      ["responses", { input: [{ content: [{ type: "input_file", file_id: "file-1" }] }] }],
      ["responses", { input: [{ content: [{ type: "input_image", image_url: "https://x/y.png" }] }] }],
      ["responses", { tools: [{ type: "function" }, { type: "web_search" }] }],
      ["responses", { tools: [{ type: "mcp", server_url: "https://x" }] }],
      ["chat-completions", { messages: [{ content: [{ image_url: { url: "http://x" } }] }] }],
      ["chat-completions", { messages: [{ content: [{ input_audio: { data: "AAAA", format: "mp3" } }] }] }],
      [
        "chat-completions",
        { messages: [{ content: [{ file: { file_data: "data:application/pdf;base64,AA" } }] }] },
      ],
      ["chat-completions", { web_search_options: {} }],
      ["messages", { messages: [{ content: [{ source: { type: "url", url: "https://x" } }] }] }],
      [
        "messages",
        {
          messages: [
            { content: [{ source: { type: "base64", media_type: "application/pdf", data: "AA" } }] },
          ],
        },
      ],
      ["messages", { tools: [{ type: "web_search_20250305", name: "web_search" }] }],
      ["messages", { mcp_servers: [{ type: "url" }] }],
      ["messages", { thread: { type: "continue", previous_message_id: "msg_1" } }],
      ["generate-content", { cachedContent: "cachedContents/1" }],
      ["generate-content", { contents: [{ parts: [{ file_data: { file_uri: "gs://x" } }] }] }],
      [
        "generate-content",
        { contents: [{ parts: [{ inlineData: { mimeType: "video/mp4", data: "AA" } }] }] },
      ],
      ["generate-content", { tools: [{ functionDeclarations: [] }, { googleSearch: {} }] }],
    ];
    for (const [endpoint, body] of cases) {
      const limits = { max_tokens: 1, max_output_tokens: 1, generationConfig: { maxOutputTokens: 1 } };
      const tokens = inputTokens(endpoint, { ...body, ...limits });
      expect([200_000, 400_000], JSON.stringify(body)).toContain(tokens);
    }
  });

  it("is the context of every pass where the upstream runs tools, by the calls that the caller allows", () => {
    const passes = (endpoint: ProtocolName, body: object): number => {
      const limits = { max_tokens: 1, max_output_tokens: 1, generationConfig: { maxOutputTokens: 1 } };
      return inputTokens(endpoint, { ...body, ...limits }) / 200_000;
    };
    const search = { type: "web_search_20250305", name: "web_search" };
    const fetch = { type: "web_fetch_20250910", name: "web_fetch" };
    expect(passes("messages", { tools: [search] })).toBe(1 + SETTINGS.holdCalls);
    expect(passes("messages", { tools: [{ ...search, max_uses: 5 }] })).toBe(6);
    expect(
      passes("messages", {
        tools: [
          { ...search, max_uses: 5 },
          { ...fetch, max_uses: 2 },
        ],
      }),
    ).toBe(8);
    expect(passes("messages", { tools: [{ ...search, max_uses: 5 }, fetch] })).toBe(1 + SETTINGS.holdCalls);
    expect(passes("messages", { tools: [{ ...search, max_uses: 5_000 }] })).toBe(SETTINGS.maxPasses);
    expect(passes("responses", { tools: [{ type: "web_search" }], max_tool_calls: 3 })).toBe(4);
    expect(passes("generate-content", { tools: [{ googleSearch: {} }] })).toBe(1 + SETTINGS.holdCalls);
    // What the caller runs ends the response.
    expect(passes("messages", { tools: [{ type: "bash_20250124", name: "bash" }] })).toBe(1);
  });

  it("is the larger limit of a beta that the caller asks for", () => {
    const text = { messages: [{ role: "user", content: "x".repeat(900_000) }], max_tokens: 100_000 };
    const asked = boundOf("messages", text, model, { betas: "context-1m-2025-08-07,output-128k-2025-02-19" });
    expect(asked.amountNanos).toBe(BigInt(textTokens(text)) * 1_000n + 100_000n * 10_000n);
    expect(asked.usage).toMatchObject({ contextTokens: 1_000_000, outputTokens: 128_000 });
    expect(boundOf("messages", text, model, { betas: "tools-2099" })).toEqual(boundOf("messages", text));
  });

  it("is the text alone where names of such fields only stand in schemas or are switched off", () => {
    const body = {
      messages: [],
      max_tokens: 1,
      enable_search: false,
      previous_response_id: null,
      tools: [
        {
          type: "function",
          function: { parameters: { properties: { file_id: { type: "string" }, image_url: {} } } },
        },
      ],
    };
    expect(inputTokens("chat-completions", body)).toBe(textTokens(body) + TOOLS);
  });

  it("takes an image inside the body at the most that vendors count for one, not by its bytes", () => {
    const bodies: [ProtocolName, unknown][] = [
      ["chat-completions", chat({ type: "image_url", image_url: { url: png } })],
      [
        "messages",
        messages({ type: "image", source: { type: "base64", media_type: "image/png", data: png } }),
      ],
      [
        "responses",
        { input: [{ content: [{ type: "input_image", image_url: png }] }], max_output_tokens: 1 },
      ],
      [
        "generate-content",
        {
          contents: [{ parts: [{ inline_data: { mime_type: "image/png", data: png } }] }],
          generationConfig: { maxOutputTokens: 1 },
        },
      ],
    ];
    for (const [endpoint, body] of bodies) {
      const rest = JSON.stringify(body).length - png.length - 2;
      expect(inputTokens(endpoint, body), endpoint).toBe(rest + FRAME + 10_000);
    }
    const stated = { ...model, quirks: { image_tokens: 48_169 } };
    const [endpoint, body] = bodies[0] ?? ["chat-completions", {}];
    expect(holdOf(endpoint, body, stated) - holdOf(endpoint, body)).toBe(38_169_000n);
  });

  it("does not believe that text is an image because it says so somewhere", () => {
    const claims: [ProtocolName, unknown][] = [
      ["messages", chat({ type: "tool_use", input: { image_url: { url: png } } })],
      ["messages", chat({ source: { type: "base64", type2: 1, media_type: "text/plain", data: png } })],
      [
        "messages",
        `{"max_tokens":1,"messages":[{"content":[{"source":{"type":"base64","type":"text","media_type":"image/png","data":"${png}"}}]}]}`,
      ],
      ["chat-completions", { max_tokens: 1, messages: [{ content: "x", image_url: png }] }],
    ];
    for (const [endpoint, body] of claims) {
      expect(inputTokens(endpoint, body), JSON.stringify(body).slice(0, 80)).toBeGreaterThanOrEqual(100_000);
    }
  });

  it("costs the 1h write price only where the body can ask for it", () => {
    const marked = (ttl: string): unknown =>
      messages({ type: "text", cache_control: { type: "ephemeral", ttl } });
    const input = (body: unknown): bigint => holdOf("messages", body) - 10_000n;
    expect(input(marked("5m"))).toBe(BigInt(textTokens(marked("5m"))) * 1000n);
    expect(input(marked("1h"))).toBe(input(marked("5m")) * 2n);
    const escaped = JSON.stringify(marked("1h")).replace("ttl", "tt\\u006c").replace("1h", "\\u0031h");
    // Three bytes are held for each of the two escaped characters.
    expect(input(escaped)).toBe(input(marked("1h")) + 2n * 2n * 2_000n);
  });
});

describe("the hold", () => {
  it("is never below the charge of what a tokenizer counts, in any language, however it is escaped", () => {
    const phrases = [
      "The quick brown fox jumps over the lazy dog. ",
      "人工智能模型的输入和输出都按照词元计费，价格不同。",
      "東京都の天気は明日も晴れるでしょう。",
      "Вот пример текста на русском языке, достаточно длинный. ",
      "이 문장은 한국어로 작성되었습니다. ",
      "مرحبا بالعالم، هذا نص عربي قصير. ",
      "Great job 🎉🚀 thanks 🙏😀 see you ❤️ tomorrow! ",
      "function add(a, b) {\n  return a + b; // sum\n}\n",
      '{"id": 12345, "values": [0.25, 17, 998877], "ok": true}\n',
      "https://example.com/a/b?c=d&e=f%20g ",
      // One token a byte, of letters, letters and digits, marks, and rare scripts.
      ...["gqgqgqgq", "a1b2c3d4", "~^~^~^~^", "Qx7Qx7", "ꀀꀁꀂ", "𓀀𓀁𓀂", "Āāĕ\u0001\u0002"],
    ];
    const content = fc
      .array(fc.constantFrom(...phrases), { minLength: 1, maxLength: 30 })
      .map((parts) => parts.join(""));
    const escaping = fc.boolean();
    fc.assert(
      fc.property(
        fc.array(content, { minLength: 1, maxLength: 4 }),
        escaping,
        fc.nat({ max: 8_000 }),
        (texts, escaped, limit) => {
          const body = {
            messages: texts.map((text) => ({ role: "user", content: text })),
            max_tokens: limit,
          };
          const json = JSON.stringify(body);
          const sent = escaped
            ? json.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
            : json;
          for (const count of [countO200k, countCl100k, countP50k, countR50k]) {
            // Four tokens around each message and three before the response, as chat models frame them.
            const input = texts.reduce((sum, text) => sum + count(text) + 4, 3);
            const usage = { inputUncached: input, outputVisible: limit };
            const cost = chargeOf(freezePrice(model, 1_000_000n, {}, 0), { usage });
            expect(holdOf("chat-completions", sent) >= cost.chargeNanos).toBe(true);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it("refuses a model without a price, or a generating one without limits", () => {
    const refusal = expect.objectContaining({ reason: "model_not_priced" });
    expect(() => freezePrice({ ...model, price: null }, 1n, {}, 0)).toThrow(refusal);
    for (const missing of [{ contextTokens: null }, { maxOutputTokens: null }]) {
      expect(() => holdOf("chat-completions", {}, { ...model, ...missing })).toThrow(refusal);
      expect(() => holdOf("embeddings", {}, { ...model, ...missing })).not.toThrow();
    }
    const inputOnly = { ...model, price: { id: 1n, rates: { input: 1n }, media: {} } };
    expect(() => holdOf("messages", {}, inputOnly)).toThrow(refusal);
  });
});
