import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { casesOf } from "../../../test/support/cases.ts";
import { ConverseEvents } from "./converse-events.ts";
import { writeConverse } from "./converse-request.ts";
import { readConverse } from "./converse-response.ts";
import { MalformedResponse } from "./malformed-response.ts";

const NAMES = { id: "msg_1", model: "us.amazon.nova-lite-v1:0" };
const NOVA = "us.amazon.nova-2-lite-v1:0";

type Json = Record<string, unknown>;

function written(more: Json, model = NAMES.model) {
  return writeConverse(
    { model, max_tokens: 50, messages: [{ role: "user", content: "Hi" }], ...more },
    model,
  );
}

function content(...blocks: Json[]): unknown {
  const { body } = written({ messages: [{ role: "user", content: blocks }] });
  return (body["messages"] as Json[])[0]?.["content"];
}

const MARK = { cache_control: { type: "ephemeral" } };

describe("a request to Converse", () => {
  it("holds instructions, limits and the words", () => {
    const asked = { system: "Be brief.", temperature: 0.5, top_p: 0.9, stop_sequences: ["END"] };
    expect(written(asked)).toEqual({
      body: {
        messages: [{ role: "user", content: [{ text: "Hi" }] }],
        system: [{ text: "Be brief." }],
        inferenceConfig: { maxTokens: 50, temperature: 0.5, topP: 0.9, stopSequences: ["END"] },
      },
      losses: [],
    });
  });

  it.each<[name: string, block: Json, as: Json]>([
    ["words", { type: "text", text: "a" }, { text: "a" }],
    [
      "an image",
      { type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } },
      { image: { format: "png", source: { bytes: "AA==" } } },
    ],
    [
      "a document",
      {
        type: "document",
        title: "Plan_A.pdf",
        source: { type: "base64", media_type: "application/pdf", data: "AA==" },
      },
      { document: { format: "pdf", name: "Plan A pdf", source: { bytes: "AA==" } } },
    ],
    [
      "a text as a document",
      { type: "document", source: { type: "text", media_type: "text/plain", data: "a" } },
      { document: { format: "txt", name: "document 0-0", source: { bytes: "YQ==" } } },
    ],
    [
      "a call",
      { type: "tool_use", id: "t1", name: "f", input: { a: 1 } },
      { toolUse: { toolUseId: "t1", name: "f", input: { a: 1 } } },
    ],
    [
      "a failed result",
      { type: "tool_result", tool_use_id: "t1", content: "no", is_error: true },
      { toolResult: { toolUseId: "t1", content: [{ text: "no" }], status: "error" } },
    ],
    [
      "a signed thought",
      { type: "thinking", thinking: "hm", signature: "s" },
      { reasoningContent: { reasoningText: { text: "hm", signature: "s" } } },
    ],
    [
      "a hidden thought",
      { type: "redacted_thinking", data: "x" },
      { reasoningContent: { redactedContent: "x" } },
    ],
  ])("holds %s, and the cache's mark behind it", (_name, block, as) => {
    expect(content(block)).toEqual([as]);
    expect(content(Object.assign({}, block, MARK))).toEqual([as, { cachePoint: { type: "default" } }]);
  });

  it("holds tools with their marks, and which may be called", () => {
    const tool = {
      name: "f",
      description: "",
      input_schema: { type: "object" },
      cache_control: { ttl: "1h" },
    };
    const { body, losses } = written({
      tools: [tool],
      tool_choice: { type: "tool", name: "f", disable_parallel_tool_use: true },
    });
    expect(body["toolConfig"]).toEqual({
      tools: [
        { toolSpec: { name: "f", inputSchema: { json: { type: "object" } } } },
        { cachePoint: { type: "default", ttl: "1h" } },
      ],
      toolChoice: { tool: { name: "f" } },
    });
    expect(losses).toEqual([{ path: "tool_choice.disable_parallel_tool_use", reason: "no-slot" }]);
  });

  it("offers no tools where none may be called", () => {
    const none = { tools: [{ name: "f", input_schema: {} }], tool_choice: { type: "none" } };
    expect(written(none).body["toolConfig"]).toBeUndefined();
  });

  it.each<[model: string, fields: Json, lost: string[]]>([
    [
      NOVA,
      { inferenceConfig: { topK: 5 }, reasoningConfig: { type: "enabled", maxReasoningEffort: "medium" } },
      ["thinking"],
    ],
    ["us.amazon.nova-pro-v1:0", { inferenceConfig: { topK: 5 } }, ["thinking"]],
    ["cohere.command-r-v1:0", { k: 5 }, ["thinking"]],
    ["mistral.mistral-large-2407-v1:0", { top_k: 5 }, ["thinking"]],
  ])("states to %s what is the model's own in the model's words", (model, fields, lost) => {
    const { body, losses } = written(
      { top_k: 5, thinking: { type: "enabled", budget_tokens: 30_000 } },
      model,
    );
    expect(body["additionalModelRequestFields"]).toEqual(fields);
    expect(losses.map(({ path }) => path)).toEqual(lost);
  });

  it("names hints and betas that have no place", () => {
    const { body, losses } = written({ metadata: { user_id: "u" }, anthropic_beta: ["x-2026"] });
    expect(JSON.stringify(body)).not.toMatch(/user_id|x-2026/);
    expect(losses.map(({ path }) => path)).toEqual(["metadata", "anthropic-beta:x-2026"]);
  });

  it.each<[path: string, more: Json]>([
    ["mcp_servers", { mcp_servers: [] }],
    ["tools[0]", { tools: [{ type: "web_search_20250305", name: "web_search" }] }],
    [
      "messages[0].content[0]",
      {
        messages: [{ role: "user", content: [{ type: "image", source: { type: "url", url: "https://a" } }] }],
      },
    ],
    ["messages[0].content[0]", { messages: [{ role: "user", content: [{ type: "search_result" }] }] }],
    [
      "tool_choice",
      {
        tools: [{ name: "f", input_schema: {} }],
        tool_choice: { type: "none" },
        messages: [{ role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input: {} }] }],
      },
    ],
  ])("is refused where its meaning has no place, by the field: %s", (path, more) => {
    expect(() => written(more)).toThrow(expect.objectContaining({ reason: "invalid_request", param: path }));
  });
});

