import { describe, expect, it } from "vitest";
import { frame, plan, target } from "../../../test/support/conversation-arbitraries.ts";
import { collectEvents } from "../../conversation/adapt/collect.ts";
import type { ChatEvent } from "../../conversation/event.ts";
import { openLosses } from "../../conversation/loss.ts";
import type { ChatRequest } from "../../conversation/request.ts";
import { asObject, asObjects } from "../json.ts";
import type { Translation } from "../translation.ts";
import { chatCompletions } from "./codec.ts";

const codec = chatCompletions.translation as Translation;

function request(body: object): ChatRequest {
  const decoded = codec.decodeRequest({ model: "m", messages: [{ role: "user", content: "x" }], ...body });
  if ("refused" in decoded) throw decoded.refused;
  return decoded.value;
}

function written(from: ChatRequest, quirks = {}) {
  const encoded = codec.encodeRequest(from, target("chat-completions", { quirks }));
  if ("refused" in encoded) throw encoded.refused;
  return encoded.value;
}

function refusedPath(body: unknown): string {
  const decoded = codec.decodeRequest(body);
  return "refused" in decoded ? decoded.refused.path : "accepted";
}

function decoded(...chunks: readonly (object | string)[]): readonly ChatEvent[] {
  const run = codec.decodeStream(plan("chat-completions"));
  const frames = chunks.map((chunk) => ({ data: typeof chunk === "string" ? chunk : JSON.stringify(chunk) }));
  return [...frames.flatMap((each) => run.step(each)), ...run.end()];
}

const delta = (piece: object, finish: string | null = null, index = 0) => ({
  id: "c",
  model: "m",
  choices: [{ index, delta: piece, finish_reason: finish }],
});
const call = (piece: object) => delta({ tool_calls: [piece] });

function callsIn(events: readonly ChatEvent[]): unknown {
  const collected = collectEvents(events);
  if (!("response" in collected)) return collected;
  return collected.response.choices[0]?.parts.map((part) =>
    part.kind === "tool-call" ? [part.id, part.name, part.arguments] : part,
  );
}

