import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createBodyScan } from "../../src/base/json/json-scan.ts";
import { chargeOf } from "../../src/billing/pricing/charge.ts";
import { freezePrice } from "../../src/billing/pricing/frozen-price.ts";
import { estimateMaxCost } from "../../src/billing/pricing/max-cost.ts";
import type { Catalog } from "../../src/catalog/catalog.ts";
import type { ChatProtocol } from "../../src/conversation/protocol-name.ts";
import { readFeatures } from "../../src/protocols/body-features.ts";
import { PROTOCOLS } from "../../src/protocols/table.ts";
import { priceOptions } from "../../src/relay/admit/priced-options.ts";
import { watchOf } from "../../src/relay/admit/watch.ts";
import { isEmpty } from "../../src/relay/settle/empty-response.ts";
import { estimateMissing } from "../../src/relay/settle/estimate.ts";
import type { TextRequest } from "../../src/relay/text-request.ts";
import { modelWithCalls } from "../support/frozen-hold.ts";

/**
 * What a vendor states of its tools is what is charged, also where it is nothing; only where it states nothing does the offer
 * decide: a field that has the vendor search counts once, a tool that the model may call not at all.
 */

const EACH = 1_000n;
const MOST = 50;
const TOOLS = [
  ...["web_search", "x_search", "file_search", "code_container", "attachment_search", "image_generation"],
  ...["google_search", "google_maps", "live_search"],
];
const model = modelWithCalls(
  Object.fromEntries(TOOLS.map((tool) => [tool, { per: "use" as const, nanos: EACH }])),
);

const BODIES: Readonly<Record<ChatProtocol, object>> = {
  "chat-completions": { model: "m", messages: [{ role: "user", content: "Hello" }] },
  responses: { model: "m", input: "Hello" },
  messages: { model: "m", max_tokens: 50, messages: [{ role: "user", content: "Hello" }] },
  "generate-content": { contents: [{ role: "user", parts: [{ text: "Hello" }] }] },
};

const RESPONSES: Readonly<Record<ChatProtocol, (usage: object) => object>> = {
  "chat-completions": (usage) => ({
    choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 5, completion_tokens: 2, ...usage },
  }),
  responses: ({ tool_usage, ...usage }: { tool_usage?: object }) => ({
    object: "response",
    status: "completed",
    output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Hi" }] }],
    usage: { input_tokens: 5, output_tokens: 2, ...usage },
    tool_usage,
  }),
  messages: (usage) => ({
    type: "message",
    content: [{ type: "text", text: "Hi" }],
    stop_reason: "end_turn",
    usage: { input_tokens: 5, output_tokens: 2, ...usage },
  }),
  "generate-content": () => ({
    candidates: [{ content: { parts: [{ text: "Hi" }] }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2, totalTokenCount: 7 },
  }),
};

const typed = (type: string) => ({ tools: [{ type, name: "t" }] });
const xai = (field: string) => (count: number) => ({ server_side_tool_usage_details: { [field]: count } });
const serverToolUse = (count: number) => ({ server_tool_use: { web_search_requests: count } });
const OPENROUTER = typed("openrouter:web_search");
const ofOpenRouter = (count: number) => ({ server_tool_use_details: { web_search_requests: count } });
const ofAlibaba = (count: number) => ({ x_tools: { web_search: { count } } });
const PLUGIN = { plugins: [{ id: "web" }] };

/** Each spelling of a count that a vendor has, and what has offered its tool. */
const SPELLINGS: readonly (readonly [ChatProtocol, offer: object, state: (count: number) => object])[] = [
  ["messages", typed("web_search_20250305"), serverToolUse],
  ["messages", PLUGIN, serverToolUse],
  ["responses", PLUGIN, serverToolUse],
  ["chat-completions", PLUGIN, serverToolUse],
  ["chat-completions", { enable_search: true }, (count) => ({ plugins: { search: { count } } })],
  ["chat-completions", { web_search_options: {} }, (count) => ({ num_search_queries: count })],
  ["responses", typed("web_search"), (count) => ({ tool_usage: { web_search: { num_requests: count } } })],
  ...(["chat-completions", "responses"] as const).flatMap((name) =>
    (
      [
        ["web_search", "web_search_calls"],
        ["x_search", "x_search_calls"],
        ["code_interpreter", "code_interpreter_calls"],
        ["file_search", "file_search_calls"],
        ["attachment_search", "document_search_calls"],
        ["image_generation", "image_generation_calls"],
      ] as const
    ).map(([tool, field]) => [name, typed(tool), xai(field)] as const),
  ),
  ...(["chat-completions", "responses"] as const).flatMap((name) => [
    [name, OPENROUTER, ofOpenRouter] as const,
    [name, typed("web_search"), ofAlibaba] as const,
  ]),
  ["messages", OPENROUTER, serverToolUse],
  ["messages", OPENROUTER, ofOpenRouter],
  ["chat-completions", { enable_search: true }, ofAlibaba],
  [
    "responses",
    typed("web_search"),
    (invocation) => ({ tool_calls_details: { web_search: { invocation } } }),
  ],
  ["chat-completions", PLUGIN, xai("web_search_calls")],
  ["chat-completions", { web_search_options: {} }, xai("web_search_calls")],
];