const text = fc.string({ minLength: 1, maxLength: 8 });
const block = fc.oneof(
  fc.record({ text }),
  fc.record({
    toolUse: fc.record({ toolUseId: text, name: text, input: fc.dictionary(text, text, { maxKeys: 2 }) }),
  }),
  fc.record({ reasoningContent: fc.record({ reasoningText: fc.record({ text, signature: text }) }) }),
  fc.record({ reasoningContent: fc.record({ redactedContent: text }) }),
);
const stop = fc.constantFrom(
  "end_turn",
  "tool_use",
  "max_tokens",
  "stop_sequence",
  "guardrail_intervened",
  "content_filtered",
  "malformed_tool_use",
);
const USAGE = {
  inputTokens: 7,
  outputTokens: 5,
  totalTokens: 42,
  cacheReadInputTokens: 10,
  cacheWriteInputTokens: 20,
  cacheDetails: [
    { ttl: "5m", inputTokens: 15 },
    { ttl: "1h", inputTokens: 5 },
  ],
};

/** The same response as a stream. */
function streamOf(blocks: readonly Json[], stopReason: string): string {
  const events = new ConverseEvents(NAMES);
  let out = "";
  const send = (type: string, payload: Json): void => {
    const headers = new Map([
      [":message-type", "event"],
      [":event-type", type],
    ]);
    out += events.read({ headers, payload: Buffer.from(JSON.stringify(payload)) })?.toString("utf8") ?? "";
  };
  send("messageStart", { role: "assistant" });
  for (const [contentBlockIndex, each] of blocks.entries()) {
    const delta = (value: Json): void => send("contentBlockDelta", { delta: value, contentBlockIndex });
    const { text: words, toolUse: call, reasoningContent: thought } = each as Record<string, Json>;
    if (call !== undefined) {
      const { input, ...start } = call;
      send("contentBlockStart", { start: { toolUse: start }, contentBlockIndex });
      for (const input_ of JSON.stringify(input).match(/.{1,3}/gsu) ?? [])
        delta({ toolUse: { input: input_ } });
    } else if (thought?.["redactedContent"] !== undefined) delta({ reasoningContent: thought });
    else if (thought !== undefined) {
      const shown = thought["reasoningText"] as Json;
      delta({ reasoningContent: { text: shown["text"] } });
      delta({ reasoningContent: { signature: shown["signature"] } });
    } else delta({ text: words });
    send("contentBlockStop", { contentBlockIndex });
  }
  send("messageStop", { stopReason });
  send("metadata", { usage: USAGE });
  return out;
}

