import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { codecOf } from "../../../test/support/codec-of.ts";
import { frame, plan, target } from "../../../test/support/conversation-arbitraries.ts";
import { openLosses } from "../../conversation/loss.ts";
import type { ChatProtocol } from "../../conversation/protocol-name.ts";
import type { ChatRequest, JsonObject } from "../../conversation/request.ts";

const codec = codecOf("chat-completions");
const USER = { role: "user", content: "Is it raining in Oslo?" };
const SCHEMA = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const FUNCTION = { name: "rain", description: "Whether it rains", parameters: SCHEMA };
const ARGUMENTS = '{"city":"Oslo"}';

function read(body: object): ChatRequest {
  const decoded = codec.decodeRequest({ model: "m", messages: [USER], ...body });
  if ("refused" in decoded) throw decoded.refused;
  return decoded.value;
}

function written(request: ChatRequest, protocol: ChatProtocol) {
  const encoded = codecOf(protocol).encodeRequest(request, target(protocol));
  if ("refused" in encoded) throw encoded.refused;
  return encoded.value;
}

/** A caller who declared functions and no tools. */
const old = { ...frame, oneCall: true } as const;

describe("functions from before there were tools", () => {
  it("are read as the tools that they are, in every conversation", () => {
    const name = fc.constantFrom("rain", "wind");
    const turn = fc.record({ name, text: fc.json({ maxDepth: 1 }), said: fc.string(), result: fc.string() });
    fc.assert(
      fc.property(
        fc.array(turn, { maxLength: 4 }),
        fc.constantFrom("auto", "none", "rain"),
        (turns, choice) => {
          const legacy = turns.flatMap(({ name, text, said, result }) => [
            { role: "assistant", content: said, function_call: { name, arguments: text } },
            { role: "function", name, content: result },
          ]);
          const named = choice === "rain";
          const mine = read({
            messages: [USER, ...legacy],
            functions: [FUNCTION],
            function_call: named ? { name: "rain" } : choice,
          });
          const ids = mine.messages.flatMap(({ parts }) =>
            parts.flatMap((part) => (part.kind === "tool-call" ? [part.id] : [])),
          );
          expect(new Set(ids).size).toBe(turns.length);
          const modern = turns.flatMap(({ name, text, said, result }, at) => [
            {
              role: "assistant",
              content: said,
              tool_calls: [{ id: ids[at], type: "function", function: { name, arguments: text } }],
            },
            { role: "tool", tool_call_id: ids[at], name, content: result },
          ]);
          const theirs = read({
            messages: [USER, ...modern],
            tools: [{ type: "function", function: FUNCTION }],
            tool_choice: named ? { type: "function", function: { name: "rain" } } : choice,
            parallel_tool_calls: false,
          });
          const { oneCall, fieldNames: _mine, ...same } = mine;
          const { fieldNames: _theirs, ...rest } = theirs;
          expect(oneCall).toBe(true);
          expect(same).toEqual(rest);
        },
      ),
    );
  });

  it("keep their ids as the conversation goes on", () => {
    const called = {
      role: "assistant",
      content: null,
      function_call: { name: "rain", arguments: ARGUMENTS },
    };
    const result = { role: "function", name: "rain", content: "no" };
    const begun = read({ messages: [USER, called, result], functions: [FUNCTION] });
    const later = read({ messages: [USER, called, result, USER, called, result], functions: [FUNCTION] });
    expect(later.messages.slice(0, begun.messages.length)).toEqual(begun.messages);
  });

  it("reach every vendor as its tools, and nothing is named as lost", () => {
    const called = {
      role: "assistant",
      content: null,
      function_call: { name: "rain", arguments: ARGUMENTS },
    };
    const request = read({
      messages: [USER, called, { role: "function", name: "rain", content: "no" }],
      functions: [FUNCTION],
      function_call: "auto",
    });
    for (const protocol of ["chat-completions", "responses", "messages", "generate-content"] as const) {
      const { body, losses } = written(request, protocol);
      expect(losses, protocol).toEqual([]);
      expect(JSON.stringify(body["tools"]), protocol).toContain('"rain"');
      expect(body).not.toHaveProperty("functions");
    }
    expect(written(request, "messages").body["messages"]).toMatchObject([
      { role: "user" },
      { role: "assistant", content: [{ type: "tool_use", name: "rain", input: { city: "Oslo" } }] },
      { role: "user", content: [{ type: "tool_result", content: "no" }] },
    ]);
  });

  it("are refused by their own names where they are malformed", () => {
    const pathOf = (body: object) => {
      const decoded = codec.decodeRequest({ model: "m", messages: [USER], ...body });
      return "refused" in decoded ? decoded.refused.path : "accepted";
    };
    expect(pathOf({ functions: [{ description: "x" }] })).toBe("functions[0].name");
    expect(pathOf({ functions: {} })).toBe("functions");
    expect(pathOf({ functions: [FUNCTION], function_call: "always" })).toBe("function_call");
    expect(pathOf({ messages: [{ role: "assistant", function_call: {} }] })).toBe(
      "messages[0].function_call.name",
    );
    expect(pathOf({ messages: [{ role: "function", content: "x" }] })).toBe("messages[0].name");
  });

  it("are answered with a call in the same form, plain and streamed", () => {
    const wire: JsonObject = {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m",
      content: [
        { type: "text", text: "Let me look." },
        { type: "tool_use", id: "toolu_1", name: "rain", input: { city: "Oslo" } },
        { type: "tool_use", id: "toolu_2", name: "rain", input: { city: "Bergen" } },
      ],
      stop_reason: "tool_use",
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    const response = codecOf("messages").decodeResponse(wire, plan("messages"));
    if (!("response" in response)) throw new Error("no answer");
    const { body, losses } = codec.encodeResponse(response.response, old);
    expect(body["choices"]).toMatchObject([
      {
        message: { content: "Let me look.", function_call: { name: "rain", arguments: ARGUMENTS } },
        finish_reason: "function_call",
      },
    ]);
    expect(JSON.stringify(body)).not.toContain("tool_calls");
    expect(losses).toEqual([{ path: "toolCalls", reason: "no-slot" }]);
    const told = openLosses({});
    expect(streamed(told)).toMatchObject([
      { delta: { role: "assistant" } },
      { delta: { function_call: { name: "rain", arguments: "" } } },
      { delta: { function_call: { arguments: ARGUMENTS } } },
      { delta: {}, finish_reason: "function_call" },
    ]);
    expect(told.list()).toEqual(losses);
  });

  it("are not what callers of tools read, though the upstream answers in that form", () => {
    const wire = {
      id: "c",
      object: "chat.completion",
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: null,
            function_call: { name: "rain", arguments: ARGUMENTS },
          },
          finish_reason: "function_call",
        },
      ],
    };
    const response = codec.decodeResponse(wire, plan("chat-completions"));
    if (!("response" in response)) throw new Error("no answer");
    expect(codec.encodeResponse(response.response, frame).body["choices"]).toMatchObject([
      { message: { tool_calls: [{ function: { name: "rain" } }] }, finish_reason: "tool_calls" },
    ]);
    expect(codec.encodeResponse(response.response, old).body["choices"]).toMatchObject(wire.choices);
  });
});

/** The choices of the chunks that a stream of two calls becomes. */
function streamed(losses: ReturnType<typeof openLosses>): unknown[] {
  const run = codec.encodeStream(old, losses);
  const call = (block: number, city: string) =>
    [
      { type: "tool-call-start", block, choice: 0, id: `call_${block}`, name: "rain" },
      { type: "tool-call-delta", block, arguments: `{"city":"${city}"}` },
      { type: "tool-call-end", block },
    ] as const;
  const finish = { unified: "tool-calls", protocol: "messages" } as const;
  const events = [
    { type: "response-start" } as const,
    ...call(0, "Oslo"),
    ...call(1, "Bergen"),
    { type: "finish", choice: 0, finish } as const,
  ];
  return [...events.flatMap((event) => run.step(event)), ...run.end()]
    .filter(({ data }) => data !== "[DONE]")
    .flatMap(({ data }) => (JSON.parse(data) as { choices: unknown[] }).choices);
}
