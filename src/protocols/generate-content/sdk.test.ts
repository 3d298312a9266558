import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { type GenerateContentResponse, GoogleGenAI } from "@google/genai";
import { generateText, jsonSchema, stepCountIs, streamText, type ToolSet, tool } from "ai";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { chatResponses, eventsOf, frame } from "../../../test/support/conversation-arbitraries.ts";
import type { ChatEvent } from "../../conversation/event.ts";
import { openLosses } from "../../conversation/loss.ts";
import type { ChatResponse } from "../../conversation/response.ts";
import { attachState } from "../../conversation/state/attach-state.ts";
import { writeFrames } from "../streams/stream-frames.ts";
import type { Translation } from "../translation.ts";
import { generateContent } from "./codec.ts";

const codec = generateContent.translation as Translation;
const ask = { model: "model-1", contents: "Hello" };

describe("the official SDKs read what callers of generateContent get", () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it("plain and streamed answers alike in @google/genai, cut anywhere", async () => {
    const client = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: "http://127.0.0.1:1" } });
    const cases = fc.tuple(responses, fc.integer({ min: 1, max: 50 }));
    await fc.assert(
      fc.asyncProperty(cases, async ([response, size]) => {
        vi.stubGlobal("fetch", async () => plainResponse(response));
        const plain = await client.models.generateContent(ask);
        expect(plain.functionCalls ?? []).toEqual(callsOf(response));
        expect(wordsOf(plain)).toBe(textOf(response));

        vi.stubGlobal("fetch", async () => streamedResponse(eventsOf(response), size));
        let text = "";
        const calls: unknown[] = [];
        let finish: string | undefined;
        let usage = plain.usageMetadata;
        for await (const chunk of await client.models.generateContentStream(ask)) {
          text += wordsOf(chunk);
          calls.push(...(chunk.functionCalls ?? []));
          finish = chunk.candidates?.[0]?.finishReason ?? finish;
          usage = chunk.usageMetadata ?? usage;
        }
        expect(text).toBe(textOf(response));
        expect(calls).toEqual(callsOf(response));
        expect(finish).toBe(plain.candidates?.[0]?.finishReason);
        expect(usage).toEqual(plain.usageMetadata);
      }),
      { numRuns: 40 },
    );
  });

  it("a broken stream as an error in @google/genai (rule 19)", async () => {
    const client = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: "http://127.0.0.1:1" } });
    const error = {
      status: 502,
      type: "gateway_error",
      code: "upstream_error",
      param: "",
      message: "It broke.",
    };
    const events: ChatEvent[] = [
      { type: "response-start" },
      { type: "text-start", block: 0, choice: 0 },
      { type: "text-delta", block: 0, text: "Hel" },
      { type: "error", error },
      { type: "finish", choice: 0, finish: { unified: "stop", protocol: "messages" } },
    ];
    vi.stubGlobal("fetch", async () => streamedResponse(events, 9));
    const read = async () => {
      for await (const chunk of await client.models.generateContentStream(ask)) {
        expect(chunk.candidates?.[0]?.finishReason).toBeUndefined();
      }
    };
    await expect(read()).rejects.toThrow("It broke.");
  });

  it("plain and streamed answers with calls and thoughts in @ai-sdk/google", async () => {
    const run = tool({ inputSchema: jsonSchema<Record<string, unknown>>({ type: "object" }) });
    await fc.assert(
      fc.asyncProperty(responses, async (response) => {
        const tools = Object.fromEntries(callsOf(response).map(({ name }) => [name, run])) as ToolSet;
        const plainly = provider(async () => plainResponse(response))("model-1");
        const plain = await generateText({ model: plainly, prompt: "Hello", tools, maxRetries: 0 });
        expect(plain.text).toBe(textOf(response));
        expect(plain.toolCalls.map(({ toolName, input }) => ({ toolName, input }))).toEqual(
          callsOf(response).map(({ name, args }) => ({ toolName: name, input: args })),
        );
        const streaming = provider(async () => streamedResponse(eventsOf(response), 17))("model-1");
        const streamed = streamText({ model: streaming, prompt: "Hello", tools, maxRetries: 0 });
        expect(await streamed.text).toBe(plain.text);
        expect(await streamed.finishReason).toBe(plain.finishReason);
        expect(await streamed.reasoningText).toBe(plain.reasoningText);
        const { inputTokens, outputTokens } = await streamed.usage;
        expect({ inputTokens, outputTokens }).toEqual({
          inputTokens: plain.usage.inputTokens,
          outputTokens: plain.usage.outputTokens,
        });
      }),
      { numRuns: 25 },
    );
  });
});

