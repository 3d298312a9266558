import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  brokenJson,
  chatEvents,
  chatRequests,
  chatResponses,
  frame,
  plan,
  target,
} from "../../../test/support/conversation-arbitraries.ts";
import { collectEvents } from "../../conversation/adapt/collect.ts";
import { openLosses } from "../../conversation/loss.ts";
import type { ChatRequest } from "../../conversation/request.ts";
import type { ChatResponse } from "../../conversation/response.ts";
import { attachState } from "../../conversation/state/attach-state.ts";
import { openFrameReader, writeFrames } from "../streams/stream-frames.ts";
import type { Translation, WireFrame } from "../translation.ts";
import { chatCompletions } from "./codec.ts";

const codec = chatCompletions.translation as Translation;
const KEYS = [
  "model",
  "messages",
  "role",
  "content",
  "tool_calls",
  "function",
  "name",
  "arguments",
  "id",
  "index",
  "choices",
  "delta",
  "message",
  "finish_reason",
  "stop",
  "usage",
  "prompt_tokens",
  "error",
  "type",
  "text",
  "image_url",
  "url",
  "extra_content",
  "faregate",
  "tools",
  "parameters",
  "tool_choice",
  "response_format",
  "json_schema",
  "schema",
  "reasoning_content",
  "annotations",
  "user",
  "assistant",
  "system",
  "tool",
];

describe("chat completions codec", () => {
  it("gives back every request that it wrote", () => {
    fc.assert(
      fc.property(chatRequests("chat-completions"), (request) => {
        const encoded = codec.encodeRequest(request, target("chat-completions"));
        if (!("value" in encoded)) throw encoded.refused;
        expect(encoded.value.losses).toEqual([]);
        const decoded = codec.decodeRequest(JSON.parse(JSON.stringify(encoded.value.body)));
        if (!("value" in decoded)) throw decoded.refused;
        expect(normalised(decoded.value)).toEqual(normalised(request));
      }),
    );
  });

  it("gives back every answer that it wrote, and names what it cannot hold", () => {
    fc.assert(
      fc.property(chatResponses("chat-completions", { choices: 2 }), (response) => {
        const { body, losses } = codec.encodeResponse(response, frame);
        expect(losses).toEqual([]);
        expect(
          collected(codec.decodeResponse(JSON.parse(JSON.stringify(body)), plan("chat-completions"))),
        ).toEqual(comparable(response));
      }),
    );
  });

  it("collects from a stream, cut at any byte, what the plain answer says", () => {
    const cases = chatResponses("chat-completions", { choices: 2 }).chain((response) =>
      fc.tuple(
        fc.constant(response),
        chatEvents(response),
        fc.infiniteStream(fc.integer({ min: 1, max: 40 })),
      ),
    );
    fc.assert(
      fc.property(cases, ([response, events, cuts]) => {
        const losses = openLosses({});
        const encoder = codec.encodeStream(frame, losses);
        const frames = [...events.flatMap((event) => encoder.step(event)), ...encoder.end()];
        expect(losses.list()).toEqual([]);
        const bytes = Buffer.from(writeFrames(frames));
        const whole = decodeBytes([bytes]);
        const pieces: Buffer[] = [];
        for (let at = 0; at < bytes.length; ) {
          const size = Number(cuts.next().value);
          pieces.push(bytes.subarray(at, at + size));
          at += size;
        }
        expect(decodeBytes(pieces)).toEqual(whole);
        expect(collected(collectEvents(whole))).toEqual(comparable(response));
      }),
    );
  });

  it("carries the state of other issuers in tool calls, back to them and to no one else", () => {
    const cases = chatResponses("messages", { state: "messages" }).filter(({ choices }) =>
      choices.some(
        ({ parts }) => parts.some(({ kind }) => kind === "tool-call") && parts[0]?.kind === "reasoning",
      ),
    );
    fc.assert(
      fc.property(cases, (response) => {
        const { body, losses } = codec.encodeResponse(response, frame);
        expect(losses).toEqual([]);
        const [choice] = body["choices"] as { message: Record<string, unknown> }[];
        const { reasoning_content: _, ...message } = choice?.message ?? {};
        const next = codec.decodeRequest({ model: "m", messages: [{ role: "user", content: "x" }, message] });
        if (!("value" in next)) throw next.refused;
        const thought = response.choices[0]?.parts[0];
        expect(attachState(next.value.messages)[1]?.parts[0]).toEqual(thought);
        const elsewhere = codec.encodeRequest(withResult(next.value), target("chat-completions"));
        if (!("value" in elsewhere)) throw elsewhere.refused;
        expect(JSON.stringify(elsewhere.value.body)).not.toContain("gw1.");
        expect(elsewhere.value.losses.map(({ reason }) => reason)).toContain("other-issuer");
      }),
      { numRuns: 50 },
    );
  });

  it("takes an index that can be none for the first", () => {
    for (const index of [-1, 0.5, 1e308, "1", null]) {
      const choices = [{ index, delta: { content: "Hi" }, finish_reason: "stop" }];
      const run = codec.decodeStream(plan("chat-completions"));
      const events = [...run.step({ data: JSON.stringify({ choices }) }), ...run.end()];
      expect(events.at(-1)).toMatchObject({ type: "finish", choice: 0 });
    }
  });

  it("survives any request, answer and stream", () => {
    fc.assert(
      fc.property(brokenJson(...KEYS), fc.array(brokenJson(...KEYS), { maxLength: 5 }), (value, chunks) => {
        const request = codec.decodeRequest(value);
        if ("value" in request) codec.encodeRequest(request.value, target("chat-completions"));
        const response = codec.decodeResponse(value, plan("chat-completions"));
        if ("response" in response) codec.encodeResponse(response.response, frame);
        const frames = chunks.map((chunk) => ({ data: JSON.stringify(chunk) ?? "" }));
        const events = decodeFrames([...frames, { data: "{" }, { data: "[DONE]" }]);
        const encoder = codec.encodeStream(frame, openLosses({}));
        for (const event of events) encoder.step(event);
        encoder.end();
      }),
      { numRuns: 2000 },
    );
  });
});

function decodeBytes(pieces: readonly Buffer[]) {
  const reader = openFrameReader();
  return decodeFrames([...pieces.flatMap((piece) => reader.write(piece)), ...reader.end()]);
}

function decodeFrames(frames: readonly WireFrame[]) {
  const run = codec.decodeStream(plan("chat-completions"));
  return [...frames.flatMap((each) => run.step(each)), ...run.end()];
}

function collected(outcome: { readonly response: ChatResponse } | object): unknown {
  if (!("response" in outcome)) throw new Error(`no answer: ${JSON.stringify(outcome)}`);
  return comparable(outcome.response);
}

/** Without what each codec says of itself. */
function comparable({ choices, usage, model }: ChatResponse): unknown {
  return {
    model,
    usage: usage?.tokens,
    choices: choices.map(({ parts, finish }) => ({ parts, finish: finish.unified })),
  };
}

/** Neighbouring texts of the system and of assistants are one text on the wire. */
function normalised(request: ChatRequest): unknown {
  const { fieldNames: _, includeUsage: __, stream, ...rest } = request;
  return {
    ...rest,
    messages: request.messages.map((message) => ({
      ...message,
      parts: message.parts.map((part) => {
        if (part.kind !== "tool-result") return part;
        const { name: _name, ...result } = part;
        return result;
      }),
    })),
    stream,
  };
}

function withResult(request: ChatRequest): ChatRequest {
  return {
    ...request,
    messages: [...request.messages, { role: "user", parts: [{ kind: "text", text: "go on" }] }],
  };
}
