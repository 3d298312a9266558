import { createAnthropic } from "@ai-sdk/anthropic";
import Anthropic from "@anthropic-ai/sdk";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chatEvents, chatResponses, frame } from "../../../test/support/conversation-arbitraries.ts";
import type { ChatEvent } from "../../conversation/event.ts";
import { openLosses } from "../../conversation/loss.ts";
import { writeFrames } from "../streams/stream-frames.ts";
import type { Translation } from "../translation.ts";
import { messages } from "./codec.ts";

const codec = messages.translation as Translation;

describe("the official SDK", () => {
  it("reads from every stream what the plain answer says, cut anywhere", async () => {
    const cases = chatResponses("responses", { state: "responses" }).chain((response) =>
      fc.tuple(fc.constant(response), chatEvents(response), fc.integer({ min: 1, max: 50 })),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ([response, events, size]) => {
        const message = await readByClient(events, size);
        expect(reparsed(message)).toMatchObject(reparsed(codec.encodeResponse(response, frame).body));
      }),
    );
  });

  it("is not alone: the AI SDK reads answers and streams alike", async () => {
    const cases = chatResponses("responses", { state: "responses" }).chain((response) =>
      fc.tuple(fc.constant(response), chatEvents(response)),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ([response, events]) => {
        const plain = JSON.stringify(codec.encodeResponse(response, frame).body);
        const generated = await aiModel(new Response(plain, { headers: JSON_TYPE })).doGenerate(PROMPT);
        const texts = response.choices[0]?.parts.flatMap((part) => (part.kind === "text" ? [part.text] : []));
        expect(generated.content.flatMap((part) => (part.type === "text" ? [part.text] : []))).toEqual(texts);
        const streamed = await aiModel(new Response(written(events), { headers: SSE_TYPE })).doStream(PROMPT);
        const kinds: string[] = [];
        for await (const part of streamed.stream) {
          kinds.push(part.type);
          if (part.type === "finish") expect(part.finishReason).toEqual(generated.finishReason);
        }
        expect(kinds).not.toContain("error");
        expect(kinds.at(-1)).toBe("finish");
        const calls = generated.content.filter(({ type }) => type === "tool-call").length;
        expect(kinds.filter((kind) => kind === "tool-call").length).toBe(calls);
      }),
      { numRuns: 50 },
    );
  });

  it("throws at a stream that broke", async () => {
    const error = { status: 502, type: "api_error", code: "", param: "", message: "broken" };
    const events: readonly ChatEvent[] = [{ type: "response-start" }, { type: "error", error }];
    await expect(readByClient(events, 9)).rejects.toThrow("broken");
    await expect(readByClient([{ type: "response-start" }], 9)).rejects.toThrow();
  });
});

function reparsed(value: object): object {
  return JSON.parse(JSON.stringify(value));
}

/** The message that an unmodified client makes of the stream that these events are written as. */
function readByClient(events: readonly ChatEvent[], size: number): Promise<Anthropic.Message> {
  const bytes = Buffer.from(written(events));
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, at + size));
      at += size;
    },
  });
  const client = new Anthropic({
    apiKey: "unused",
    baseURL: "http://127.0.0.1:9",
    maxRetries: 0,
    fetch: async () => new Response(body, { headers: SSE_TYPE }),
  });
  const asked = { model: "m", max_tokens: 9, messages: [{ role: "user" as const, content: "q" }] };
  return client.messages.stream(asked).finalMessage();
}

function written(events: readonly ChatEvent[]): string {
  const run = codec.encodeStream(frame, openLosses({}));
  return writeFrames([...events.flatMap((event) => run.step(event)), ...run.end()]);
}

function aiModel(response: Response) {
  const settings = { apiKey: "unused", baseURL: "http://127.0.0.1:9", fetch: async () => response };
  return createAnthropic(settings).languageModel("m");
}

const PROMPT = {
  prompt: [{ role: "user" as const, content: [{ type: "text" as const, text: "q" }] }],
};
const JSON_TYPE = { "content-type": "application/json" };
const SSE_TYPE = { "content-type": "text/event-stream" };
