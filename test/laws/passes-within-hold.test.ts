import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chargeOf } from "../../src/billing/pricing/charge.ts";
import type { Model } from "../../src/catalog/catalog.ts";
import { NO_DIMENSIONS } from "../../src/catalog/price-table.ts";
import type { ChatProtocol } from "../../src/conversation/protocol-name.ts";
import { PROTOCOLS } from "../../src/protocols/table.ts";
import { estimateMissing } from "../../src/relay/settle/estimate.ts";
import { totalInput, totalOutput } from "../../src/usage/usage.ts";
import { casesOf } from "../support/cases.ts";
import { frozenHold } from "../support/frozen-hold.ts";

/**
 * However many tokens a vendor reports for the passes of its tools: a request pays for as many passes as the calls that it allows can
 * have caused, and one more. `calls-within-hold.test.ts` says the same of the calls.
 */

const MAX_PASSES = 7;
const CONTEXT = 20_000;
const MAX_OUTPUT = 4_000;
const STATED = 50;
const INPUT = 3_000n;
const OUTPUT = 15_000n;
const CALL = 10_000_000n;
const prices = Object.fromEntries(
  ["web_search", "google_search"].map((tool) => [tool, { per: "use" as const, nanos: CALL }]),
);
const model = {
  id: "m",
  contextTokens: CONTEXT,
  maxOutputTokens: MAX_OUTPUT,
  quirks: {},
  price: {
    id: 1n,
    rates: { input: INPUT * 1_000_000n, output: OUTPUT * 1_000_000n },
    media: {},
    dimensions: { ...NO_DIMENSIONS, calls: prices },
  },
} as unknown as Model;

interface Claim {
  readonly input: number;
  readonly output: number;
  /** Undefined = the vendor reports no calls. */
  readonly calls: number | undefined;
}

interface Shape {
  readonly body: object;
  /** Tools that the vendor runs, with the limits that the caller sets. */
  readonly offer: (limits: readonly (number | undefined)[]) => object;
  /** The calls that these limits allow; undefined = unlimited. */
  readonly allowed: (limits: readonly (number | undefined)[]) => number | undefined;
  readonly response: (claim: Claim) => object;
}

const MESSAGES = [{ role: "user", content: "Hello" }];
const unlimited = () => undefined;

const SHAPES: Readonly<Record<ChatProtocol, Shape>> = {
  messages: {
    body: { model: "m", messages: MESSAGES, max_tokens: STATED },
    offer: (limits) => ({
      tools: limits.map((max_uses, at) => ({
        ...(at === 0
          ? { type: "web_search_20250305", name: "web_search" }
          : { type: "web_fetch_20250910", name: "web_fetch" }),
        max_uses,
      })),
    }),
    allowed: (limits) =>
      limits.includes(undefined) ? undefined : limits.reduce<number>((sum, limit) => sum + (limit ?? 0), 0),
    response: ({ input, output, calls: count }) => ({
      type: "message",
      content: [{ type: "text", text: "Hi" }],
      stop_reason: "end_turn",
      usage: {
        input_tokens: input,
        output_tokens: output,
        server_tool_use: count === undefined ? undefined : { web_search_requests: count },
      },
    }),
  },
  responses: {
    body: { model: "m", input: "Hello", max_output_tokens: STATED },
    offer: ([max_tool_calls]) => ({ tools: [{ type: "web_search" }], max_tool_calls }),
    allowed: ([limit]) => limit,
    response: ({ input, output, calls: count }) => ({
      object: "response",
      status: "completed",
      output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Hi" }] }],
      usage: { input_tokens: input, output_tokens: output },
      tool_usage: count === undefined ? undefined : { web_search: { num_requests: count } },
    }),
  },
  "chat-completions": {
    body: { model: "m", messages: MESSAGES, max_tokens: STATED },
    offer: () => ({ web_search_options: {} }),
    allowed: unlimited,
    response: ({ input, output, calls: count }) => ({
      choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
      usage: {
        prompt_tokens: input,
        completion_tokens: output,
        server_tool_use: count === undefined ? undefined : { web_search_requests: count },
      },
    }),
  },
  "generate-content": {
    body: {
      contents: [{ role: "user", parts: [{ text: "Hello" }] }],
      generationConfig: { maxOutputTokens: STATED },
    },
    offer: () => ({ tools: [{ googleSearch: {} }] }),
    allowed: unlimited,
    response: ({ input, output, calls: count = 0 }) => ({
      candidates: [
        {
          content: { role: "model", parts: [{ text: "Hi" }] },
          finishReason: "STOP",
          groundingMetadata: { webSearchQueries: Array.from({ length: Math.min(count, 50) }, String) },
        },
      ],
      usageMetadata: {
        promptTokenCount: input,
        candidatesTokenCount: output,
        totalTokenCount: input + output,
      },
    }),
  },
};

