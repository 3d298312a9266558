import { describe, expect, it } from "vitest";
import { writeFrame } from "../../src/base/sse.ts";
import { chargeOf } from "../../src/billing/pricing/charge.ts";
import { NO_DIMENSIONS, type PriceDimensions } from "../../src/catalog/price-table.ts";
import type { TokenPrices } from "../../src/catalog/token-prices.ts";
import type { ProtocolName } from "../../src/conversation/protocol-name.ts";
import type { ResponseSummary } from "../../src/protocols/protocol.ts";
import { PROTOCOLS } from "../../src/protocols/table.ts";

/**
 * One response for each dimension in which a vendor bills, in the shape of its API reference, with a bill that was computed by
 * hand. Prices are nanos a token here, so that a bill is a sum of products.
 */
interface Bill {
  readonly vendor: string;
  readonly source: string;
  readonly protocol: ProtocolName;
  /** Nanos a token. */
  readonly prices: TokenPrices;
  readonly dimensions?: Partial<PriceDimensions>;
  readonly answer: object;
  /** The same as events of a stream; [] = the vendor does not stream it. */
  readonly events: readonly object[];
  readonly nanos: bigint;
  readonly unpriced?: readonly string[];
}

const TEXT_AND_SOUND: TokenPrices = {
  input: 2_500n,
  cacheRead: 250n,
  output: 10_000n,
  audioInput: 32_000n,
  audioCacheRead: 400n,
  audioOutput: 64_000n,
};

const use = (nanos: bigint) => ({ per: "use" as const, nanos });

/** Chat completions, whole and as one chunk with its usage behind it. */
function chat(usage: object): Pick<Bill, "protocol" | "answer" | "events"> {
  const message = { role: "assistant", content: "Hi" };
  return {
    protocol: "chat-completions",
    answer: { id: "c", choices: [{ index: 0, message, finish_reason: "stop" }], usage },
    events: [
      { id: "c", choices: [{ index: 0, delta: message, finish_reason: "stop" }], usage: null },
      { id: "c", choices: [], usage },
    ],
  };
}

function responses(usage: object, more: object = {}): Pick<Bill, "protocol" | "answer" | "events"> {
  const text = { type: "message", content: [{ type: "output_text", text: "Hi" }] };
  const answer = { id: "r", object: "response", status: "completed", output: [text], usage, ...more };
  return {
    protocol: "responses",
    answer,
    events: [
      { type: "response.created", response: { id: "r", output: [], usage: null } },
      { type: "response.output_text.delta", delta: "Hi" },
      { type: "response.completed", response: answer },
    ],
  };
}

function messages(usage: object): Pick<Bill, "protocol" | "answer" | "events"> {
  const text = { type: "text", text: "Hi" };
  return {
    protocol: "messages",
    answer: { type: "message", id: "m", content: [text], stop_reason: "end_turn", usage },
    events: [
      { type: "message_start", message: { id: "m", content: [], usage: { ...usage, output_tokens: 1 } } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: text },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage },
      { type: "message_stop" },
    ],
  };
}

function gemini(usageMetadata: object, more: object = {}): Pick<Bill, "protocol" | "answer" | "events"> {
  const content = { role: "model", parts: [{ text: "Hi" }] };
  const answer = { candidates: [{ content, finishReason: "STOP", ...more }], usageMetadata };
  return { protocol: "generate-content", answer, events: [answer] };
}

const PLACE = { maps: { uri: "https://maps.example/1", title: "Cafe", placeId: "places/1" } };
const PAGE = { web: { uri: "https://ships.example", title: "Ships" } };

/** What a response is grounded in, and how many queries of each tool it is billed for. */
const GROUNDED: readonly (readonly [
  what: string,
  grounding: object,
  calls: { readonly search: number; readonly maps: number },
])[] = [
  [
    "queries of Maps",
    { groundingChunks: [PLACE], webSearchQueries: ["cafes", "", "museums", "cafes"] },
    { search: 0, maps: 2 },
  ],
  ["Maps without its queries", { groundingChunks: [PLACE, PLACE] }, { search: 0, maps: 1 }],
  ["Maps by its widget", { googleMapsWidgetContextToken: "widgetcontent/1" }, { search: 0, maps: 1 }],
  [
    "the web and Maps together",
    { groundingChunks: [PLACE, PAGE], webSearchQueries: ["cafes", "ships"] },
    { search: 2, maps: 1 },
  ],
  [
    "queries of the web and of images",
    {
      groundingChunks: [PAGE],
      webSearchQueries: ["ships", "fog"],
      imageSearchQueries: ["ships", "", "ships"],
    },
    { search: 3, maps: 0 },
  ],
  [
    "images and Maps together",
    { groundingChunks: [PLACE], webSearchQueries: ["ships"], imageSearchQueries: ["ships"] },
    { search: 2, maps: 1 },
  ],
];