describe("chat completions requests", () => {
  it("mark what to cache in either of two words, which mean the same", () => {
    for (const mark of [
      { cache_control: { type: "ephemeral" } },
      { prompt_cache_breakpoint: { mode: "explicit" } },
    ]) {
      const content = [{ type: "text", text: "x", ...mark }];
      const { messages, foreign } = request({ messages: [{ role: "user", content }] });
      expect(messages[0]?.parts).toEqual([{ kind: "text", text: "x", cache: { ttl: "5m" } }]);
      expect(foreign).toEqual([]);
      const audio = [{ type: "input_audio", input_audio: { data: "AAAA" }, ...mark }];
      expect(request({ messages: [{ role: "user", content: audio }] }).messages[0]?.parts).toMatchObject([
        { media: "audio", cache: { ttl: "5m" } },
      ]);
    }
  });

  it("are refused with the place that is malformed", () => {
    expect(refusedPath([])).toBe("");
    expect(refusedPath({ model: "m" })).toBe("messages");
    expect(refusedPath({ model: "m", messages: [{ role: "narrator" }] })).toBe("messages[0].role");
    expect(refusedPath({ model: "m", messages: [{ role: "constructor" }] })).toBe("messages[0].role");
    expect(refusedPath({ model: "m", messages: [{ role: "user", content: [{ type: "text" }] }] })).toBe(
      "messages[0].content[0].text",
    );
    expect(refusedPath({ model: "m", messages: [], tools: [{ type: "function", function: {} }] })).toBe(
      "tools[0].function.name",
    );
    expect(refusedPath({ model: "m", messages: [], max_tokens: 1.5 })).toBe("max_tokens");
  });

  it("show the images of a tool's result in a user message, after all results (rule 25)", () => {
    const image = {
      kind: "media",
      media: "image",
      mimeType: "image/png",
      source: { from: "base64", data: "AA==" },
    } as const;
    const calls = ["a", "b"].map((id) => ({ kind: "tool-call", id, name: "n", arguments: "{}" }) as const);
    const { body } = written({
      ...request({}),
      messages: [
        { role: "assistant", parts: calls },
        {
          role: "user",
          parts: [
            { kind: "tool-result", callId: "a", parts: [image] },
            { kind: "tool-result", callId: "b", parts: [{ kind: "text", text: "t" }] },
          ],
        },
      ],
    });
    expect(asObjects(body["messages"]).map(({ role }) => role)).toEqual([
      "assistant",
      "tool",
      "tool",
      "user",
    ]);
    expect(JSON.stringify(asObjects(body["messages"])[3])).toContain("data:image/png;base64,AA==");
  });

  it("refuse other protocols' video and rare sound, naming the field, and give their own back", () => {
    const refusedBy = (
      media: "audio" | "video",
      mimeType: string,
      protocol: "messages" | "chat-completions",
    ) => {
      const part = { kind: "media", media, mimeType, source: { from: "base64", data: "AA==" } } as const;
      const fieldNames = { media: "where" };
      const asked = {
        ...request({}),
        protocol,
        fieldNames,
        messages: [{ role: "user", parts: [part] }],
      } as const;
      const encoded = codec.encodeRequest(asked, target("chat-completions"));
      return "refused" in encoded ? encoded.refused.path : "taken";
    };
    expect(refusedBy("video", "video/mp4", "messages")).toBe("where");
    expect(refusedBy("audio", "audio/ogg", "messages")).toBe("where");
    expect(refusedBy("audio", "audio/x-wav", "messages")).toBe("taken");
    expect(refusedBy("video", "video/mp4", "chat-completions")).toBe("taken");
    expect(refusedBy("audio", "audio/ogg", "chat-completions")).toBe("taken");
  });

  it("give documents of text as words, their title first, since files are PDF here (rule 35)", () => {
    const data = Buffer.from("a,b").toString("base64");
    const part = { kind: "media", media: "document", mimeType: "text/csv", name: "t.csv" } as const;
    const source = { from: "base64", data } as const;
    const messages = [{ role: "user", parts: [{ ...part, source }] }] as const;
    const { body } = written({ ...request({}), protocol: "generate-content", messages });
    expect(body["messages"]).toEqual([{ role: "user", content: "t.csv\n\na,b" }]);
  });

  it("say a limit in the model's own field and an effort that it knows (rules 38 and 39)", () => {
    const asked = { max_tokens: 9, reasoning_effort: "minimal" };
    const quirks = { maxTokensField: "max_completion_tokens", efforts: ["low", "high"] };
    const { body, losses } = written(request(asked), quirks);
    expect(body).toMatchObject({ max_completion_tokens: 9, reasoning_effort: "low" });
    expect(losses).toEqual([{ path: "reasoning_effort", reason: "weakened" }]);
  });

  it("take a cache mark on a message for one at its end, however its content is written", () => {
    const marked = { role: "user", cache_control: { type: "ephemeral", ttl: "1h" } };
    const parts = [
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ];
    const { messages } = request({
      messages: [
        { ...marked, content: parts },
        { ...marked, content: "c" },
      ],
    });
    expect(messages.flatMap(({ parts }) => parts)).toEqual([
      { kind: "text", text: "a" },
      { kind: "text", text: "b", cache: { ttl: "1h" } },
      { kind: "text", text: "c", cache: { ttl: "1h" } },
    ]);
  });

  it("always ask a stream for its usage (rule 5)", () => {
    expect(written(request({ stream: true })).body).toMatchObject({
      stream_options: { include_usage: true },
    });
  });

  it("say strict only where it is (rule 27) and give a call without arguments `{}` (rule 14)", () => {
    const tool = { type: "function", function: { name: "n", strict: false } };
    const { body } = written(
      request({
        tools: [tool],
        messages: [
          {
            role: "assistant",
            tool_calls: [{ id: "a", type: "function", function: { name: "n", arguments: "" } }],
          },
        ],
      }),
    );
    expect(JSON.stringify(body)).not.toContain("strict");
    expect(JSON.stringify(body)).toContain('"arguments":"{}"');
  });
});