describe("what the official SDKs send back is read", () => {
  it("calls, results and state in a tool loop of @ai-sdk/google", async () => {
    const state = { origin: { protocol: "messages", upstream: "u", model: "m" }, value: "sig+/=" } as const;
    const called: ChatResponse = {
      choices: [
        {
          parts: [
            { kind: "reasoning", text: "Hm.", opaque: state },
            { kind: "tool-call", id: "toolu_1", name: "clock", arguments: '{"zone":"UTC"}' },
          ],
          finish: { unified: "tool-calls", protocol: "messages" },
        },
      ],
    };
    const said = {
      parts: [{ kind: "text", text: "Noon." }],
      finish: { unified: "stop", protocol: "messages" },
    } as const;
    const bodies: unknown[] = [];
    const model = createGoogleGenerativeAI({
      apiKey: "k",
      fetch: async (_, init) => {
        bodies.push(JSON.parse(String(init?.body)));
        return plainResponse(bodies.length === 1 ? called : { choices: [said] });
      },
    })("model-1");
    const clock = tool({
      inputSchema: jsonSchema<{ zone: string }>({ type: "object", properties: { zone: { type: "string" } } }),
      execute: async ({ zone }) => `12:00 ${zone}`,
    });
    const { text } = await generateText({
      model,
      prompt: "Time?",
      tools: { clock },
      stopWhen: stepCountIs(2),
    });
    expect(text).toBe("Noon.");
    const second = codec.decodeRequest(bodies[1]);
    if (!("value" in second)) throw second.refused;
    const [, turn, results] = attachState(second.value.messages);
    expect(turn?.parts).toMatchObject([
      { kind: "reasoning", opaque: state },
      { kind: "tool-call", name: "clock" },
    ]);
    const call = turn?.parts.find((part) => part.kind === "tool-call");
    expect(results?.parts).toMatchObject([{ kind: "tool-result", callId: call?.id }]);
    expect(JSON.stringify(results)).toContain("12:00 UTC");
    expect(second.value.tools).toMatchObject([{ kind: "function", name: "clock" }]);
  });
});

/** Responses that a messages upstream can give, with signed reasoning. */
const responses = chatResponses("messages", { state: "messages" }).filter(({ choices }) =>
  choices.every(({ parts }) => parts.length > 0),
);

function plainResponse(response: ChatResponse): Response {
  const { body } = codec.encodeResponse(response, frame);
  return new Response(JSON.stringify(body), { headers: { "content-type": "application/json" } });
}

function streamedResponse(events: readonly ChatEvent[], size: number): Response {
  const encoder = codec.encodeStream(frame, openLosses({}));
  const frames = [...events.flatMap((event) => encoder.step(event)), ...encoder.end()];
  const bytes = Buffer.from(writeFrames(frames));
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) {
        controller.enqueue(new Uint8Array(bytes.subarray(at, at + size)));
      }
      controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

function provider(fetch: () => Promise<Response>) {
  return createGoogleGenerativeAI({ apiKey: "k", baseURL: "http://127.0.0.1:1/v1beta", fetch });
}

/** Does what the SDK's own `text` does, which warns if there are calls beside the text. */
function wordsOf({ candidates }: GenerateContentResponse): string {
  const parts = candidates?.[0]?.content?.parts ?? [];
  return parts.map((part) => (part.thought === true ? "" : (part.text ?? ""))).join("");
}

function textOf({ choices }: ChatResponse): string {
  return (choices[0]?.parts ?? []).map((part) => (part.kind === "text" ? part.text : "")).join("");
}

function callsOf({ choices }: ChatResponse) {
  return (choices[0]?.parts ?? []).flatMap((part) =>
    part.kind === "tool-call" ? [{ id: part.id, name: part.name, args: JSON.parse(part.arguments) }] : [],
  );
}