const read = (name: ChatProtocol, body: object) => {
  const bytes = Buffer.from(JSON.stringify(body));
  const scanner = createBodyScan(watchOf(name));
  scanner.write(bytes);
  return { body: [bytes], scan: scanner.end() };
};

/** The calls that a response is charged for. */
async function charged(name: ChatProtocol, offer: object, response: object): Promise<bigint> {
  const protocol = PROTOCOLS[name];
  const { body, scan } = read(name, { ...BODIES[name], ...offer });
  const request = {
    model: "m",
    protocol,
    body,
    scan,
    headers: {},
    caller: { group: "g" },
  } as unknown as TextRequest;
  const catalog = { serving: () => [{ protocols: [name], models: new Map() }] } as unknown as Catalog;
  const price = freezePrice(
    model,
    1_000_000n,
    priceOptions(request, catalog, model, () => false),
    0,
  );
  const { usage: bound } = estimateMaxCost({
    forward: protocol.forward,
    model,
    price,
    body,
    scan,
    settings: { maxPasses: MOST, holdCalls: 1 },
  });
  const facts = protocol.usage.readPlain(response);
  const { usage, calls } = await estimateMissing(request, facts, bound);
  const charge = chargeOf(price, { usage, calls });
  expect(charge.unpriced).toEqual([]);
  expect(charge.lines.every((line) => line.kind === "tokens" || line.count > 0)).toBe(true);
  return charge.chargeNanos / EACH;
}

describe("calls that a vendor states", () => {
  it.each(SPELLINGS)(
    "are those that are charged, none where it states none, of %s: %j",
    async (name, offer, state) => {
      await fc.assert(
        fc.asyncProperty(fc.oneof(fc.constant(0), fc.nat({ max: MOST })), async (count) => {
          expect(await charged(name, offer, RESPONSES[name](state(count)))).toBe(BigInt(count));
        }),
      );
    },
  );

  it("count once where one response states them in two ways", async () => {
    const twice = { ...serverToolUse(3), ...xai("web_search_calls")(3) };
    expect(await charged("chat-completions", PLUGIN, RESPONSES["chat-completions"](twice))).toBe(3n);
    const either = { ...serverToolUse(0), ...xai("web_search_calls")(2) };
    expect(await charged("chat-completions", PLUGIN, RESPONSES["chat-completions"](either))).toBe(2n);
  });

  it.each<[bigint, ChatProtocol, object]>([
    [1n, "chat-completions", { web_search_options: {} }],
    [1n, "chat-completions", { enable_search: true }],
    [1n, "chat-completions", { search_parameters: {} }],
    [1n, "chat-completions", PLUGIN],
    [1n, "responses", PLUGIN],
    [1n, "messages", PLUGIN],
    // An unknown vendor has no place in chats for what ran; the others count, or list it.
    [1n, "chat-completions", typed("web_search")],
    [0n, "responses", typed("web_search")],
    [0n, "messages", typed("web_search_20250305")],
    [0n, "generate-content", { tools: [{ googleSearch: {} }] }],
  ])("are %s where it states nothing of what was offered, of %s: %j", async (calls, name, offer) => {
    expect(await charged(name, offer, RESPONSES[name]({}))).toBe(calls);
  });

  it("of 0 do not make an empty response one that a tool worked for", () => {
    const usage = { prompt_tokens: 5, completion_tokens: 0, ...serverToolUse(0) };
    const message = { role: "assistant", content: "" };
    const choices = [{ index: 0, message, finish_reason: "stop" }];
    const facts = PROTOCOLS["chat-completions"].usage.readPlain({ choices, usage });
    const request = read("chat-completions", { ...BODIES["chat-completions"], ...PLUGIN });
    expect(isEmpty(request as unknown as TextRequest, facts)).toBe(true);
  });
});

describe("plugins", () => {
  const PAYING = [
    [{ id: "web" }],
    [{ id: "file-parser" }, { id: "web" }],
    [{ id: "of tomorrow" }],
    [{}],
    ["web"],
  ];
  const FREE = [
    ...["file-parser", "response-healing", "context-compression", "moderation", "auto-router"].map((id) => [
      { id },
    ]),
    [{ id: "web", enabled: false }],
    [
      { id: "of tomorrow", enabled: false },
      { id: "response-healing", enabled: true },
    ],
    [],
  ];
  const twice = '[{"id":"response-healing","id":"web"}]';

  it.each(["chat-completions", "responses", "messages"] as const)(
    "are charged where one of them searches or may, of %s",
    async (name) => {
      for (const plugins of PAYING)
        expect([plugins, await charged(name, { plugins }, RESPONSES[name]({}))]).toEqual([plugins, 1n]);
      for (const plugins of FREE)
        expect([plugins, await charged(name, { plugins }, RESPONSES[name]({}))]).toEqual([plugins, 0n]);
    },
  );

  it("count as what they cost most where a name stands twice", () => {
    const scanner = createBodyScan(watchOf("chat-completions"));
    scanner.write(Buffer.from(`{"plugins":${twice}}`));
    const { hostedFields } = readFeatures(PROTOCOLS["chat-completions"].forward.hold, scanner.end());
    expect(hostedFields).toEqual(["plugins"]);
  });
});
