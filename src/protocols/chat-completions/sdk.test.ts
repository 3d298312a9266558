import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import fc from "fast-check";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { chatEvents, chatResponses, frame } from "../../../test/support/conversation-arbitraries.ts";
import { openLosses } from "../../conversation/loss.ts";
import type { ChatResponse } from "../../conversation/response.ts";
import { writeFrames } from "../streams/stream-frames.ts";
import type { Translation } from "../translation.ts";
import { chatCompletions } from "./codec.ts";

const codec = chatCompletions.translation as Translation;

/** The unmodified official client reading what the codec writes; nothing leaves the process. */
function clientOf(body: string, type: string): OpenAI {
  const response = async (): Promise<Response> => new Response(body, { headers: { "content-type": type } });
  return new OpenAI({ apiKey: "none", baseURL: "http://localhost/v1", maxRetries: 0, fetch: response });
}

const ASK = { model: "m", messages: [{ role: "user", content: "x" }] } as const satisfies object;

describe("the official client of chat completions", () => {
  it("reads every stream to what the plain answer says", async () => {
    const cases = chatResponses("messages", { state: "messages" }).chain((response) =>
      fc.tuple(fc.constant(response), chatEvents(response)),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ([response, events]) => {
        const run = codec.encodeStream(frame, openLosses({}));
        const frames = [...events.flatMap((event) => run.step(event)), ...run.end()];
        const streaming = clientOf(writeFrames(frames), "text/event-stream");
        const streamed = await streaming.chat.completions
          .stream({ ...ASK, messages: [...ASK.messages] })
          .finalMessage();
        const plain = clientOf(
          JSON.stringify(codec.encodeResponse(response, frame).body),
          "application/json",
        );
        const answer = await plain.chat.completions.create({ ...ASK, messages: [...ASK.messages] });
        expect(callsOf(answer.choices[0]?.message)).toEqual(expectedCalls(response));
        expect(streamed.content ?? "").toBe(answer.choices[0]?.message.content ?? "");
        expect(callsOf(streamed)).toEqual(expectedCalls(response));
      }),
      { numRuns: 50 },
    );
  });

  it("is not alone: the AI SDK, which checks each chunk, reads streams with the state of calls", async () => {
    const cases = chatResponses("messages", { state: "messages" }).chain((response) =>
      fc.tuple(fc.constant(response), chatEvents(response)),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ([response, events]) => {
        const run = codec.encodeStream(frame, openLosses({}));
        const body = writeFrames([...events.flatMap((event) => run.step(event)), ...run.end()]);
        const fetch = async (): Promise<Response> =>
          new Response(body, { headers: { "content-type": "text/event-stream" } });
        const provider = createOpenAICompatible({ name: "n", baseURL: "http://localhost/v1", fetch });
        const { stream } = await provider("m").doStream({
          prompt: [{ role: "user", content: [{ type: "text", text: "x" }] }],
        });
        const calls: unknown[] = [];
        for await (const part of stream) {
          expect(part.type).not.toBe("error");
          if (part.type === "tool-call") calls.push([part.toolCallId, part.toolName, part.input]);
        }
        expect(calls).toEqual(expectedCalls(response));
      }),
      { numRuns: 50 },
    );
  });

  it("raises the error of a stream that breaks", async () => {
    const run = codec.encodeStream(frame, openLosses({}));
    const error = { status: 502, type: "api_error", code: "", param: "", message: "broken" };
    const frames = [
      ...run.step({ type: "response-start" }),
      ...run.step({ type: "error", error }),
      ...run.end(),
    ];
    const client = clientOf(writeFrames(frames), "text/event-stream");
    const stream = await client.chat.completions.create({
      ...ASK,
      messages: [...ASK.messages],
      stream: true,
    });
    await expect(
      (async () => {
        for await (const _ of stream);
      })(),
    ).rejects.toThrow("broken");
  });
});

type Calls = { tool_calls?: readonly unknown[] | undefined } | undefined;

function callsOf(message: Calls): unknown {
  return (message?.tool_calls ?? []).map((call) => {
    const { id, function: called } = call as { id: string; function: { name: string; arguments: string } };
    return [id, called.name, called.arguments];
  });
}

function expectedCalls({ choices }: ChatResponse): unknown {
  return choices[0]?.parts.flatMap((part) =>
    part.kind === "tool-call" ? [[part.id, part.name, part.arguments]] : [],
  );
}