async function settle(name: ChatProtocol, body: object | string, response: object) {
  const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  const { request, price, amountNanos, bound } = frozenHold(name, bytes, model, MAX_PASSES);
  const facts = PROTOCOLS[name].usage.readPlain(response);
  const { usage, calls } = await estimateMissing(request, facts, bound);
  const { chargeNanos } = chargeOf(price, { usage, calls });
  return { usage, amountNanos, chargeNanos };
}

const tokens = fc.oneof(fc.nat({ max: 100 }), fc.nat({ max: 300_000 }), fc.nat({ max: 1_000_000_000 }));
const claims = fc.record({
  input: tokens,
  output: tokens,
  calls: fc.option(fc.oneof(fc.nat({ max: 12 }), fc.nat({ max: 1_000_000_000 })), { nil: undefined }),
});
const limits = fc.array(fc.option(fc.nat({ max: 9 }), { nil: undefined }), { minLength: 1, maxLength: 2 });

describe.each(Object.keys(SHAPES) as ChatProtocol[])("passes that a vendor reports in %s", (name) => {
  const { body, offer, allowed, response } = SHAPES[name];

  it("cost no more than one each for as many calls as the request allows, and one more", async () => {
    await fc.assert(
      fc.asyncProperty(claims, limits, async (claim, set) => {
        const { usage, amountNanos, chargeNanos } = await settle(
          name,
          { ...body, ...offer(set) },
          response(claim),
        );
        const count = allowed(set);
        const passes = Math.min(1 + (count ?? MAX_PASSES), MAX_PASSES);
        expect(totalInput(usage)).toBeLessThanOrEqual(passes * CONTEXT);
        expect(totalOutput(usage)).toBeLessThanOrEqual(passes * MAX_OUTPUT);
        expect(chargeNanos).toBeLessThanOrEqual(
          BigInt(passes * CONTEXT) * INPUT +
            BigInt(passes * MAX_OUTPUT) * OUTPUT +
            BigInt(Math.max(1, count ?? MAX_PASSES)) * CALL,
        );
        // With a limit the hold is all that can be charged, as far as the output was asked for.
        if (count !== undefined && totalOutput(usage) <= STATED)
          expect(chargeNanos).toBeLessThanOrEqual(amountNanos);
      }),
      { numRuns: casesOf(1_000) },
    );
  });
});

describe("a limit of calls", () => {
  const search = { type: "web_search_20250305", name: "web_search" };
  const forged: Claim = { input: 1_000_000_000, output: 2, calls: undefined };
  const chargedPasses = async (name: ChatProtocol, more: object): Promise<number> => {
    const { body, response } = SHAPES[name];
    const { usage } = await settle(name, { ...body, ...more }, response(forged));
    return totalInput(usage) / CONTEXT;
  };

  it.each<[ChatProtocol, passes: number, more: object]>([
    ["messages", 2, { tools: [{ ...search, max_uses: 1 }] }],
    ["messages", 1, { tools: [{ ...search, max_uses: 0 }] }],
    ["messages", MAX_PASSES, { tools: [search] }],
    ["messages", MAX_PASSES, { tools: [{ ...search, max_uses: 5_000 }] }],
    ["messages", MAX_PASSES, { tools: [{ ...search, max_uses: "1" }] }],
    ["messages", MAX_PASSES, { tools: [{ ...search, max_uses: 1 }, { type: "web_fetch_20250910" }] }],
    // That of a tool which the caller runs limits no other.
    ["messages", MAX_PASSES, { tools: [search, { type: "custom", name: "own", max_uses: 1 }] }],
    ["messages", MAX_PASSES, { tools: [{ ...search, max_uses: 1 }], mcp_servers: [{ type: "url" }] }],
    // A file may bring tools, which no limit of another tool covers; one of all tools does.
    ["messages", MAX_PASSES, { tools: [{ ...search, max_uses: 1 }], thread: { previous_message_id: "m" } }],
    ["responses", 2, { tools: [{ type: "web_search" }], max_tool_calls: 1, previous_response_id: "r" }],
    ["responses", 3, { tools: [{ type: "web_search" }, { type: "mcp" }], max_tool_calls: 2 }],
    ["responses", MAX_PASSES, { tools: [{ type: "web_search" }], max_tool_calls: null }],
  ])("of %s bounds forged input to %i passes: %j", async (name, passes, more) => {
    expect(await chargedPasses(name, more)).toBe(passes);
  });

  it("counts once, as the larger, where it is written twice", async () => {
    const tools = '[{"type":"web_search_20250305","max_uses":1,"max_uses":3},{"type":"web_fetch_20250910"}]';
    const written = `{"model":"m","messages":[],"max_tokens":50,"tools":`;
    for (const [json, passes] of [
      [`${written}${tools}}`, MAX_PASSES],
      [`${written}${tools.replace(',{"type":"web_fetch_20250910"}', "")}}`, 4],
    ] as const)
      expect(totalInput((await settle("messages", json, SHAPES.messages.response(forged))).usage), json).toBe(
        passes * CONTEXT,
      );
  });
});
