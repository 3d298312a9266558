import { describe, expect, it } from "vitest";
import { createBodyScan } from "../../base/json/json-scan.ts";
import { compileWatch } from "../../base/json/json-watch.ts";
import type { ProtocolName } from "../../conversation/protocol-name.ts";
import type { ResponseSummary } from "../../protocols/protocol.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import type { TextRequest } from "../text-request.ts";
import { estimateMissing } from "./estimate.ts";

const WORDS = "The lighthouse keeper counted the ships that passed before the fog came in. ";

function asked(name: ProtocolName, json: object): TextRequest {
  const body = [Buffer.from(JSON.stringify(json))];
  const scanner = createBodyScan(compileWatch([]));
  for (const piece of body) scanner.write(piece);
  return { protocol: PROTOCOLS[name], body, scan: scanner.end() } as unknown as TextRequest;
}

/** The facts of a stream with these events, broken off after the last. */
function streamed(name: ProtocolName, events: readonly object[]): ResponseSummary {
  const meter = PROTOCOLS[name].usage.openStream(1);
  for (const event of events) meter.write(Buffer.from(`data: ${JSON.stringify(event)}\n\n`));
  meter.end();
  return meter.summary();
}

const gemini = (text: string, usageMetadata: object, more: object = {}): object => ({
  candidates: [{ content: { role: "model", parts: [{ text }] }, index: 0, ...more }],
  usageMetadata,
});
const BOUND = {
  contextTokens: 200_000,
  outputTokens: 8_000,
  statedOutputTokens: 8_000,
  responses: 1,
  passes: 1,
  maxPassesWithTools: undefined,
};
const ASKED = { contents: [{ role: "user", parts: [{ text: WORDS.repeat(5) }] }] };