/** The message that a client of the events puts together. */
function assembled(stream: string): Json {
  const blocks: Json[] = [];
  let message: Json = {};
  let json = "";
  for (const [, data = ""] of stream.matchAll(/^data: (.*)$/gm)) {
    const event = JSON.parse(data) as Json;
    const last = blocks.at(-1) ?? {};
    const delta = (event["delta"] ?? {}) as Record<string, string>;
    if (event["type"] === "message_start") message = event["message"] as Json;
    if (event["type"] === "content_block_start") {
      expect(event["index"]).toBe(blocks.length);
      blocks.push(event["content_block"] as Json);
      json = "";
    }
    if (event["type"] === "content_block_delta") {
      for (const name of ["text", "thinking", "signature"])
        if (delta[name] !== undefined) last[name] = String(last[name]) + delta[name];
      json += delta["partial_json"] ?? "";
    }
    if (event["type"] === "content_block_stop" && json !== "") last["input"] = JSON.parse(json);
    if (event["type"] === "message_delta") Object.assign(message, delta, { usage: event["usage"] });
  }
  return Object.assign(message, { content: blocks });
}

describe("a response of Converse", () => {
  it("is the same message plain and streamed, whatever it holds", () => {
    fc.assert(
      fc.property(fc.array(block, { maxLength: 4 }), stop, (blocks, stopReason) => {
        const message = { role: "assistant", content: blocks };
        const plain = readConverse({ output: { message }, stopReason, usage: USAGE }, NAMES);
        expect(assembled(streamOf(blocks, stopReason))).toEqual(plain);
      }),
      { numRuns: casesOf(200) },
    );
  });

  it("tells its counts in disjoint buckets", () => {
    const message = { content: [{ text: "a" }] };
    const { usage } = readConverse({ output: { message }, stopReason: "end_turn", usage: USAGE }, NAMES);
    expect(usage).toEqual({
      input_tokens: 7,
      output_tokens: 5,
      cache_read_input_tokens: 10,
      cache_creation_input_tokens: 20,
      cache_creation: { ephemeral_5m_input_tokens: 15, ephemeral_1h_input_tokens: 5 },
    });
  });

  it("is not read where a block of it is unknown, as that would be lost", () => {
    const message = { content: [{ video: {} }] };
    expect(() => readConverse({ output: { message } }, NAMES)).toThrow(MalformedResponse);
    expect(() => readConverse({ output: { message } }, NAMES)).toThrow(/unknown: video$/);
  });

  it("tells of unknown blocks a few plain names alone", () => {
    const names = ["{oops", "x".repeat(1_000_000), ...Array.from({ length: 100_000 }, (_, at) => `f${at}`)];
    const message = { content: [Object.fromEntries(names.map((name) => [name, {}]))] };
    expect(() => readConverse({ output: { message } }, NAMES)).toThrow(
      /unknown: a field with another name, a field with another name, f0, f1, f2 and others$/,
    );
  });

  it("tells of a failure within a stream as the error event of Claude's vendor", () => {
    const headers = new Map([
      [":message-type", "exception"],
      [":exception-type", "throttlingException"],
    ]);
    const event = new ConverseEvents(NAMES).read({
      headers,
      payload: Buffer.from('{"message":"Slow down."}'),
    });
    expect(event?.toString("utf8")).toContain('"rate_limit_error","message":"Slow down."');
  });
});
