import { createOpenAI } from "@ai-sdk/openai";
import { streamText } from "ai";
import fc from "fast-check";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { chatEvents, chatResponses, frame } from "../../../test/support/conversation-arbitraries.ts";
import type { ChatEvent } from "../../conversation/event.ts";
import { openLosses } from "../../conversation/loss.ts";
import type { ChatResponse } from "../../conversation/response.ts";
import { writeFrames } from "../streams/stream-frames.ts";
import type { Translation } from "../translation.ts";
import { responses } from "./codec.ts";

const codec = responses.translation as Translation;
const cases = chatResponses("messages", { state: "messages" }).chain((response) =>
  fc.tuple(fc.constant(response), chatEvents(response), fc.integer({ min: 1, max: 60 })),
);

describe("the official SDK", () => {
  it("reads from every stream what the plain answer says, cut anywhere", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ([response, events, size]) => {
        const read = await readByClient(events, size);
        expect(reparsed(read)).toMatchObject(reparsed(codec.encodeResponse(response, frame).body));
        expect(read.output_text).toBe(textOf(response));
      }),
      { numRuns: 50 },
    );
  });
});

describe("the AI SDK", () => {
  it("reads text, thoughts, calls, finish and usage from every stream", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ([response, events, size]) => {
        const { model } = aiModel(events, size);
        const result = streamText({
          model,
          prompt: "q",
          maxRetries: 0,
          onError: ({ error }) => expect(error).toBe(undefined),
        });
        const calls = (await result.toolCalls).map(({ toolCallId, toolName }) => [toolCallId, toolName]);
        const parts = response.choices[0]?.parts ?? [];
        expect(await result.text).toBe(textOf(response));
        expect(await result.reasoningText).toBe(thoughtOf(response));
        expect(calls).toEqual(
          parts.flatMap((part) => (part.kind === "tool-call" ? [[part.id, part.name]] : [])),
        );
        expect(await result.finishReason).toBe(response.choices[0]?.finish.unified);
        const { inputUncached = 0, cacheRead = 0 } = response.usage?.tokens ?? {};
        expect(await result.usage).toMatchObject({ inputTokens: inputUncached + cacheRead });
      }),
      { numRuns: 50 },
    );
  });

  it("tells of a stream that broke", async () => {
    const error = { status: 502, type: "api_error", code: "upstream_error", param: "", message: "broken" };
    for (const before of [[], [{ type: "response-start" }]] as const) {
      const told: unknown[] = [];
      const { model } = aiModel([...before, { type: "error", error }], 9);
      const result = streamText({
        model,
        prompt: "q",
        maxRetries: 0,
        onError: ({ error: each }) => void told.push(each),
      });
      await result.consumeStream();
      expect(JSON.stringify(told)).toContain("broken");
    }
  });
});

function reparsed(value: object): object {
  return JSON.parse(JSON.stringify(value));
}

function textOf({ choices }: ChatResponse): string {
  return (choices[0]?.parts ?? []).map((part) => (part.kind === "text" ? part.text : "")).join("");
}

function thoughtOf({ choices }: ChatResponse): string | undefined {
  const thoughts = (choices[0]?.parts ?? []).filter((part) => part.kind === "reasoning");
  return thoughts.length === 0 ? undefined : thoughts.map(({ text }) => text).join("");
}

/** The response that an unmodified client makes of the stream that these events are written as. */
function readByClient(events: readonly ChatEvent[], size: number) {
  const client = new OpenAI({
    apiKey: "unused",
    baseURL: "http://127.0.0.1:9",
    maxRetries: 0,
    fetch: streaming(events, size),
  });
  return client.responses.stream({ model: "m", input: "q" }).finalResponse();
}

function aiModel(events: readonly ChatEvent[], size: number) {
  const provider = createOpenAI({
    apiKey: "unused",
    baseURL: "http://127.0.0.1:9",
    fetch: streaming(events, size),
  });
  return { model: provider.responses("m") };
}

/** Answers any request with the stream, in pieces of so many bytes. */
function streaming(events: readonly ChatEvent[], size: number): typeof fetch {
  const run = codec.encodeStream(frame, openLosses({}));
  const frames = [...events.flatMap((event) => run.step(event)), ...run.end()];
  const bytes = Buffer.from(writeFrames(frames));
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, at + size));
      at += size;
    },
  });
  return async () => new Response(body, { headers: { "content-type": "text/event-stream" } });
}