describe("estimateMissing", () => {
  it("counts the text of a broken stream whose vendor has stated only the prompt yet", async () => {
    const facts = streamed("generate-content", [
      gemini(WORDS, { promptTokenCount: 80, totalTokenCount: 80 }),
      gemini(WORDS, { promptTokenCount: 80, totalTokenCount: 80 }),
    ]);
    const { usage, estimated } = await estimateMissing(asked("generate-content", ASKED), facts, BOUND);
    expect(usage.inputUncached).toBe(80);
    expect(usage.outputVisible).toBeGreaterThan(20);
    expect(estimated).toBe(true);
  });

  const PICTURE = "iVBORw0KGgo".padEnd(4_000, "A");
  const withImage = (type: string, data: string, usageMetadata?: object, more: object = {}): object => ({
    candidates: [{ content: { parts: [{ inlineData: { mimeType: type, data } }] }, index: 0, ...more }],
    usageMetadata,
  });

  it.each<[string, ProtocolName, object]>([
    ["generateContent", "generate-content", withImage("image/png", PICTURE)],
    [
      "chat completions",
      "chat-completions",
      {
        choices: [
          { index: 0, delta: { images: [{ image_url: { url: `data:image/png;base64,${PICTURE}` } }] } },
        ],
      },
    ],
  ])("counts an image of %s that came before the usage did", async (_, name, event) => {
    const { usage, estimated } = await estimateMissing(asked(name, ASKED), streamed(name, [event]), BOUND);
    expect(usage).toMatchObject({ imageOutput: 1_290, outputVisible: 0 });
    expect(estimated).toBe(true);
  });

  it("counts the media of a whole response whose vendor has stated only the prompt", async () => {
    const stated = { promptTokenCount: 80, totalTokenCount: 80 };
    for (const [type, data, expected] of [
      ["image/png", PICTURE, { imageOutput: 1_290 }],
      ["audio/pcm", "A".repeat(64_000), { audioOutput: 20 }],
    ] as const) {
      const body = withImage(type, data, stated, { finishReason: "STOP" });
      const facts = PROTOCOLS["generate-content"].usage.readPlain(body as never);
      const { usage, estimated } = await estimateMissing(asked("generate-content", ASKED), facts, BOUND);
      expect(usage).toMatchObject({ inputUncached: 80, outputVisible: 0, ...expected });
      expect(estimated).toBe(true);
    }
  });

  it("leaves the counts of a response with media that its vendor has stated", async () => {
    const stated = {
      promptTokenCount: 80,
      candidatesTokenCount: 1_120,
      candidatesTokensDetails: [{ modality: "IMAGE", tokenCount: 1_120 }],
    };
    const facts = streamed("generate-content", [withImage("image/png", PICTURE, stated)]);
    const { usage, estimated } = await estimateMissing(asked("generate-content", ASKED), facts, BOUND);
    expect(usage).toMatchObject({ imageOutput: 1_120 });
    expect(estimated).toBe(false);
  });

  it("counts the images of a tool by the tool's own model, where they came before the usage did", async () => {
    const offered = { ...BOUND, calls: { max: 4, tools: ["image_generation"] } };
    const item = { type: "image_generation_call", id: "ig_1", status: "completed", result: PICTURE };
    const opened = (model?: string): object => ({
      type: "response.created",
      response: { id: "resp_1", output: [], tools: [{ type: "image_generation", model }] },
    });
    const done = { type: "response.output_item.done", output_index: 0, item };
    for (const model of ["gpt-image-1.5", undefined]) {
      const facts = streamed("responses", [opened(model), done, done]);
      const { additionalUsage } = await estimateMissing(asked("responses", { input: WORDS }), facts, offered);
      expect(additionalUsage).toEqual([
        {
          model: model ?? "gpt-image-1",
          tokens: { imageOutput: 2_112 },
          isBeside: true,
          tool: "image_generation",
        },
      ]);
    }
    const plain = { id: "resp_1", object: "response", status: "completed", output: [item] };
    const facts = PROTOCOLS.responses.usage.readPlain(plain);
    const { additionalUsage } = await estimateMissing(asked("responses", { input: WORDS }), facts, offered);
    expect(additionalUsage).toMatchObject([{ tokens: { imageOutput: 1_056 } }]);
    expect(await estimateMissing(asked("responses", { input: WORDS }), facts, BOUND)).not.toMatchObject({
      additionalUsage: expect.anything(),
    });
  });

  it("reads how many of a response's tokens are sound where its modality is a number", async () => {
    const stated = {
      ...{ promptTokenCount: 100, candidatesTokenCount: 50 },
      promptTokensDetails: [
        { modality: 4, tokenCount: 60 },
        { modality: 1, tokenCount: 40 },
      ],
      candidatesTokensDetails: [{ modality: 2, tokenCount: 45 }],
    };
    const { usage } = await estimateMissing(
      asked("generate-content", ASKED),
      streamed("generate-content", [gemini(WORDS, stated, { finishReason: 1 })]),
      BOUND,
    );
    expect(usage).toMatchObject({ inputUncached: 40, audioInput: 60, outputVisible: 5, imageOutput: 45 });
  });

  it("estimates no more for images than the caller's limit allows", async () => {
    const facts = streamed("generate-content", [withImage("image/png", PICTURE)]);
    const { usage } = await estimateMissing(asked("generate-content", ASKED), facts, {
      ...BOUND,
      statedOutputTokens: 500,
    });
    expect(usage).toMatchObject({ imageOutput: 500, outputVisible: 0 });
  });

  it("counts the thoughts of a stream that broke off amid them, unless its vendor has stated them", async () => {
    const thinking = (counts: object): object => ({
      candidates: [{ content: { role: "model", parts: [{ text: WORDS, thought: true }] }, index: 0 }],
      usageMetadata: { promptTokenCount: 80, ...counts },
    });
    const request = asked("generate-content", ASKED);
    const silent = await estimateMissing(request, streamed("generate-content", [thinking({})]), BOUND);
    expect(silent).toMatchObject({ usage: { inputUncached: 80, outputVisible: 0 }, estimated: true });
    expect(silent.usage.outputReasoning).toBeGreaterThan(10);
    const told = streamed("generate-content", [thinking({ thoughtsTokenCount: 31 })]);
    expect(await estimateMissing(request, told, BOUND)).toEqual({
      usage: { inputUncached: 80, outputVisible: 0, outputReasoning: 31 },
      estimated: false,
      implausible: [],
    });
  });

  it("counts what was embedded as token numbers", async () => {
    const facts = PROTOCOLS.embeddings.usage.readPlain({ data: [{ index: 0, embedding: [0.5] }] });
    const texts = asked("embeddings", { model: "m", input: [Array(500).fill(9906), Array(300).fill(13)] });
    const { usage, estimated } = await estimateMissing(texts, facts, BOUND);
    expect(usage.inputUncached).toBeGreaterThanOrEqual(800);
    expect(estimated).toBe(true);
  });

  it("counts a body of very many values by its bytes, unread, so that nobody waits for it", async () => {
    const request = asked("generate-content", { ...ASKED, many: Array(60_000).fill({ a: 12_345 }) });
    // Whoever reads it finds no JSON.
    for (const piece of request.body) piece.fill("x");
    const { usage, estimated } = await estimateMissing(
      request,
      streamed("generate-content", [gemini(WORDS, {})]),
      BOUND,
    );
    expect(usage.inputUncached).toBeGreaterThan(150_000);
    expect(estimated).toBe(true);
  });

  it("lets a finished answer's zero stand", async () => {
    const facts = streamed("generate-content", [
      gemini(WORDS, { promptTokenCount: 80, candidatesTokenCount: 0 }, { finishReason: "STOP" }),
    ]);
    const { usage, estimated } = await estimateMissing(asked("generate-content", ASKED), facts, BOUND);
    expect(usage).toEqual({ inputUncached: 80, outputVisible: 0 });
    expect(estimated).toBe(false);
  });

  it("takes nothing for an answer of which nothing has come", async () => {
    const facts = streamed("generate-content", [{ usageMetadata: { promptTokenCount: 80 } }]);
    const { usage, estimated } = await estimateMissing(asked("generate-content", ASKED), facts, BOUND);
    expect(usage).toEqual({ inputUncached: 80, outputVisible: 0 });
    expect(estimated).toBe(false);
  });

  it("counts the input once for each of several answers, and estimates only those that did not report", async () => {
    const told = streamed("generate-content", [
      gemini(WORDS, { promptTokenCount: 80, candidatesTokenCount: 9 }, { finishReason: "STOP" }),
    ]);
    const silent = streamed("generate-content", [gemini(WORDS, {})]);
    const request = asked("generate-content", ASKED);
    const alone = (await estimateMissing(request, silent, BOUND)).usage;
    const joined = await estimateMissing(request, { ...silent, parts: [told, silent, silent] }, BOUND);
    expect(joined.usage.inputUncached).toBe(80 + 2 * (alone.inputUncached ?? 0));
    expect(joined.usage.outputVisible).toBe(9 + 2 * (alone.outputVisible ?? 0));
    expect(joined.estimated).toBe(true);
  });

  describe("within what is possible", () => {
    const chat = asked("chat-completions", { messages: [{ role: "user", content: WORDS }] });
    const reported = (usage: object, text = WORDS): ResponseSummary =>
      PROTOCOLS["chat-completions"].usage.readPlain({
        choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
        usage,
      });
    const small = { ...BOUND, contextTokens: 1_000, outputTokens: 100, statedOutputTokens: 50 };

    it("estimates a side that the model cannot have done, and keeps the other", async () => {
      const facts = reported({ prompt_tokens: 1_001, completion_tokens: 7 });
      const { usage, estimated, implausible } = await estimateMissing(chat, facts, small);
      expect([estimated, usage.outputVisible]).toEqual([true, 7]);
      expect(usage.inputUncached).toBeLessThan(100);
      expect(implausible).toEqual([{ field: "input", reported: 1_001, most: 1_000 }]);
    });

    it("believes a vendor up to the model's limits, for all answers, beyond the caller's own", async () => {
      const facts = reported({ prompt_tokens: 1_000, completion_tokens: 300 });
      expect(await estimateMissing(chat, facts, { ...small, responses: 3 })).toEqual({
        usage: { inputUncached: 1_000, outputVisible: 300 },
        estimated: false,
        implausible: [],
      });
      const { implausible } = await estimateMissing(chat, facts, { ...small, responses: 2 });
      expect(implausible).toEqual([{ field: "output", reported: 300, most: 200 }]);
    });

    it("believes output far beyond the caller's limit, and marks it, unless its vendor calls it reasoning", async () => {
      const roomy = { ...small, outputTokens: 8_000 };
      const odd = reported({ prompt_tokens: 9, completion_tokens: 900 });
      expect(await estimateMissing(chat, odd, roomy)).toEqual({
        usage: { inputUncached: 9, outputVisible: 900 },
        estimated: false,
        implausible: [{ field: "output", reported: 900, most: 50, charged: true }],
      });
      for (const usage of [
        { prompt_tokens: 9, completion_tokens: 60 },
        {
          prompt_tokens: 9,
          completion_tokens: 900,
          completion_tokens_details: { reasoning_tokens: 860 },
        },
      ])
        expect((await estimateMissing(chat, reported(usage), roomy)).implausible).toEqual([]);
      for (const wider of [{ responses: 9 }, { passes: 9 }, { statedOutputTokens: 8_000 }])
        expect((await estimateMissing(chat, odd, { ...roomy, ...wider })).implausible).toEqual([]);
    });

    it("takes the bound itself where tools ran, of as many passes as were told, or as may be", async () => {
      const usage = (calls: object): object => ({
        prompt_tokens: 9_000,
        completion_tokens: 900,
        prompt_tokens_details: { cached_tokens: 500 },
        ...calls,
      });
      const search = { ...small, maxPassesWithTools: 5, calls: { max: 5, tools: undefined } };
      const told = reported(usage({ server_tool_use: { web_search_requests: 2 } }));
      expect(await estimateMissing(chat, told, search)).toMatchObject({
        usage: { cacheRead: 500, inputUncached: 2_500, outputVisible: 300 },
        estimated: true,
        implausible: [{ most: 3_000 }, { most: 300 }],
      });
      expect(await estimateMissing(chat, reported(usage({})), search)).toMatchObject({
        usage: { cacheRead: 500, inputUncached: 4_500, outputVisible: 500 },
      });
    });

    it("charges a summary of the conversation only where the request allows one, or asks for it", async () => {
      const plain = asked("messages", { messages: [{ role: "user", content: WORDS }] });
      const facts = PROTOCOLS.messages.usage.readPlain({
        content: [{ type: "text", text: "Hi" }],
        stop_reason: "end_turn",
        usage: {
          ...{ input_tokens: 9, output_tokens: 2 },
          iterations: [{ type: "compaction", input_tokens: 500, output_tokens: 30 }],
        },
      });
      const whole = { usage: { inputUncached: 509, outputVisible: 32 }, estimated: false, implausible: [] };
      expect(await estimateMissing(plain, facts, { ...small, passes: 2 })).toEqual(whole);
      expect(await estimateMissing({ ...plain, compacts: "field" }, facts, small)).toEqual(whole);
      expect(await estimateMissing(plain, facts, small)).toEqual({
        usage: { inputUncached: 9, outputVisible: 2 },
        estimated: false,
        implausible: [
          { field: "input", reported: 509, most: 9 },
          { field: "output", reported: 32, most: 2 },
        ],
      });
    });

    it("estimates no more than the caller's limit allows, however long the answer was", async () => {
      const facts = streamed("chat-completions", [
        { choices: [{ index: 0, delta: { content: WORDS.repeat(500) }, finish_reason: null }] },
      ]);
      expect((await estimateMissing(chat, facts, small)).usage.outputVisible).toBe(50);
      expect((await estimateMissing(chat, facts, { ...small, responses: 3 })).usage.outputVisible).toBe(150);
    });
  });
});