const BILLS: readonly Bill[] = [
  {
    vendor: "OpenAI, sound in and out",
    source: "https://developers.openai.com/api/reference/resources/chat/subresources/completions",
    prices: TEXT_AND_SOUND,
    ...chat({
      prompt_tokens: 1_200,
      completion_tokens: 1_000,
      total_tokens: 2_200,
      prompt_tokens_details: { audio_tokens: 700, cached_tokens: 300 },
      completion_tokens_details: { audio_tokens: 950, reasoning_tokens: 0 },
    }),
    // 200 text, 300 cached text, 700 heard; 50 written, 950 spoken.
    nanos: 200n * 2_500n + 300n * 250n + 700n * 32_000n + 50n * 10_000n + 950n * 64_000n,
  },
  {
    vendor: "OpenAI, cached sound told apart",
    source: "https://developers.openai.com/api/reference/resources/realtime (usage of a response)",
    prices: TEXT_AND_SOUND,
    ...chat({
      prompt_tokens: 511,
      completion_tokens: 148,
      prompt_tokens_details: {
        text_tokens: 119,
        audio_tokens: 264,
        cached_tokens: 384,
        cached_tokens_details: { text_tokens: 128, audio_tokens: 256 },
      },
      completion_tokens_details: { text_tokens: 36, audio_tokens: 112 },
    }),
    // 511 = 119 text + 8 heard + 128 cached text + 256 cached sound.
    nanos: 119n * 2_500n + 8n * 32_000n + 128n * 250n + 256n * 400n + 36n * 10_000n + 112n * 64_000n,
  },
  {
    vendor: "OpenAI, cache writes for 30 minutes and 12 hours",
    source: "https://developers.openai.com/api/reference/resources/responses (input_tokens_details)",
    prices: { input: 2_000n, cacheRead: 200n, cacheWrite30m: 2_500n, cacheWrite12h: 5_000n, output: 8_000n },
    ...responses({
      input_tokens: 10_000,
      input_tokens_details: {
        cached_tokens: 1_000,
        cache_write_tokens: 8_000,
        cache_write_tokens_details: { ttl_30m_tokens: 3_000, ttl_12h_tokens: 5_000 },
      },
      output_tokens: 20,
      output_tokens_details: { reasoning_tokens: 5 },
      total_tokens: 10_020,
    }),
    nanos: 1_000n * 2_000n + 1_000n * 200n + 3_000n * 2_500n + 5_000n * 5_000n + 20n * 8_000n,
  },
  {
    vendor: "OpenAI, seven billable searches among more items",
    source: "https://developers.openai.com/api/docs/guides/tools-web-search",
    prices: { input: 1n, output: 1n },
    dimensions: { calls: { web_search: use(10_000_000n) } },
    ...responses(
      { input_tokens: 9, output_tokens: 1 },
      {
        tool_usage: { web_search: { num_requests: 7 }, image_gen: { input_tokens: 0, output_tokens: 0 } },
        output: ["ws_1", "ws_2"].map((id) => ({
          type: "web_search_call",
          id,
          status: "completed",
          action: { type: "search", query: "x" },
        })),
      },
    ),
    nanos: 10n + 7n * 10_000_000n,
  },
  {
    vendor:
      "OpenAI, items where no count is stated: searches, not the pages that were opened; a container once",
    source: "https://developers.openai.com/api/docs/pricing#built-in-tools",
    prices: { input: 1n, output: 1n },
    dimensions: {
      calls: { web_search: use(10_000_000n), file_search: use(2_500_000n), code_container: use(30_000_000n) },
    },
    ...responses(
      { input_tokens: 9, output_tokens: 1 },
      {
        output: [
          { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search" } },
          { type: "web_search_call", id: "ws_2", status: "completed", action: { type: "open_page" } },
          { type: "web_search_call", id: "ws_3", status: "failed", action: { type: "search" } },
          { type: "file_search_call", id: "fs_1", status: "completed", queries: ["x"] },
          { type: "code_interpreter_call", id: "ci_1", container_id: "cntr_1", code: "1" },
          { type: "code_interpreter_call", id: "ci_2", container_id: "cntr_1", code: "2" },
        ],
      },
    ),
    nanos: 10n + 10_000_000n + 2_500_000n + 30_000_000n,
  },
  {
    vendor: "Anthropic, cache writes for an hour and searches",
    source: "https://platform.claude.com/docs/en/build-with-claude/prompt-caching",
    prices: { input: 5_000n, cacheRead: 500n, cacheWrite: 6_250n, cacheWrite1h: 10_000n, output: 25_000n },
    dimensions: { calls: { web_search: use(10_000_000n) } },
    ...messages({
      input_tokens: 50,
      cache_read_input_tokens: 1_800,
      cache_creation_input_tokens: 248,
      cache_creation: { ephemeral_5m_input_tokens: 148, ephemeral_1h_input_tokens: 100 },
      output_tokens: 503,
      server_tool_use: { web_search_requests: 3, web_fetch_requests: 2 },
      service_tier: "standard",
    }),
    nanos: 50n * 5_000n + 1_800n * 500n + 148n * 6_250n + 100n * 10_000n + 503n * 25_000n + 3n * 10_000_000n,
  },
  {
    vendor: "Google, an image among the words",
    source: "https://ai.google.dev/api/generate-content#UsageMetadata",
    prices: { input: 2_000n, output: 12_000n, imageOutput: 120_000n },
    ...gemini({
      promptTokenCount: 20,
      candidatesTokenCount: 1_300,
      totalTokenCount: 1_320,
      promptTokensDetails: [{ modality: "TEXT", tokenCount: 20 }],
      candidatesTokensDetails: [
        { modality: "IMAGE", tokenCount: 1_290 },
        { modality: "TEXT", tokenCount: 10 },
      ],
    }),
    nanos: 20n * 2_000n + 10n * 12_000n + 1_290n * 120_000n,
  },
  {
    vendor: "Google, sound and film, some of it cached",
    source: "https://ai.google.dev/api/generate-content#UsageMetadata",
    prices: { input: 300n, cacheRead: 30n, output: 2_500n, audioInput: 1_000n, audioCacheRead: 100n },
    ...gemini({
      promptTokenCount: 5_000,
      cachedContentTokenCount: 3_000,
      candidatesTokenCount: 100,
      thoughtsTokenCount: 50,
      totalTokenCount: 5_150,
      promptTokensDetails: [
        { modality: "TEXT", tokenCount: 500 },
        { modality: "VIDEO", tokenCount: 2_500 },
        { modality: "AUDIO", tokenCount: 2_000 },
      ],
      cacheTokensDetails: [
        { modality: "VIDEO", tokenCount: 2_000 },
        { modality: "AUDIO", tokenCount: 1_000 },
      ],
    }),
    // Film has no price of its own and costs as text: 500 + 500 at 300, 2,000 cached at 30.
    nanos: 1_000n * 300n + 2_000n * 30n + 1_000n * 1_000n + 1_000n * 100n + 150n * 2_500n,
  },
  {
    vendor: "Google, a query each",
    source: "https://ai.google.dev/gemini-api/docs/google-search#pricing",
    prices: { input: 1n, output: 1n },
    dimensions: { calls: { google_search: use(14_000_000n) } },
    ...gemini(
      { promptTokenCount: 9, candidatesTokenCount: 1, totalTokenCount: 10 },
      { groundingMetadata: { webSearchQueries: ["", "ships", "fog", "ships"] } },
    ),
    nanos: 10n + 2n * 14_000_000n,
  },
  {
    vendor: "Google, once for a request that searches",
    source: "https://ai.google.dev/gemini-api/docs/pricing",
    prices: { input: 1n, output: 1n },
    dimensions: { calls: { google_search: { per: "request", nanos: 35_000_000n } } },
    ...gemini(
      { promptTokenCount: 9, candidatesTokenCount: 1, totalTokenCount: 10 },
      { groundingMetadata: { webSearchQueries: ["ships", "fog"] } },
    ),
    nanos: 10n + 35_000_000n,
  },
  ...GROUNDED.map(
    ([what, grounding, calls]): Bill => ({
      vendor: `Google, ${what}`,
      source: "https://cloud.google.com/vertex-ai/generative-ai/pricing",
      prices: { input: 1n, output: 1n },
      dimensions: { calls: { google_search: use(14_000_000n), google_maps: use(15_000_000n) } },
      ...gemini(
        { promptTokenCount: 9, candidatesTokenCount: 1, totalTokenCount: 10 },
        { groundingMetadata: grounding },
      ),
      // Sources may come before their queries, each once.
      events: [
        ...Object.entries(grounding).map(([field, value]) => ({
          candidates: [{ groundingMetadata: { [field]: value } }],
        })),
        ...gemini({ promptTokenCount: 9, candidatesTokenCount: 1, totalTokenCount: 10 }).events,
      ],
      nanos: 10n + BigInt(calls.search) * 14_000_000n + BigInt(calls.maps) * 15_000_000n,
    }),
  ),
  {
    vendor: "Google, Maps once for a request",
    source: "https://ai.google.dev/gemini-api/docs/pricing",
    prices: { input: 1n, output: 1n },
    dimensions: { calls: { google_maps: { per: "request", nanos: 25_000_000n } } },
    ...gemini(
      { promptTokenCount: 9, candidatesTokenCount: 1, totalTokenCount: 10 },
      { groundingMetadata: { groundingChunks: [PLACE], webSearchQueries: ["cafes", "museums"] } },
    ),
    nanos: 10n + 25_000_000n,
  },
  {
    vendor: "xAI, tools that ran",
    source: "https://docs.x.ai/developers/tools/tool-usage-details",
    prices: { input: 1n, output: 1n },
    dimensions: { calls: { web_search: use(5_000_000n), x_search: use(4_000_000n) } },
    ...responses(
      {
        input_tokens: 9,
        output_tokens: 1,
        num_server_side_tools_used: 3,
        server_side_tool_usage_details: { web_search_calls: 2, x_search_calls: 1, mcp_calls: 4 },
      },
      { output: [{ type: "web_search_call", id: "ws_1", status: "completed" }] },
    ),
    nanos: 10n + 2n * 5_000_000n + 4_000_000n,
  },
  {
    vendor: "Perplexity, a search of a size for each request",
    source: "https://docs.perplexity.ai/docs/getting-started/pricing",
    prices: { input: 1_000n, output: 1_000n },
    dimensions: {
      calls: {
        web_search: { per: "use", sizes: { low: 5_000_000n, medium: 8_000_000n, high: 12_000_000n } },
      },
    },
    ...chat({ prompt_tokens: 14, completion_tokens: 6, total_tokens: 20, search_context_size: "low" }),
    nanos: 20n * 1_000n + 5_000_000n,
  },
  {
    vendor: "Perplexity, deep research: what it cites and its reasoning are beside prompt and completion",
    source: "https://docs.perplexity.ai/docs/getting-started/pricing",
    prices: { input: 2_000n, output: 8_000n, reasoning: 3_000n },
    dimensions: { calls: { web_search: use(5_000_000n) } },
    ...chat({
      prompt_tokens: 33,
      completion_tokens: 7_163,
      total_tokens: 7_196,
      citation_tokens: 19_028,
      reasoning_tokens: 73_268,
      num_search_queries: 18,
    }),
    nanos: (33n + 19_028n) * 2_000n + 7_163n * 8_000n + 73_268n * 3_000n + 18n * 5_000_000n,
  },
  {
    vendor: "Alibaba, read from a cache that the caller has made",
    source: "https://www.alibabacloud.com/help/en/model-studio/context-cache",
    prices: { input: 1_000n, cacheRead: 200n, cacheReadExplicit: 100n, cacheWrite: 1_250n, output: 4_000n },
    ...chat({
      prompt_tokens: 2_000,
      completion_tokens: 10,
      total_tokens: 2_010,
      prompt_tokens_details: {
        cached_tokens: 1_200,
        cache_creation: { ephemeral_5m_input_tokens: 300 },
        cache_creation_input_tokens: 300,
        cache_type: "ephemeral",
      },
    }),
    nanos: 500n * 1_000n + 1_200n * 100n + 300n * 1_250n + 10n * 4_000n,
  },
  {
    vendor: "Cohere, a search",
    source: "https://docs.cohere.com/v2/reference/rerank",
    protocol: "rerank",
    prices: { input: 0n },
    dimensions: { units: { search: 2_000_000n } },
    answer: {
      id: "k",
      results: [{ index: 0, relevance_score: 0.9 }],
      meta: { api_version: { version: "2" }, billed_units: { search_units: 3 } },
    },
    events: [],
    nanos: 3n * 2_000_000n,
  },
  {
    vendor: "Google, an image that is embedded",
    source: "https://ai.google.dev/gemini-api/docs/embeddings",
    protocol: "embeddings",
    prices: { input: 200n, imageInput: 450n },
    answer: {
      embeddings: [{ values: [0.5] }],
      usageMetadata: {
        promptTokenCount: 300,
        promptTokensDetails: [
          { modality: "TEXT", tokenCount: 42 },
          { modality: "IMAGE", tokenCount: 258 },
        ],
      },
    },
    events: [],
    nanos: 42n * 200n + 258n * 450n,
  },
  {
    vendor: "a tool and sound that nobody has priced, at the highest price of their kind",
    source: "docs/decisions/2026-11-27-price-tables.md",
    prices: { input: 2n, cacheWrite: 3n, output: 5n },
    dimensions: { calls: { file_search: use(70n) } },
    ...chat({
      prompt_tokens: 10,
      completion_tokens: 1,
      prompt_tokens_details: { audio_tokens: 4 },
      server_tool_use: { web_search_requests: 2 },
    }),
    nanos: 6n * 2n + 4n * 3n + 5n + 2n * 70n,
    unpriced: ["audio_input", "call web_search"],
  },
];

function facts({ protocol, answer }: Bill): ResponseSummary {
  return PROTOCOLS[protocol].usage.readPlain(answer);
}

function streamed({ protocol, events }: Bill, open: "openStream" | "openEvents"): ResponseSummary {
  const meter = PROTOCOLS[protocol].usage[open]();
  for (const event of events) {
    const name = (event as { readonly type?: string }).type;
    const lines = name === undefined ? "" : `event: ${name}\n`;
    meter.write(Buffer.from(`${lines}${writeFrame(JSON.stringify(event))}`));
  }
  meter.end();
  return meter.summary();
}

function charged({ prices, dimensions }: Bill, { usage, calls, units, served }: ResponseSummary) {
  const rates = Object.fromEntries(Object.entries(prices).map(([name, nanos]) => [name, nanos * 1_000_000n]));
  const frozen = {
    priceId: 1n,
    rates,
    factorPpm: 1_000_000n,
    dimensions: { ...NO_DIMENSIONS, ...dimensions },
  };
  expect(usage?.hostile).toEqual([]);
  return chargeOf(frozen, { usage: usage?.tokens ?? {}, calls, units, ...(served && { served }) });
}

describe("the bill of", () => {
  it.each(BILLS)("$vendor, is the vendor's to the nano, plain and streamed", (bill) => {
    const plain = charged(bill, facts(bill));
    expect({ nanos: plain.chargeNanos, unpriced: plain.unpriced }).toEqual({
      nanos: bill.nanos,
      unpriced: bill.unpriced ?? [],
    });
    if (bill.events.length === 0) return;
    expect(charged(bill, streamed(bill, "openStream"))).toEqual(plain);
    expect(charged(bill, streamed(bill, "openEvents"))).toEqual(plain);
  });
});

describe("calls of a stream that breaks off", () => {
  const search = { type: "web_search_call", status: "completed", action: { type: "search" } };
  const item = (id: string, index: number) => ({
    type: "response.output_item.done",
    output_index: index,
    item: { ...search, id },
  });

  it("are those that have come", () => {
    const bill = {
      protocol: "responses" as const,
      events: [
        { type: "response.created", response: { id: "r", output: [] } },
        { type: "response.output_text.delta", delta: "Hi" },
        item("ws_1", 0),
        item("ws_2", 1),
        item("ws_2", 1),
      ],
    } as unknown as Bill;
    for (const open of ["openStream", "openEvents"] as const)
      expect(streamed(bill, open).calls).toEqual([{ tool: "web_search", count: 2 }]);
    const blocks = {
      protocol: "messages" as const,
      events: [
        { type: "message_start", message: { id: "m", content: [], usage: { input_tokens: 5 } } },
        {
          type: "content_block_start",
          index: 0,
          content_block: { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
        },
      ],
    } as unknown as Bill;
    for (const open of ["openStream", "openEvents"] as const)
      expect(streamed(blocks, open).calls).toEqual([{ tool: "web_search", count: 1 }]);
  });
});
