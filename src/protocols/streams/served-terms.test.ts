import { describe, expect, it } from "vitest";
import { CHAT_PROTOCOLS, type ChatProtocol } from "../../conversation/protocol-name.ts";
import type { ServiceTerms } from "../../usage/service-terms.ts";
import { PROTOCOLS } from "../table.ts";

interface Shape {
  /** A whole response in which the vendor says this. */
  response(terms: object): object;
  /** The events of the same one. */
  events(terms: object): readonly object[];
}

const CHOICE = { index: 0, finish_reason: "stop" };
const CHAT_USAGE = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 };
const USAGE = { input_tokens: 9, output_tokens: 2 };
const OUTPUT = [
  { type: "message", id: "m", role: "assistant", content: [{ type: "output_text", text: "Hi" }] },
];

/**
 * Written from the vendors' references: OpenAI's `service_tier` of chat.completion(.chunk) and of a response, Anthropic's
 * `usage` of a message and of `message_start`, Google's `usageMetadata`.
 */
const SHAPES: Readonly<Record<ChatProtocol, Shape>> = {
  "chat-completions": {
    response: (terms) => ({
      id: "c",
      choices: [{ ...CHOICE, message: { role: "assistant", content: "Hi" } }],
      usage: CHAT_USAGE,
      ...terms,
    }),
    events: (terms) => [
      { id: "c", choices: [{ index: 0, delta: { role: "assistant", content: "Hi" } }], ...terms },
      { id: "c", choices: [{ ...CHOICE, delta: {} }], ...terms },
      { id: "c", choices: [], usage: CHAT_USAGE, ...terms },
    ],
  },
  responses: {
    response: (terms) => ({ id: "r", status: "completed", output: OUTPUT, usage: USAGE, ...terms }),
    events: (terms) => [
      {
        type: "response.created",
        response: { id: "r", status: "in_progress", output: [], service_tier: "auto" },
      },
      { type: "response.output_text.delta", delta: "Hi" },
      {
        type: "response.completed",
        response: { id: "r", status: "completed", output: OUTPUT, usage: USAGE, ...terms },
      },
    ],
  },
  messages: {
    response: (terms) => ({
      id: "m",
      type: "message",
      content: [{ type: "text", text: "Hi" }],
      stop_reason: "end_turn",
      usage: { ...USAGE, ...terms },
    }),
    events: (terms) => [
      { type: "message_start", message: { id: "m", content: [], usage: { ...USAGE, ...terms } } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } },
      { type: "message_stop" },
    ],
  },
  "generate-content": {
    response: (terms) => ({
      candidates: [{ content: { parts: [{ text: "Hi" }] }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 2, ...terms },
    }),
    events: (terms) => [
      {
        candidates: [{ content: { parts: [{ text: "Hi" }] } }],
        usageMetadata: { promptTokenCount: 9, ...terms },
      },
      {
        candidates: [{ content: { parts: [] }, finishReason: "STOP" }],
        usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 2, ...terms },
      },
    ],
  },
};

const TIERS: readonly (readonly [said: object, read: ServiceTerms | undefined])[] = [
  [{ service_tier: "priority" }, { tier: "priority" }],
  [{ service_tier: "FLEX" }, { tier: "flex" }],
  [{ service_tier: "default" }, { tier: "standard" }],
  [{ service_tier: "on_demand" }, { tier: "standard" }],
  [{ service_tier: "provisioned" }, { tier: "standard" }],
  [{ service_tier: "auto" }, undefined],
  [{ service_tier: null }, undefined],
  [{ service_tier: 7 }, undefined],
  [{ service_tier: "a word, \u0000 or two" }, undefined],
  [{ service_tier: "x".repeat(61) }, undefined],
  [{}, undefined],
];

const CASES: Readonly<Record<ChatProtocol, typeof TIERS>> = {
  "chat-completions": TIERS,
  responses: TIERS,
  messages: [
    ...TIERS,
    [
      { service_tier: "standard", speed: "fast", inference_geo: "us" },
      { tier: "standard", speed: "fast", region: "us" },
    ],
    [
      { inference_geo: "not_available", speed: "standard" },
      { region: "standard", speed: "standard" },
    ],
    [{ inference_geo: "global" }, { region: "standard" }],
  ],
  "generate-content": [
    [{ trafficType: "ON_DEMAND" }, { tier: "standard" }],
    [{ trafficType: "ON_DEMAND_PRIORITY" }, { tier: "priority" }],
    [{ trafficType: "ON_DEMAND_FLEX" }, { tier: "flex" }],
    [{ trafficType: "PROVISIONED_THROUGHPUT" }, { tier: "standard" }],
    [{ trafficType: "TRAFFIC_TYPE_UNSPECIFIED" }, { tier: "standard" }],
    [{ serviceTier: "priority" }, { tier: "priority" }],
    [{ serviceTier: "SERVICE_TIER_FLEX" }, { tier: "flex" }],
    [{}, undefined],
  ],
};

describe.each(CHAT_PROTOCOLS)("how a vendor says that it served a request, in %s", (protocol) => {
  const { usage } = PROTOCOLS[protocol];
  const shape = SHAPES[protocol];

  it.each(CASES[protocol])("is read of %j, whole and streamed", (said, read) => {
    expect(usage.readPlain(shape.response(said)).served).toEqual(read);
    const meter = usage.openStream(1);
    for (const event of shape.events(said)) meter.write(Buffer.from(`data: ${JSON.stringify(event)}\n\n`));
    meter.end();
    expect(meter.summary().served).toEqual(read);
    expect(meter.summary().usage?.tokens).toMatchObject({ inputUncached: 9, outputVisible: 2 });
  });
});