describe("chat completions streams", () => {
  it("hold whole calls, calls without index, one index for all, repeated ids and several in a chunk (rule 15)", () => {
    const made = expect.stringMatching(/^call_[0-9a-f]{24}$/);
    const whole = { index: 0, id: "a", type: "function", function: { name: "n", arguments: '{"x":1}' } };
    expect(callsIn(decoded(call(whole), delta({}, "tool_calls"), "[DONE]"))).toEqual([["a", "n", '{"x":1}']]);
    expect(
      callsIn(
        decoded(
          call({ id: "a", function: { name: "n", arguments: '{"x"' } }),
          call({ function: { arguments: ":1}" } }),
          delta({}, "stop"),
        ),
      ),
    ).toEqual([["a", "n", '{"x":1}']]);
    expect(
      callsIn(
        decoded(
          call(whole),
          call({ ...whole, id: "b" }),
          call({ index: 0, id: "b", function: { arguments: "" } }),
          delta({}, "stop"),
        ),
      ),
    ).toEqual([
      ["a", "n", '{"x":1}'],
      ["b", "n", '{"x":1}'],
    ]);
    expect(
      callsIn(decoded(delta({ tool_calls: [whole, { ...whole, index: 1 }] }), delta({}, "tool_calls"))),
    ).toEqual([
      ["a", "n", '{"x":1}'],
      [made, "n", '{"x":1}'],
    ]);
  });

  it("begin another call where a whole one has the index and no id tells them apart (rule 15)", () => {
    const made = expect.stringMatching(/^call_[0-9a-f]{24}$/);
    const nameless = (name: string, text: string) => ({
      index: 0,
      id: "",
      function: { name, arguments: text },
    });
    const two = [nameless("n", '{"x":1}'), nameless("n", '{"x":2}')];
    const both = [
      [made, "n", '{"x":1}'],
      [made, "n", '{"x":2}'],
    ];
    expect(callsIn(decoded(delta({ tool_calls: two }), delta({}, "stop")))).toEqual(both);
    expect(callsIn(decoded(...two.map(call), delta({}, "stop")))).toEqual(both);
    const inPieces = ['{"x"', ":1}", ""].map((text) => call(nameless("n", text)));
    expect(callsIn(decoded(...inPieces, delta({}, "stop")))).toEqual([[made, "n", '{"x":1}']]);
  });

  it("go on with a call whose later pieces have another index than its first (rule 15)", () => {
    const head = (id: string, name: string) => call({ index: 0, id, function: { name, arguments: "" } });
    const piece = (index: number, text: string, id?: string) =>
      call({ index, id, function: { arguments: text } });
    const both = [
      ["a", "f", '{"x":1}'],
      ["b", "g", '{"y":2}'],
    ];
    const second = (id?: string) => [piece(1, '{"y":', id), piece(1, "2}", id)];
    for (const pieces of [second(), second("b")]) {
      const stream = [head("a", "f"), piece(0, '{"x":1}'), head("b", "g"), ...pieces, delta({}, "stop")];
      expect(callsIn(decoded(...stream))).toEqual(both);
    }
  });

  it("hold arguments once that are told whole once more (rule 15)", () => {
    const piece = (text: string, more: object = {}) =>
      call({ index: 0, ...more, function: { arguments: text } });
    const head = { index: 0, id: "a", function: { name: "n", arguments: "" } };
    const whole = { ...head, function: { name: "n", arguments: '{"x":1}' } };
    for (const again of [piece('{"x":1}'), piece('{"x":1}', { id: "a" }), call(whole)]) {
      const events = decoded(call(head), piece('{"x":'), piece("1}"), again, delta({}, "tool_calls"));
      expect(callsIn(events)).toEqual([["a", "n", '{"x":1}']]);
    }
  });

  it("hold the bare input of custom calls, whose later pieces state no type", () => {
    const begun = { index: 0, id: "a", type: "custom", custom: { name: "sql", input: "SELECT" } };
    const more = { index: 0, custom: { input: " 1" } };
    expect(callsIn(decoded(call(begun), call(more), delta({}, "tool_calls")))).toEqual([
      ["a", "sql", "SELECT 1"],
    ]);
  });

  it("stay cut short where the limit cut a call short (rule 11)", () => {
    const events = decoded(
      call({ index: 0, id: "a", function: { name: "n", arguments: '{"x":' } }),
      delta({}, "length"),
      "[DONE]",
    );
    expect(callsIn(events)).toEqual([["a", "n", '{"x":']]);
    expect(events.at(-1)).toMatchObject({ type: "finish", finish: { unified: "length" } });
  });

  it("end in a tool finish where there are calls, whatever the vendor calls it", () => {
    const events = decoded(
      call({ index: 0, id: "a", function: { name: "n", arguments: "{}" } }),
      delta({}, "stop"),
    );
    expect(events.at(-1)).toMatchObject({ finish: { unified: "tool-calls" } });
  });

  it("are cut short where their vendor says so in a word of its own", () => {
    for (const word of ["model_context_window_exceeded", "repetition_truncation"]) {
      expect(decoded(delta({ content: "x" }), delta({}, word)).at(-1)).toMatchObject({
        finish: { unified: "length", raw: word },
      });
    }
  });

  it("are filtered where their vendor says so in a word of its own", () => {
    for (const word of ["sensitive", "content_filter: PROHIBITED_CONTENT"]) {
      expect(decoded(delta({ content: "x" }), delta({}, word)).at(-1)).toMatchObject({
        finish: { unified: "content-filter", raw: word },
      });
    }
  });

  it("fail when they end before their answer does, and when they tell of an error (rule 19)", () => {
    for (const events of [
      decoded(delta({ content: "x" })),
      decoded(),
      decoded("[DONE]"),
      decoded(delta({ content: "x" }), { error: { message: "broken", code: 500 } }, "[DONE]"),
      decoded(delta({ content: "x" }, "error"), "[DONE]"),
      ...["network_error", "insufficient_system_resource", "abort"].map((word) =>
        decoded(delta({ content: "x" }), delta({}, word), "[DONE]"),
      ),
      decoded(delta({ content: "x" }), { choices: [{ delta: {}, error: { code: 429 } }] }, "[DONE]"),
      decoded(delta({ content: "x" }), { object: "error", message: "broken", code: 500 }, "[DONE]"),
      decoded(
        delta({ content: "x" }),
        { ...delta({}, "stop"), x_groq: { error: "over capacity" } },
        "[DONE]",
      ),
    ]) {
      expect(
        events.filter(({ type }) => type === "error" || type === "finish").map(({ type }) => type),
      ).toEqual(["error"]);
    }
  });

  it("fail by the name of an event alone (rule 19)", () => {
    const run = codec.decodeStream(plan("chat-completions"));
    run.step({ data: JSON.stringify(delta({ content: "x" })) });
    const told = run.step({ name: "error", data: '{"code":"InternalError","message":"broken"}' });
    expect(told.at(-1)).toMatchObject({ type: "error", error: { message: "broken" } });
  });

  it("take usage from a chunk with choices or without, the last one counting (rule 5)", () => {
    const usage = (count: number) => ({
      prompt_tokens: 1,
      completion_tokens: count,
      total_tokens: count + 1,
    });
    const events = decoded(
      { ...delta({ content: "x" }), usage: usage(1) },
      delta({}, "stop"),
      { choices: [], usage: usage(5) },
      "[DONE]",
    );
    expect(events.filter(({ type }) => type === "usage")).toMatchObject([
      { usage: { tokens: { outputVisible: 5 } } },
    ]);
  });

  it("begin with the role and empty content, and pass usage on only where it was asked for", () => {
    const events = decoded(delta({ content: "x" }, "stop"), {
      choices: [],
      usage: { prompt_tokens: 1, completion_tokens: 1 },
    });
    const write = (includeUsage: boolean) => {
      const run = codec.encodeStream({ ...frame, includeUsage }, openLosses({}));
      return [...events.flatMap((event) => run.step(event)), ...run.end()].map(({ data }) => data);
    };
    const asked = write(true);
    expect(asObject(asObjects(JSON.parse(asked[0] ?? "")["choices"])[0])?.["delta"]).toEqual({
      role: "assistant",
      content: "",
    });
    expect(asked.at(-1)).toBe("[DONE]");
    expect(JSON.parse(asked.at(-2) ?? "")).toMatchObject({ choices: [], usage: { total_tokens: 2 } });
    expect(write(false).some((data) => data.includes("usage"))).toBe(false);
  });

  it("end an error without looking finished (rule 19)", () => {
    const run = codec.encodeStream(frame, openLosses({}));
    run.step({ type: "response-start" });
    const error = { status: 502, type: "api_error", code: "", param: "", message: "broken" };
    const frames = [
      ...run.step({ type: "error", error }),
      ...run.step({ type: "text-start", block: 0, choice: 0 }),
      ...run.end(),
    ];
    expect(frames).toHaveLength(1);
    expect(JSON.parse(frames[0]?.data ?? "")).toMatchObject({
      error: { message: "broken (request id: req-1)" },
    });
  });
});
