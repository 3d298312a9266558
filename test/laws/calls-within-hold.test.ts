import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { callsHeld } from "../../src/billing/pricing/calls-held.ts";
import { chargeOf } from "../../src/billing/pricing/charge.ts";
import type { ChatProtocol } from "../../src/conversation/protocol-name.ts";
import { PROTOCOLS } from "../../src/protocols/table.ts";
import { estimateMissing } from "../../src/relay/settle/estimate.ts";
import { frozenHold, modelWithCalls } from "../support/frozen-hold.ts";

/** However often a vendor says that its tools ran, a request pays for as many calls as it allows, and for none that it does not. */

const EACH = 1_000n;
const MAX_PASSES = 7;
const calls = Object.fromEntries(
  ["web_search", "google_search", "file_search"].map((tool) => [tool, { per: "use" as const, nanos: EACH }]),
);
const model = modelWithCalls(calls);

interface Shape {
  readonly body: object;
  /** The tool as it is offered, with the limit that the caller sets. */
  readonly offer: (limit: number | undefined) => object;
  readonly limits: boolean;
  readonly response: (count: number) => object;
}

const said = { role: "assistant", content: "Hi" };
const message = { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hi" }] };
const chat = (usage: object) => ({
  choices: [{ index: 0, message: said, finish_reason: "stop" }],
  usage: { prompt_tokens: 5, completion_tokens: 2, ...usage },
});
const response = (more: object) => ({
  object: "response",
  status: "completed",
  output: [message],
  usage: { input_tokens: 5, output_tokens: 2 },
  ...more,
});
const MESSAGES = [{ role: "user", content: "Hello" }];
const CHAT = {
  body: { model: "m", messages: MESSAGES, max_tokens: 50 },
  offer: () => ({ web_search_options: {} }),
  limits: false,
};
const RESPONSES = {
  body: { model: "m", input: "Hello", max_output_tokens: 50 },
  offer: (max_tool_calls: number | undefined) => ({ tools: [{ type: "web_search" }], max_tool_calls }),
  limits: true,
};

const SHAPES: readonly (readonly [name: ChatProtocol, told: string, shape: Shape])[] = [
  [
    "messages",
    "server_tool_use",
    {
      body: { model: "m", messages: MESSAGES, max_tokens: 50 },
      offer: (max_uses) => ({ tools: [{ type: "web_search_20250305", name: "web_search", max_uses }] }),
      limits: true,
      response: (count) => ({
        type: "message",
        content: [{ type: "text", text: "Hi" }],
        stop_reason: "end_turn",
        usage: { input_tokens: 5, output_tokens: 2, server_tool_use: { web_search_requests: count } },
      }),
    },
  ],
  [
    "chat-completions",
    "server_tool_use",
    { ...CHAT, response: (count) => chat({ server_tool_use: { web_search_requests: count } }) },
  ],
  [
    "chat-completions",
    "num_search_queries",
    { ...CHAT, response: (count) => chat({ num_search_queries: count, search_context_size: "low" }) },
  ],
  [
    "responses",
    "tool_usage",
    { ...RESPONSES, response: (count) => response({ tool_usage: { web_search: { num_requests: count } } }) },
  ],
  [
    "responses",
    "items",
    {
      ...RESPONSES,
      response: (count) =>
        response({
          output: [
            message,
            ...Array.from({ length: Math.min(count, 50) }, (_, index) => ({
              type: index % 2 === 0 ? "web_search_call" : "file_search_call",
              id: `call_${index}`,
              status: "completed",
            })),
          ],
        }),
    },
  ],
  [
    "generate-content",
    "queries",
    {
      body: { contents: [{ role: "user", parts: [{ text: "Hello" }] }] },
      offer: () => ({ tools: [{ googleSearch: {} }] }),
      limits: false,
      response: (count) => ({
        candidates: [
          {
            content: { role: "model", parts: [{ text: "Hi" }] },
            finishReason: "STOP",
            groundingMetadata: {
              webSearchQueries: Array.from({ length: Math.min(count, 50) }, (_, index) => `query ${index}`),
            },
          },
        ],
        usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2, totalTokenCount: 7 },
      }),
    },
  ],
];

const count = fc.oneof(fc.nat({ max: 12 }), fc.nat({ max: 2_000_000_000 }));
const limit = fc.option(fc.nat({ max: 9 }), { nil: undefined });

describe.each(SHAPES)("calls that a vendor reports in %s by %s", (name, _, shape) => {
  const charged = async (offered: object, reported: number, runsByDefault = false) => {
    const bytes = Buffer.from(JSON.stringify({ ...shape.body, ...offered }));
    const hold = frozenHold(name, bytes, model, MAX_PASSES, runsByDefault);
    const { request, price, amountNanos, bound } = hold;
    const facts = PROTOCOLS[name].usage.readPlain(shape.response(reported));
    const told = (facts.calls ?? []).reduce((sum, call) => sum + call.count, 0);
    const { usage, calls: kept = [], implausible } = await estimateMissing(request, facts, bound);
    const { chargeNanos } = chargeOf(price, { usage, calls: kept });
    const count = kept.reduce((sum, call) => sum + call.count, 0);
    // What was cut is named, and nothing else.
    const left = implausible.filter(({ field }) => field === "calls");
    expect(left.reduce((sum, each) => sum + each.reported - each.most, 0)).toBe(told - count);
    expect(implausible).toEqual(left);
    return { told, count, chargeNanos, amountNanos, price };
  };

  it("cost nothing where no tool was offered", async () => {
    await fc.assert(
      fc.asyncProperty(count, async (reported) => {
        expect((await charged({}, reported)).chargeNanos).toBe(0n);
      }),
    );
  });

  it("cost as many as the request allows, and no more than is held for them", async () => {
    await fc.assert(
      fc.asyncProperty(count, limit, async (reported, most) => {
        const { count, chargeNanos, amountNanos, price } = await charged(shape.offer(most), reported);
        const allowed = (shape.limits ? most : undefined) ?? MAX_PASSES;
        expect(count).toBeLessThanOrEqual(allowed);
        // A field that turns a search on is one, whatever came of it.
        const atLeast = (price.fees?.length ?? 0) > 0 ? 1 : 0;
        expect(chargeNanos).toBeLessThanOrEqual(callsHeld(price, Math.max(allowed, atLeast)));
        if (shape.limits && most !== undefined) expect(chargeNanos).toBeLessThanOrEqual(amountNanos);
      }),
    );
  });

  it("are within the passes that are charged where the model searches unasked", async () => {
    await fc.assert(
      fc.asyncProperty(count, async (reported) => {
        const { told, count, amountNanos } = await charged({}, reported, true);
        expect(count).toBe(Math.min(told, MAX_PASSES));
        expect(amountNanos).toBe(EACH);
      }),
    );
  });
});
