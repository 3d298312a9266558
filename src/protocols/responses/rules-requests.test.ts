import { describe, expect, it } from "vitest";
import { bareRequest, frame, target } from "../../../test/support/conversation-arbitraries.ts";
import type { Quirks } from "../../conversation/lower/quirks.ts";
import type { ChatRequest, Message } from "../../conversation/request.ts";
import { chatCompletions } from "../chat-completions/codec.ts";
import type { Translation } from "../translation.ts";
import { responses } from "./codec.ts";

const codec = responses.translation as Translation;
const chats = chatCompletions.translation as Translation;
const USER: Message = { role: "user", parts: [{ kind: "text", text: "Hi" }] };
const BASE = bareRequest({ protocol: "messages", includeUsage: true, messages: [USER] });

describe("requests to responses", () => {
  it("raises a limit below 16 and says so (rule 39)", () => {
    const { body, losses } = encode({ limits: { maxOutputTokens: 1 } });
    expect(body["max_output_tokens"]).toBe(16);
    expect(losses).toEqual([{ path: "maxOutputTokens", reason: "weakened" }]);
  });

  it("says strict: false, which the protocol would take for true (rule 27)", () => {
    const tool = { kind: "function", name: "f", strict: false } as const;
    const schema = { kind: "schema", schema: { type: "object" } } as const;
    const { body } = encode({ tools: [tool], responseFormat: schema });
    expect(body["tools"]).toEqual([
      { type: "function", name: "f", parameters: { type: "object", properties: {} }, strict: false },
    ]);
    expect(body["text"]).toMatchObject({ format: { type: "json_schema", name: "answer", strict: false } });
  });

  it("keeps stop sequences to itself and cuts the answer (rule 39)", () => {
    const { body, plan: made } = encode({ limits: { stop: ["END"] } });
    expect(JSON.stringify(body)).not.toContain("END");
    expect(made.stops).toEqual(["END"]);
  });

  it("shortens call ids alike on call and result (rule 21)", () => {
    const id = "x".repeat(80);
    const { body } = encode({ messages: [USER, called(id), answered(id)] });
    const [, call, result] = body["input"] as { call_id: string }[];
    expect(call?.call_id.length).toBeLessThanOrEqual(64);
    expect(result?.call_id).toBe(call?.call_id);
  });

  it("makes up a missing result as an error, and tells errors as incomplete (rules 23 and 24)", () => {
    const { body } = encode({ messages: [USER, called("a"), USER] });
    expect(body["input"]).toMatchObject([
      {},
      { type: "function_call", call_id: "a", arguments: "{}" },
      { type: "function_call_output", call_id: "a", status: "incomplete" },
      {},
    ]);
  });

  it("keeps images in tool results (rule 25) and writes each kind of media in its shape (rule 35)", () => {
    const image = {
      kind: "media",
      media: "image",
      source: { from: "base64", data: "iVBORw0KGgo=" },
    } as const;
    const file = {
      kind: "media",
      media: "document",
      source: { from: "base64", data: "JVBERi0=" },
      name: "a.pdf",
    } as const;
    const link = {
      kind: "media",
      media: "document",
      source: { from: "url", url: "https://x.y/a.pdf" },
    } as const;
    const result: Message = { role: "user", parts: [{ kind: "tool-result", callId: "a", parts: [image] }] };
    const { body } = encode({ messages: [{ role: "user", parts: [file, link] }, called("a"), result] });
    expect(body["input"]).toMatchObject([
      {
        content: [
          { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" },
          { type: "input_file", file_url: "https://x.y/a.pdf" },
        ],
      },
      {},
      { output: [{ type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=", detail: "auto" }] },
    ]);
  });

  it("sends no reasoning item alone (rule 36)", () => {
    const opaque = { origin: target("responses").origin, value: '{"id":"rs_1","encrypted_content":"e"}' };
    const thought = { kind: "reasoning", text: "", opaque } as const;
    const said = { kind: "text", text: "Hello" } as const;
    const whole = encode({ messages: [USER, { role: "assistant", parts: [thought, said] }, USER] });
    expect(whole.body["input"]).toMatchObject([
      {},
      { type: "reasoning", id: "rs_1", encrypted_content: "e", summary: [] },
      { role: "assistant", content: "Hello" },
      {},
    ]);
    const lone = encode({ messages: [USER, { role: "assistant", parts: [said, thought] }, USER] });
    expect(JSON.stringify(lone.body)).not.toContain("rs_1");
    expect(lone.losses).toEqual([{ path: "reasoningState", reason: "no-slot" }]);
  });

  it("asks for encrypted thoughts only of models that think, and for no storage", () => {
    const include = ["reasoning.encrypted_content"];
    expect(encode({}).body).not.toHaveProperty("include");
    expect(encode({}).body["store"]).toBe(false);
    expect(encode({ reasoning: { enabled: true, effort: "low" } }).body["include"]).toEqual(include);
    expect(encode({}, { thinking: "effort" }).body["include"]).toEqual(include);
    expect(encode({ reasoning: { enabled: true } }, { thinking: "none" }).body).not.toHaveProperty("include");
  });

  it("asks for the verbosity and by the cache's key of a chat, and the other way round", () => {
    const asked = { model: "m", messages: [{ role: "user", content: "x" }] };
    const chat = chats.decodeRequest({ ...asked, verbosity: "low", prompt_cache_key: "k" });
    if ("refused" in chat) throw chat.refused;
    const { body, losses } = encode(chat.value);
    expect(body).toMatchObject({ text: { verbosity: "low" }, prompt_cache_key: "k" });
    expect(losses).toEqual([]);
    const format = { type: "json_object" };
    const own = decode({ text: { verbosity: "high", format }, prompt_cache_key: "k" });
    const back = chats.encodeRequest(own, target("chat-completions"));
    expect(back).toMatchObject({
      value: {
        body: { verbosity: "high", prompt_cache_key: "k", response_format: format },
        losses: [],
      },
    });
    expect(encode(own).body).toMatchObject({ text: { verbosity: "high", format }, prompt_cache_key: "k" });
  });

  it("tells how long to keep what is cached as a chat does, and the other way round", () => {
    const wish = { prompt_cache_retention: "in_memory" };
    const chat = chats.decodeRequest({ model: "m", messages: [{ role: "user", content: "x" }], ...wish });
    if ("refused" in chat) throw chat.refused;
    expect(encode(chat.value)).toMatchObject({ body: wish, losses: [] });
    const own = decode(wish);
    expect(encode(own).body).toMatchObject(wish);
    const at = (quirks: Quirks) => chats.encodeRequest(own, target("chat-completions", { quirks }));
    expect(at({})).toMatchObject({ value: { body: wish, losses: [] } });
    const losses = [{ path: "prompt_cache_retention", reason: "model-refuses" }];
    expect(at({ refuses: ["prompt_cache_key"] })).toMatchObject({ value: { losses } });
  });

  it("has its images shown by the user to chats, where the assistant shows none", () => {
    const result = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB";
    const drawn = { type: "image_generation_call", id: "ig_1", status: "completed", result };
    const { messages: turns } = decode({ input: [drawn, { role: "user", content: "Bigger." }] });
    const asked = chats.encodeRequest(
      { ...BASE, protocol: "responses", messages: turns },
      target("chat-completions"),
    );
    expect(asked).toMatchObject({
      value: {
        body: {
          messages: [
            {
              role: "user",
              content: [
                { type: "text", text: "Shown by the assistant:" },
                { type: "image_url", image_url: { url: `data:image/png;base64,${result}` } },
                { type: "text", text: "Bigger." },
              ],
            },
          ],
        },
      },
    });
  });

  it("turns budgets into efforts that the model knows (rule 38)", () => {
    const wish = { enabled: true, budgetTokens: 30_000 } as const;
    const { body, losses } = encode({ reasoning: wish }, { efforts: ["low", "medium"] });
    expect(body["reasoning"]).toEqual({ effort: "medium" });
    expect(losses).toEqual([{ path: "reasoning", reason: "weakened" }]);
    expect(encode({ reasoning: { enabled: false } }, { efforts: ["none", "low"] }).body["reasoning"]).toEqual(
      {
        effort: "none",
      },
    );
  });

  it("puts later instructions in their place, and all of them first where a model takes none (rule 31)", () => {
    const system = [{ kind: "text", text: "Be brief." } as const];
    const late: Message = { role: "system", parts: [{ kind: "text", text: "Be kind." }] };
    const { body } = encode({ system, messages: [USER, late, USER] });
    expect(body["instructions"]).toBe("Be brief.");
    expect(body["input"]).toMatchObject([{ role: "user" }, { role: "system", content: "Be kind." }, {}]);
    const { body: spoken } = encode({ system }, { systemRole: "user" });
    expect(spoken).not.toHaveProperty("instructions");
    expect(spoken["input"]).toMatchObject([{ role: "user", content: "Be brief." }, { content: "Hi" }]);
  });

  it("puts instructions with a cache mark into the input, where there is room for the mark", () => {
    const system = [{ kind: "text", text: "Be brief.", cache: { ttl: "5m" } } as const];
    const { body, losses } = encode({ system }, { cacheMarks: true });
    expect(body).not.toHaveProperty("instructions");
    expect(body["input"]).toMatchObject([
      {
        role: "system",
        content: [{ type: "input_text", text: "Be brief.", prompt_cache_breakpoint: { mode: "explicit" } }],
      },
      { content: "Hi" },
    ]);
    expect(losses).toEqual([]);
  });

  it("puts a result's cache mark on its last part, and tells which marks have no room", () => {
    const cache = { ttl: "5m" } as const;
    const results: Message = { role: "user", parts: answered("a").parts.map((part) => ({ ...part, cache })) };
    const { body, losses } = encode({ messages: [USER, called("a"), results] }, { cacheMarks: true });
    expect(body["input"]).toMatchObject([
      {},
      {},
      { output: [{ type: "input_text", text: "r", prompt_cache_breakpoint: { mode: "explicit" } }] },
    ]);
    expect(losses).toEqual([]);
    const marked = [{ kind: "function", name: "f", strict: false, cache } as const];
    expect(encode({ tools: marked }, { cacheMarks: true }).losses).toEqual([
      { path: "cache", reason: "no-slot" },
    ]);
    const said: Message = { role: "assistant", parts: [{ kind: "text", text: "b", cache }] };
    expect(encode({ messages: [USER, said, USER] }, { cacheMarks: true }).losses).toEqual([
      { path: "cache", reason: "no-slot" },
    ]);
  });
});

describe("requests in responses", () => {
  it.each([
    ["previous_response_id", { previous_response_id: "resp_1" }],
    ["conversation", { conversation: "conv_1" }],
    ["background", { background: true }],
    ["prompt", { prompt: { id: "pmpt_1" } }],
    ["tools[0]", { tools: [{ type: "mcp", server_label: "s" }] }],
    ["input[0]", { input: [{ type: "item_reference", id: "msg_1" }] }],
  ])("are refused by the field %s elsewhere, which would change their meaning", (path, fields) => {
    const decoded = decode(fields);
    const encoded = chats.encodeRequest(decoded, target("chat-completions"));
    expect("refused" in encoded && encoded.refused.path).toBe(path);
  });

  it("lose hosted tools, unless one is forced (rule 29)", () => {
    const tools = [{ type: "web_search" }, { type: "function", name: "f", parameters: null }];
    const encoded = chats.encodeRequest(decode({ tools }), target("chat-completions"));
    if (!("value" in encoded)) throw encoded.refused;
    expect(encoded.value.losses).toEqual([{ path: "tools[]", reason: "no-slot" }]);
    expect(encoded.value.body["tools"]).toHaveLength(1);
    const forced = decode({ tools, tool_choice: { type: "web_search" } });
    expect(chats.encodeRequest(forced, target("chat-completions"))).toHaveProperty(
      "refused.path",
      "tool_choice",
    );
  });

  it("have custom tools and namespaces, which are restored in answers (rule 29)", () => {
    const tools = [
      { type: "custom", name: "patch", format: { type: "grammar", syntax: "lark", definition: "x" } },
      { type: "namespace", name: "crm", description: "d", tools: [{ type: "function", name: "find" }] },
    ];
    const encoded = chats.encodeRequest(decode({ tools }), target("chat-completions"));
    if (!("value" in encoded)) throw encoded.refused;
    const offered = encoded.value.body["tools"] as { function: { name: string } }[];
    expect(offered.map(({ function: { name } }) => name)).toEqual(["patch", "crm__find"]);
    const calls = [
      { id: "a", type: "function", function: { name: "patch", arguments: '{"input":"*** x"}' } },
      { id: "b", type: "function", function: { name: "crm__find", arguments: "{}" } },
    ];
    const message = { role: "assistant", content: null, tool_calls: calls };
    const response = { choices: [{ index: 0, message, finish_reason: "tool_calls" }] };
    const decoded = chats.decodeResponse(response, encoded.value.plan);
    if (!("response" in decoded)) throw new Error("no answer");
    expect(codec.encodeResponse(decoded.response, frame).body["output"]).toMatchObject([
      { type: "custom_tool_call", call_id: "a", name: "patch", input: "*** x" },
      { type: "function_call", call_id: "b", namespace: "crm", name: "find", arguments: "{}" },
    ]);
    // Their own protocol keeps both.
    const own = codec.encodeRequest(decode({ tools }), target("responses"));
    expect("value" in own && own.value.body["tools"]).toMatchObject([
      tools[0] ?? {},
      { type: "namespace", name: "crm", tools: [{ type: "function", name: "find", strict: false }] },
    ]);
  });

  it("are strict where they leave it open and the schema bears it (rule 27)", () => {
    const closed = {
      type: "object",
      properties: { a: { type: "string" } },
      required: ["a"],
      additionalProperties: false,
    };
    const tools = [closed, { ...closed, required: [] }, { ...closed, additionalProperties: undefined }].map(
      (parameters, at) => ({ type: "function", name: `f${at}`, parameters }),
    );
    expect(decode({ tools }).tools).toMatchObject([{ strict: true }, { strict: false }, { strict: false }]);
  });

  it("say whose field is malformed", () => {
    const refusedAt = (fields: object) => {
      const outcome = codec.decodeRequest({ model: "m", input: "x", ...fields });
      return "refused" in outcome ? outcome.refused.path : undefined;
    };
    expect(refusedAt({ input: 7 })).toBe("input");
    expect(refusedAt({ input: [{ role: "robot", content: "x" }] })).toBe("input[0].role");
    expect(refusedAt({ input: [{ role: "user", content: [{ type: "input_text" }] }] })).toBe(
      "input[0].content[0].text",
    );
    expect(refusedAt({ input: [{ type: "function_call", name: "f" }] })).toBe("input[0].call_id");
    expect(refusedAt({ reasoning: { effort: "vast" } })).toBe("reasoning.effort");
    expect(refusedAt({ text: { format: { type: "xml" } } })).toBe("text.format.type");
    expect(refusedAt({ tool_choice: "maybe" })).toBe("tool_choice");
    expect(refusedAt({ max_output_tokens: 0 })).toBe("max_output_tokens");
  });

  it("take a field for unknown that every object answers to", () => {
    const decoded = codec.decodeRequest({ model: "m", input: "x", constructor: 1 });
    expect("value" in decoded && decoded.value.foreign).toMatchObject([{ path: "constructor" }]);
  });

  it("lose nothing where a field says no more than the default", () => {
    const fields = {
      background: false,
      store: false,
      truncation: "disabled",
      service_tier: "auto",
      include: ["reasoning.encrypted_content"],
      previous_response_id: null,
    };
    expect(decode(fields).foreign).toEqual([]);
    expect(decode({ store: true, truncation: "auto", text: { brand_new: 1 } }).foreign).toEqual([
      { path: "store", value: true, ifUnsupported: "drop" },
      { path: "truncation", value: "auto", ifUnsupported: "drop" },
      { path: "text.brand_new", value: 1, ifUnsupported: "drop" },
    ]);
  });

  it("are repeated in their answers", () => {
    const asked = { instructions: "Be brief.", temperature: 0.5, metadata: { a: "b" }, tool_choice: "none" };
    const { echo } = decode(asked);
    const finish = { unified: "stop", protocol: "messages" } as const;
    const { body } = codec.encodeResponse({ choices: [{ parts: [], finish }] }, { ...frame, echo });
    expect(body).toMatchObject({ ...asked, object: "response", store: false, previous_response_id: null });
  });
});

function called(id: string): Message {
  return { role: "assistant", parts: [{ kind: "tool-call", id, name: "f", arguments: "" }] };
}

function answered(id: string): Message {
  return { role: "user", parts: [{ kind: "tool-result", callId: id, parts: [{ kind: "text", text: "r" }] }] };
}

function encode(request: Partial<ChatRequest>, quirks: Quirks = {}) {
  const outcome = codec.encodeRequest({ ...BASE, ...request }, target("responses", { quirks }));
  if (!("value" in outcome)) throw outcome.refused;
  return outcome.value;
}

function decode(fields: object): ChatRequest {
  const outcome = codec.decodeRequest({ model: "m", input: "x", ...fields });
  if (!("value" in outcome)) throw outcome.refused;
  return outcome.value;
}
