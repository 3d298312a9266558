import { describe, expect, it, vi } from "vitest";
import { PROTOCOLS } from "../table.ts";

function open(name: keyof typeof PROTOCOLS, text: string, responses?: number) {
  const meter = PROTOCOLS[name].usage.openStream(responses);
  meter.write(Buffer.from(text));
  return meter;
}

function chunk(index: number, delta: object, finish: string | null = null): string {
  return `data: ${JSON.stringify({ id: "c", choices: [{ index, delta, finish_reason: finish }] })}\n\n`;
}

describe("a stream meter", () => {
  it("does not count comments and pings as a start", () => {
    expect(open("chat-completions", ": PROCESSING\n\n").started).toBe(false);
    expect(open("messages", 'event: ping\ndata: {"type":"ping"}\n\n').started).toBe(false);
    expect(open("chat-completions", chunk(0, { role: "assistant", content: "" })).started).toBe(true);
  });

  it("parses no comments, however many an upstream sends", () => {
    const meter = open("chat-completions", chunk(0, { role: "assistant", content: "a" }));
    const parse = vi.spyOn(JSON, "parse");
    try {
      for (let round = 0; round < 4; round += 1) meter.write(Buffer.from(": ping\n\n".repeat(8_192)));
      expect(parse.mock.calls.filter(([text]) => text === "")).toEqual([]);
    } finally {
      parse.mockRestore();
    }
    expect(meter.summary().hasOutput).toBe(true);
  });

  it.each([
    ["chat-completions", 'data: {"error":{"message":"no","code":503}}\n\n', 503],
    ["chat-completions", 'data: {"error":"overloaded"}\n\n', 502],
    ["chat-completions", 'data: {"choices":[{"delta":{},"error":{"code":429,"message":"slow"}}]}\n\n', 429],
    ["chat-completions", 'data: {"choices":[{"delta":{},"finish_reason":"network_error"}]}\n\n', 502],
    [
      "responses",
      'event: error\ndata: {"type":"error","code":"rate_limit_exceeded","message":"slow","param":null,"sequence_number":0}\n\n',
      429,
    ],
    [
      "messages",
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"busy"}}\n\n',
      529,
    ],
    [
      "generate-content",
      'data: {"error":{"code":429,"message":"no","status":"RESOURCE_EXHAUSTED"}}\n\n',
      429,
    ],
    ["generate-content", '[{"error":{"code":503,"message":"no","status":"UNAVAILABLE"}}]', 503],
  ] as const)("knows a first event of %s that is an error", (name, text, status) => {
    const meter = open(name, text);
    expect([meter.started, meter.finished, meter.error?.status]).toEqual([false, false, status]);
  });

  it.each([
    ["chat-completions", (index: number, finish?: string) => chunk(index, { content: "a" }, finish ?? null)],
    [
      "generate-content",
      (index: number, finish?: string) =>
        `data: ${JSON.stringify({
          candidates: [
            {
              ...(index === 0 ? {} : { index }),
              content: { parts: [{ text: "a" }] },
              ...(finish === undefined ? {} : { finishReason: finish.toUpperCase() }),
            },
          ],
        })}\n\n`,
    ],
  ] as const)(
    "is finished at the end when every answer is that has come, fewer than asked: %s",
    (name, piece) => {
      const ended = (...pieces: readonly string[]): boolean => {
        const meter = open(name, pieces.join(""), 3);
        meter.end();
        return meter.finished;
      };
      expect(ended(piece(0), piece(0, "stop"))).toBe(true);
      expect(ended(piece(0), piece(1), piece(0, "stop"), piece(1, "stop"))).toBe(true);
      expect(ended(piece(0), piece(1), piece(0, "stop"))).toBe(false);
      expect(ended(piece(0), piece(0), piece(1), piece(1, "stop"))).toBe(false);
      expect(ended(piece(0))).toBe(false);
    },
  );

  it("is not finished before every asked answer is", () => {
    const meter = open("chat-completions", chunk(0, { content: "a" }, "stop"), 2);
    expect(meter.finished).toBe(false);
    meter.write(Buffer.from(chunk(1, { content: "b" }, "stop")));
    expect(meter.finished).toBe(true);
  });

  it.each([
    [
      "chat-completions",
      (text: string, finish: string | null) => chunk(0, { content: text }, finish && "stop"),
    ],
    [
      "generate-content",
      (text: string, finish: string | null) =>
        `data: ${JSON.stringify({ candidates: [{ content: { parts: [{ text }] }, finishReason: finish }] })}\n\n`,
    ],
  ] as const)("takes no finish of %s for the end that output follows, or all of it", (protocol, event) => {
    const meter = open(protocol, event("", "STOP"));
    expect(meter.finished).toBe(false);
    for (const finish of ["STOP", "STOP"]) {
      meter.write(Buffer.from(event("a", finish)));
      expect([meter.finished, meter.continuedAfterFinish, meter.nothingFollows]).toEqual([true, true, false]);
    }
    meter.write(Buffer.from(event("b", null)));
    expect([meter.finished, meter.continuedAfterFinish]).toEqual([false, true]);
    meter.write(Buffer.from(event("c", null)));
    meter.write(Buffer.from(event("", "STOP")));
    expect([meter.finished, meter.continuedAfterFinish]).toEqual([true, false]);
  });

  it("takes a finish for the end where the stream ends, whatever came last", () => {
    for (const text of [chunk(0, {}, "stop"), chunk(0, {}, "stop") + chunk(0, { content: "a" })]) {
      const meter = open("chat-completions", text);
      expect(meter.finished).toBe(false);
      meter.end();
      expect(meter.finished).toBe(true);
    }
  });

  it("owes a finished chat stream the [DONE] that its vendor forgot, and an unfinished one nothing", () => {
    const meter = open("chat-completions", chunk(0, { content: "a" }));
    expect(meter.missingEnd).toBe("");
    meter.write(Buffer.from(chunk(0, {}, "stop")));
    expect(meter.missingEnd).toBe("data: [DONE]\n\n");
    meter.write(Buffer.from("event: done\nid: 12\ndata: [DONE] \n\n"));
    expect(meter.missingEnd).toBe("");
  });

  it("does not take a failed response for a finished one, but keeps its usage", () => {
    const failed = {
      type: "response.failed",
      response: {
        id: "r",
        status: "failed",
        error: { code: "server_error", message: "no" },
        usage: { input_tokens: 5, output_tokens: 1 },
      },
    };
    const meter = open(
      "responses",
      `data: {"type":"response.created","response":{"id":"r"}}\n\ndata: ${JSON.stringify(failed)}\n\n`,
    );
    expect([meter.started, meter.finished, meter.error?.code]).toEqual([true, false, "server_error"]);
    expect(meter.summary().usage?.tokens).toEqual({ inputUncached: 5, outputVisible: 1 });
  });

  it("takes a chat for failed that says so by its object, its event or in a vendor's own corner", () => {
    for (const failure of [
      'data: {"object":"error","message":"no","code":500}\n\n',
      'event: error\ndata: {"code":"InternalError","message":"no"}\n\n',
      'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"x_groq":{"error":"no"}}\n\n',
    ]) {
      const meter = open("chat-completions", `${chunk(0, { content: "a" })}${failure}data: [DONE]\n\n`);
      expect([meter.finished, meter.error?.message]).toEqual([false, "no"]);
    }
  });

  it("does not take a word that says nothing for a finish", () => {
    const native = (finish: string) =>
      `data: ${JSON.stringify({ candidates: [{ index: 0, content: { parts: [{ text: "a" }] }, finishReason: finish }] })}\n\n`;
    for (const word of ["", "null"])
      expect(open("chat-completions", chunk(0, { content: "a" }, word)).finished, word).toBe(false);
    expect(open("generate-content", native("")).finished).toBe(false);
    expect(open("generate-content", native("STOP")).finished).toBe(true);
  });

  it("leaves output unknown where a message broke off before its count, which is no placeholder's", () => {
    const meter = open(
      "messages",
      'data: {"type":"message_start","message":{"id":"m","usage":{"input_tokens":9,"output_tokens":1}}}\n\n',
    );
    expect(meter.summary().usage?.tokens).toEqual({ inputUncached: 9 });
  });

  it("takes the last statement of usage, never the sum", () => {
    const counts = (output: number) =>
      `data: {"candidates":[{"content":{"parts":[{"text":"a"}]}}],"usageMetadata":{"promptTokenCount":4,"candidatesTokenCount":${output},"thoughtsTokenCount":2}}\n\n`;
    expect(open("generate-content", counts(1) + counts(3)).summary().usage?.tokens).toEqual({
      inputUncached: 4,
      outputVisible: 3,
      outputReasoning: 2,
    });
  });

  it("does not take zeros behind counts for a statement, but zeros alone", () => {
    const stated = (prompt: number, cached: number, output: number) => ({
      choices: [],
      usage: {
        prompt_tokens: prompt,
        completion_tokens: output,
        total_tokens: prompt + output,
        prompt_tokens_details: { cached_tokens: cached },
      },
    });
    const tokensOf = (...chunks: readonly object[]) => {
      const frames = chunks.map((each) => `data: ${JSON.stringify(each)}\n\n`).join("");
      return open("chat-completions", frames).summary().usage?.tokens;
    };
    const told = { inputUncached: 2, cacheRead: 5, outputVisible: 3 };
    expect(tokensOf(stated(7, 5, 3), stated(0, 0, 0))).toEqual(told);
    expect(tokensOf(stated(0, 0, 0), stated(7, 5, 3))).toEqual(told);
    expect(tokensOf(stated(0, 0, 0))).toEqual({ inputUncached: 0, cacheRead: 0, outputVisible: 0 });
  });

  it("gathers the text of an aborted stream, thoughts and tool arguments included", () => {
    const call = { tool_calls: [{ index: 0, function: { name: "f", arguments: '{"a":1}' } }] };
    const chat = `${chunk(0, { reasoning_content: "hm" })}${chunk(0, { content: "hé" })}${chunk(0, call)}data: {"choi`;
    expect(open("chat-completions", chat).summary().outputText()).toEqual({
      visible: 'héf{"a":1}',
      reasoning: "hm",
    });
    const messages = [
      { type: "content_block_start", content_block: { type: "tool_use", name: "f" } },
      { type: "content_block_delta", delta: { type: "thinking_delta", thinking: "hm" } },
      { type: "content_block_delta", delta: { type: "input_json_delta", partial_json: "{}" } },
    ];
    const text = messages.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
    expect(open("messages", text).summary().outputText()).toEqual({ visible: "f{}", reasoning: "hm" });
  });

  it("gathers calls of free text, and those from before there were tools", () => {
    const custom = { index: 0, id: "call_1", type: "custom", custom: { name: "patch", input: "" } };
    const deltas = [
      { tool_calls: [custom] },
      { tool_calls: [{ index: 0, custom: { input: "*** Begin" } }] },
      { function_call: { name: "f", arguments: "{}" } },
    ];
    const chat = deltas.map((delta) => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`);
    expect(open("chat-completions", chat.join("")).summary().outputText().visible).toBe("patch*** Beginf{}");
  });

  it("gathers the same text from a stream too long to be kept whole", () => {
    const meter = PROTOCOLS["chat-completions"].usage.openStream();
    const bytes = Buffer.from(chunk(0, { content: "0123456789" }));
    for (let turn = 0; turn < 5000; turn += 1) meter.write(bytes);
    expect(meter.summary().outputText().visible).toBe("0123456789".repeat(5000));
  });

  it("tells where a stream stands, so that it can be ended in form", () => {
    const meter = open(
      "responses",
      'data: {"type":"response.created","response":{"id":"r","model":"m"}}\n\ndata: {"ty',
    );
    expect(meter.truncated).toEqual({
      form: "sse",
      midFrame: true,
      events: 1,
      opening: { id: "r", model: "m" },
    });
    expect(open("generate-content", '[{"candidates":[]}\n,').truncated).toMatchObject({
      form: "array",
      events: 1,
    });
  });
});
