import { describe, expect, it } from "vitest";
import { bareRequest, target } from "../../../test/support/conversation-arbitraries.ts";
import type { EncodeTarget } from "../../conversation/lower/plan.ts";
import type { ChatRequest, Message, Part, TextPart } from "../../conversation/request.ts";
import type { JsonObject } from "../json.ts";
import type { EncodedRequest, Translation } from "../translation.ts";
import { messages } from "./codec.ts";

const codec = messages.translation as Translation;

describe("messages requests", () => {
  it("always state a limit: the caller's, the model's, or the least there is (rule 39)", () => {
    expect(encode({ limits: { maxOutputTokens: 5 } }).body["max_tokens"]).toBe(5);
    expect(encode({}).body["max_tokens"]).toBe(8192);
    expect(encode({}, { maxOutputTokens: undefined }).body["max_tokens"]).toBe(8192);
    expect(refusal({ model: "m", messages: [] })).toMatchObject({ path: "max_tokens" });
  });

  it("clamp temperature to 1 and say so (rule 39)", () => {
    const { body, losses } = encode({ sampling: { temperature: 1.7 } });
    expect(body["temperature"]).toBe(1);
    expect(losses).toEqual([{ path: "temperature", reason: "weakened" }]);
  });

  it("fold later instructions into the user's turn in place (rule 31)", () => {
    const { body } = encode({
      system: [text("first")],
      messages: [said("user", text("a")), said("system", text("later")), said("assistant", text("b"))],
    });
    expect(body["system"]).toBe("first");
    expect(body["messages"]).toEqual([
      { role: "user", content: [wire("a"), wire("later")] },
      { role: "assistant", content: "b" },
    ]);
  });

  it("begin with the user, merge turns and drop blank texts (rules 32 and 33)", () => {
    const { body } = encode({
      messages: [
        said("assistant", text("hi")),
        said("user", text("a")),
        said("user", text(" \n"), text("b")),
      ],
    });
    expect(body["messages"]).toMatchObject([
      { role: "user" },
      { role: "assistant", content: "hi" },
      { role: "user", content: [wire("a"), wire("b")] },
    ]);
  });

  it("put results first in the order of the calls, made up as errors where they are missing (rules 23 and 24)", () => {
    const { body } = encode({
      messages: [
        said("assistant", call("one"), call("two"), call("three")),
        said("user", result("three", "3"), { ...result("one", "1"), isError: true }, text("and?")),
      ],
    });
    expect((body["messages"] as JsonObject[]).at(-1)).toEqual({
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "one", content: "1", is_error: true },
        { type: "tool_result", tool_use_id: "two", content: "The tool gave no result.", is_error: true },
        { type: "tool_result", tool_use_id: "three", content: "3" },
        wire("and?"),
      ],
    });
  });

  it("rewrite ids that they do not take, on call and result alike (rule 21)", () => {
    const odd = "call:1/é";
    const { body } = encode({ messages: [said("assistant", call(odd)), said("user", result(odd, "1"))] });
    const [, turn, response] = body["messages"] as { content: JsonObject[] }[];
    const id = turn?.content[0]?.["id"];
    expect(id).toMatch(/^[a-zA-Z0-9_-]+$/);
    expect(response?.content[0]?.["tool_use_id"]).toBe(id);
  });

  it("parse arguments into an object; none are {}, broken ones a loss (rule 14)", () => {
    const { body, losses } = encode({
      messages: [
        said("assistant", call("a", ""), call("b", '{"x":1}'), call("c", '{"x":')),
        said("user", result("a", ""), result("b", "1"), result("c", "2")),
      ],
    });
    const [, turn, response] = body["messages"] as { content: JsonObject[] }[];
    expect(turn?.content.map(({ input }) => input)).toEqual([{}, { x: 1 }, {}]);
    expect(response?.content[0]).toEqual({ type: "tool_result", tool_use_id: "a" });
    expect(losses).toEqual([{ path: "messages", reason: "weakened" }]);
  });

  it("keep cache marks with their lifetime on system, parts, tools and results", () => {
    const hour = { cache_control: { type: "ephemeral", ttl: "1h" } };
    const short = { cache_control: { type: "ephemeral" } };
    const { body } = encode({
      system: [{ ...text("s"), cache: { ttl: "1h" } }],
      messages: [said("user", { ...text("a"), cache: { ttl: "5m" } })],
      tools: [{ kind: "function", name: "f", strict: false, cache: { ttl: "1h" } }],
    });
    expect(body["system"]).toEqual([{ ...wire("s"), ...hour }]);
    expect(body["messages"]).toEqual([{ role: "user", content: [{ ...wire("a"), ...short }] }]);
    expect(body["tools"]).toEqual([{ name: "f", input_schema: { type: "object", properties: {} }, ...hour }]);
    expect(
      refusal({ ...SMALL, system: [{ ...wire("s"), cache_control: { type: "ephemeral", ttl: "2h" } }] }),
    ).toMatchObject({ path: "system[0].cache_control.ttl" });
  });

  it("say at most one call where they say the choice (rule 26)", () => {
    const tools = [{ kind: "function", name: "f", strict: false } as const];
    expect(encode({ tools, parallelToolCalls: false }).body["tool_choice"]).toEqual({
      type: "auto",
      disable_parallel_tool_use: true,
    });
    const forced = encode({ tools, parallelToolCalls: false, toolChoice: { kind: "required" } });
    expect(forced.body["tool_choice"]).toEqual({ type: "any", disable_parallel_tool_use: true });
    const read = codec.decodeRequest({
      ...SMALL,
      tool_choice: { type: "tool", name: "f", disable_parallel_tool_use: true },
    });
    expect(read).toMatchObject({
      value: { toolChoice: { kind: "tool", name: "f" }, parallelToolCalls: false },
    });
  });

  it("think by budget, adaptively or by effort, as the model does (rule 38)", () => {
    const wish = { enabled: true, effort: "high" } as const;
    const limits = { maxOutputTokens: 40_000 };
    expect(encode({ reasoning: wish, limits }).body["thinking"]).toEqual({
      type: "enabled",
      budget_tokens: 24_576,
    });
    const adaptive = encode({ reasoning: wish }, { quirks: { thinking: "adaptive" } }).body;
    expect(adaptive).toMatchObject({ thinking: { type: "adaptive" }, output_config: { effort: "high" } });
    const effort = encode({ reasoning: wish }, { quirks: { thinking: "effort" } }).body;
    expect(effort["thinking"]).toBeUndefined();
    expect(effort["output_config"]).toEqual({ effort: "high" });
    expect(encode({ reasoning: { enabled: false } }).body["thinking"]).toEqual({ type: "disabled" });
  });

  it("do without thinking where the limit leaves no room, a call is forced, or the turn has no thought (rules 26, 36, 38)", () => {
    const reasoning = { enabled: true, budgetTokens: 2000 } as const;
    const tools = [{ kind: "function", name: "f", strict: false } as const];
    const cases: readonly Partial<ChatRequest>[] = [
      { reasoning, limits: { maxOutputTokens: 1024 } },
      { reasoning, tools, toolChoice: { kind: "required" } },
      {
        reasoning,
        messages: [said("user", text("q")), said("assistant", call("a")), said("user", result("a", "1"))],
      },
    ];
    for (const request of cases) {
      const { body, losses } = encode(request);
      expect(body["thinking"]).toBeUndefined();
      expect(losses).toEqual([{ path: "reasoning", reason: "weakened" }]);
    }
    const signed = {
      kind: "reasoning",
      text: "",
      opaque: { origin: { protocol: "messages" }, value: "sig" },
    } as const;
    const { body } = encode({
      reasoning,
      messages: [
        said("user", text("q")),
        said("assistant", signed, call("a")),
        said("user", result("a", "1")),
      ],
    });
    expect(body["thinking"]).toEqual({ type: "enabled", budget_tokens: 2000 });
    expect((body["messages"] as { content: unknown[] }[])[1]?.content[0]).toEqual({
      type: "thinking",
      thinking: "",
      signature: "sig",
    });
  });

  it("leave out the sampling that a thinking model refuses", () => {
    const { body, losses } = encode({
      reasoning: { enabled: true, budgetTokens: 2000 },
      sampling: { temperature: 0.2, topK: 5, topP: 0.5 },
    });
    expect([body["temperature"], body["top_k"], body["top_p"]]).toEqual([undefined, undefined, undefined]);
    expect(losses.map(({ path }) => path).toSorted()).toEqual(["temperature", "topK", "topP"]);
  });

  it("give a signature back byte for byte to the same vendor and to no other (rule 36)", () => {
    const turn = { role: "assistant", content: [{ type: "thinking", thinking: "t", signature: "sig+/=" }] };
    const decoded = codec.decodeRequest({ ...SMALL, messages: [...SMALL.messages, turn] });
    if (!("value" in decoded)) throw decoded.refused;
    expect(JSON.stringify(encode(decoded.value).body)).toContain('"sig+/="');
    const issued = {
      origin: { protocol: "messages", upstream: "elsewhere", model: "m" },
      value: "sig",
    } as const;
    const other = encode({
      messages: [
        said("user", text("q")),
        said("assistant", { kind: "reasoning", text: "t", opaque: issued }, text("a")),
      ],
    });
    expect(JSON.stringify(other.body)).not.toContain("thinking");
    expect(other.losses).toEqual([{ path: "reasoningState", reason: "other-issuer" }]);
  });

  it("ask for a schema in its field, closed and without bounds, or by a forced tool (rule 40)", () => {
    const schema = { type: "object", properties: { n: { type: "integer", minimum: 1 } }, required: ["n"] };
    const responseFormat = { kind: "schema", name: "numbers", schema } as const;
    const { body, losses } = encode({ responseFormat });
    expect(body["output_config"]).toEqual({
      format: {
        type: "json_schema",
        schema: { ...schema, properties: { n: { type: "integer" } }, additionalProperties: false },
      },
    });
    expect(losses).toEqual([{ path: "responseFormat", reason: "weakened" }]);
    const forced = encode({ responseFormat }, { quirks: { structuredOutput: "tool" } });
    expect(forced.body["output_config"]).toBeUndefined();
    expect(forced.body["tool_choice"]).toEqual({ type: "tool", name: "numbers" });
  });

  it("ask in words for answers of schemas that the vendor does not compile, and say so", () => {
    const closed = (properties: object) => ({ type: "object", properties, additionalProperties: false });
    const maybe = { type: ["string", "null"] };
    const many = Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`p${at}`, maybe]));
    const ofNames = { type: "object", additionalProperties: { type: "number" } };
    const schemas = [closed({ next: { $ref: "#" } }), closed({ sums: ofNames }), closed(many)];
    for (const schema of schemas) {
      const { body, losses } = encode({ responseFormat: { kind: "schema", schema } });
      expect(body["output_config"]).toBeUndefined();
      expect(JSON.stringify(body["system"])).toContain(JSON.stringify(JSON.stringify(schema)).slice(1, -1));
      expect(losses).toEqual([{ path: "responseFormat", reason: "weakened" }]);
    }
    const known = { ...closed({ n: { type: "integer" } }), additionalProperties: { type: "string" } };
    const { body, losses } = encode({ responseFormat: { kind: "schema", schema: known } });
    expect(body["output_config"]).toMatchObject({ format: { schema: { additionalProperties: false } } });
    expect(losses).toEqual([{ path: "responseFormat", reason: "weakened" }]);
  });

  it("say of every failed result that it failed, which the vendor refuses to hear without words", () => {
    const png = { from: "base64", data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB" } as const;
    const nothing = [
      [],
      [{ kind: "text", text: "" }],
      [{ kind: "media", media: "image", source: png }],
    ] as const;
    for (const parts of nothing) {
      const call = { kind: "tool-call", id: "a", name: "f", arguments: "{}" } as const;
      const result = { kind: "tool-result", callId: "a", parts, isError: true } as const;
      const { body } = encode({ messages: [said("user"), said("assistant", call), said("user", result)] });
      expect((body["messages"] as { content: unknown }[]).at(-1)?.content).toEqual([
        { type: "tool_result", tool_use_id: "a", content: "The tool failed.", is_error: true },
      ]);
    }
  });

  it("show what the assistant made in the user's turn, the only one that shows anything", () => {
    const made = { kind: "media", media: "image", source: { from: "url", url: "https://e.com/a" } } as const;
    const text = { kind: "text", text: "Bigger." } as const;
    const { body, losses } = encode({
      messages: [said("user", text), said("assistant", made), said("user", text)],
    });
    expect(body["messages"]).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "Bigger." },
          { type: "text", text: "Shown by the assistant:" },
          { type: "image", source: { type: "url", url: "https://e.com/a" } },
          { type: "text", text: "Bigger." },
        ],
      },
    ]);
    expect(losses).toEqual([]);
  });

  it("hold strict tools to what the vendor takes of their schemas, and leave others as they are", () => {
    const parameters = {
      type: "object",
      properties: { n: { type: "integer", minimum: 1, description: "How many" } },
      required: ["n"],
      additionalProperties: false,
    };
    const named = (name: string, strict: boolean) =>
      ({ kind: "function", name, parameters, strict }) as const;
    const { body, losses } = encode({ tools: [named("f", true), named("g", false)] });
    const unbound = { ...parameters, properties: { n: { type: "integer", description: "How many" } } };
    expect(body["tools"]).toEqual([
      { name: "f", input_schema: unbound, strict: true },
      { name: "g", input_schema: parameters },
    ]);
    expect(losses).toEqual([{ path: "tools", reason: "weakened" }]);
  });

  it("take images and documents in their four shapes, and refuse what has none (rule 35)", () => {
    const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB";
    const block = (part: Part): unknown =>
      (encode({ messages: [said("user", part)] }).body["messages"] as { content: unknown[] }[])[0]
        ?.content[0];
    expect(block({ kind: "media", media: "image", source: { from: "base64", data: png } })).toEqual({
      type: "image",
      source: { type: "base64", media_type: "image/png", data: png },
    });
    expect(block({ kind: "media", media: "image", source: { from: "url", url: "https://e.com/a" } })).toEqual(
      {
        type: "image",
        source: { type: "url", url: "https://e.com/a" },
      },
    );
    const notes = { from: "base64", data: Buffer.from("notes").toString("base64") } as const;
    expect(
      block({ kind: "media", media: "document", source: notes, mimeType: "text/markdown", name: "n" }),
    ).toEqual({
      type: "document",
      source: { type: "text", media_type: "text/plain", data: "notes" },
      title: "n",
    });
    const audio = { kind: "media", media: "audio", source: notes, mimeType: "audio/wav" } as const;
    expect(
      codec.encodeRequest(neutral({ messages: [said("user", audio)] }), target("messages")),
    ).toMatchObject({
      refused: { path: "media" },
    });
  });

  it("know the vendor's own tools: its servers' as hints, the caller's as meaning (rule 29)", () => {
    const decoded = codec.decodeRequest({
      ...SMALL,
      tools: [
        { type: "web_search_20250305", name: "web_search" },
        { type: "bash_20250124", name: "bash" },
      ],
      mcp_servers: [{ url: "https://x" }],
      compaction: { type: "summarize" },
      service_tier: "auto",
    });
    expect(decoded).toMatchObject({
      value: {
        tools: [
          { kind: "hosted", name: "web_search", ifUnsupported: "drop", path: "tools[0]" },
          { kind: "hosted", name: "bash", ifUnsupported: "refuse" },
        ],
        foreign: [
          { path: "mcp_servers", ifUnsupported: "refuse" },
          { path: "compaction", ifUnsupported: "refuse" },
          { path: "service_tier", ifUnsupported: "drop" },
        ],
      },
    });
  });
});

const SMALL = { model: "m", max_tokens: 9, messages: [{ role: "user", content: "q" }] };

function neutral(request: Partial<ChatRequest>): ChatRequest {
  return bareRequest({ messages: [said("user", text("q"))], ...request });
}

function encode(request: Partial<ChatRequest>, more: Partial<EncodeTarget> = {}): EncodedRequest {
  const encoded = codec.encodeRequest(neutral(request), target("messages", more));
  if (!("value" in encoded)) throw encoded.refused;
  return encoded.value;
}

function refusal(body: unknown): unknown {
  const decoded = codec.decodeRequest(body);
  return "refused" in decoded ? decoded.refused : undefined;
}

function said(role: Message["role"], ...parts: readonly Part[]): Message {
  return { role, parts };
}

function text(value: string): TextPart {
  return { kind: "text", text: value };
}

function wire(value: string): JsonObject {
  return { type: "text", text: value };
}

function call(id: string, args = "{}") {
  return { kind: "tool-call", id, name: "f", arguments: args } as const;
}

function result(callId: string, value: string) {
  return { kind: "tool-result", callId, parts: [text(value)] } as const;
}
