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
import type { ChatRequest, ToolResultPart } from "../../conversation/request.ts";
import type { ChatResponse } from "../../conversation/response.ts";
import { attachState } from "../../conversation/state/attach-state.ts";
import { asObject, parseLoosely } from "../json.ts";
import { openFrameReader, writeFrames } from "../streams/stream-frames.ts";
import type { Translation, WireFrame } from "../translation.ts";
import { generateContent } from "./codec.ts";

const codec = generateContent.translation as Translation;
const PROTOCOL = "generate-content";
const KEYS = [
  "contents",
  "role",
  "user",
  "model",
  "parts",
  "text",
  "thought",
  "thoughtSignature",
  "functionCall",
  "functionResponse",
  "function_call",
  "name",
  "args",
  "id",
  "response",
  "inlineData",
  "fileData",
  "fileUri",
  "mimeType",
  "data",
  "tools",
  "functionDeclarations",
  "parameters",
  "toolConfig",
  "functionCallingConfig",
  "mode",
  "generationConfig",
  "generation_config",
  "thinkingConfig",
  "thinkingBudget",
  "responseSchema",
  "candidates",
  "content",
  "index",
  "finishReason",
  "STOP",
  "MALFORMED_FUNCTION_CALL",
  "usageMetadata",
  "promptTokenCount",
  "promptFeedback",
  "blockReason",
  "groundingMetadata",
  "groundingChunks",
  "groundingSupports",
  "groundingChunkIndices",
  "segment",
  "partialArgs",
  "jsonPath",
  "$.a[0].b",
  "willContinue",
  "error",
  "message",
  "status",
  "__proto__",
];

describe("generateContent codec", () => {
  it("gives back every request that it wrote, but for strictness, which it has no slot for", () => {
    fc.assert(
      fc.property(chatRequests(PROTOCOL), (request) => {
        const encoded = codec.encodeRequest(request, target(PROTOCOL));
        if (!("value" in encoded)) throw encoded.refused;
        const { body, losses } = encoded.value;
        expect(losses.filter(({ path }) => path !== "strict" && path !== "reasoning")).toEqual([]);
        const decoded = codec.decodeRequest(JSON.parse(JSON.stringify(body)));
        if (!("value" in decoded)) throw decoded.refused;
        const weakened = losses.some(({ path }) => path === "reasoning");
        expect(normalised(decoded.value, weakened)).toEqual(normalised(request, weakened));
      }),
    );
  });

  it("gives back every answer that it wrote, state of its own included", () => {
    fc.assert(
      fc.property(chatResponses(PROTOCOL, { choices: 2 }), (response) => {
        const { body, losses } = codec.encodeResponse(response, frame);
        expect(losses).toEqual([]);
        expect(collected(codec.decodeResponse(JSON.parse(JSON.stringify(body)), plan(PROTOCOL)))).toEqual(
          comparable(response),
        );
      }),
    );
  });

  it("collects from a stream, cut at any byte, what the plain answer says", () => {
    const cases = chatResponses(PROTOCOL, { choices: 2 }).chain((response) =>
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
        expect(frames.every(({ name }) => name === undefined)).toBe(true);
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

  it("carries the state of other issuers, readable as base64, back to them and to no one else (rule 36)", () => {
    const cases = chatResponses("messages", { state: "messages" }).filter(({ choices }) =>
      choices.some(({ parts }) => parts[0]?.kind === "reasoning"),
    );
    fc.assert(
      fc.property(cases, (response) => {
        const { body, losses } = codec.encodeResponse(response, frame);
        expect(losses).toEqual([]);
        const [candidate] = body["candidates"] as { content: { parts: { thoughtSignature?: string }[] } }[];
        const slots = candidate?.content.parts.flatMap(({ thoughtSignature }) => thoughtSignature ?? []);
        expect(slots).toHaveLength(1);
        expect(slots?.[0]).toMatch(/^[A-Za-z0-9+/]+=*$/);
        const said = { role: "user", parts: [{ text: "x" }] };
        const next = codec.decodeRequest({ contents: [said, candidate?.content, said] });
        if (!("value" in next)) throw next.refused;
        expect(attachState(next.value.messages)[1]?.parts[0]).toEqual(response.choices[0]?.parts[0]);
        const elsewhere = codec.encodeRequest(next.value, target(PROTOCOL));
        if (!("value" in elsewhere)) throw elsewhere.refused;
        expect(JSON.stringify(elsewhere.value.body)).not.toContain("thoughtSignature");
        expect(elsewhere.value.losses.map(({ reason }) => reason)).toContain("other-issuer");
      }),
      { numRuns: 50 },
    );
  });

  it("takes an index that can be none for the first", () => {
    const part = { content: { parts: [{ text: "Hi" }], role: "model" }, finishReason: "STOP" };
    for (const index of [-1, 0.5, 1e308, "1", null]) {
      const run = codec.decodeStream(plan(PROTOCOL));
      const events = [
        ...run.step({ data: JSON.stringify({ candidates: [{ ...part, index }] }) }),
        ...run.end(),
      ];
      expect(events.at(-1)).toMatchObject({ type: "finish", choice: 0 });
    }
  });

  it("tells nothing after a call out of form, whatever stands beside it", () => {
    const unnamed = { functionCall: { name: ["add"], args: { b: 3 } } };
    const part = fc.constantFrom(
      { text: "Twice" },
      { text: "Hm", thought: true },
      { functionCall: { name: "add", args: { b: 3 } } },
      { inlineData: { mimeType: "image/png", data: "AAAA" } },
      unnamed,
    );
    const candidate = fc.record({ index: fc.nat({ max: 1 }), parts: fc.array(part, { maxLength: 4 }) });
    fc.assert(
      fc.property(fc.array(candidate), fc.array(candidate), (before, after) => {
        const candidates = [...before, { index: 0, parts: [unnamed] }, ...after].map(({ index, parts }) => ({
          index,
          content: { parts },
          finishReason: "STOP",
        }));
        const chunk = { data: JSON.stringify({ candidates, usageMetadata: { promptTokenCount: 5 } }) };
        const events = decodeFrames([chunk, chunk]);
        expect(events.findIndex(({ type }) => type === "error")).toBe(events.length - 1);
      }),
    );
  });

  it("survives any request, answer and stream", () => {
    fc.assert(
      fc.property(brokenJson(...KEYS), fc.array(brokenJson(...KEYS), { maxLength: 5 }), (value, chunks) => {
        const request = codec.decodeRequest(value);
        if ("value" in request) codec.encodeRequest(request.value, target(PROTOCOL));
        const response = codec.decodeResponse(value, plan(PROTOCOL));
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
  const run = codec.decodeStream(plan(PROTOCOL));
  return [...frames.flatMap((each) => run.step(each)), ...run.end()];
}

function collected(outcome: { readonly response: ChatResponse } | object): unknown {
  if (!("response" in outcome)) throw new Error(`no answer: ${JSON.stringify(outcome)}`);
  return comparable(outcome.response);
}

/** Without what each codec says of itself. A stream's blocks stand in the order of their choices. */
function comparable({ choices, usage, model }: ChatResponse): unknown {
  return {
    model,
    usage: usage?.tokens,
    choices: choices.map(({ parts, finish }) => ({ parts, finish: finish.unified })),
  };
}

/** A result that happens to be JSON, such as "{\n}", travels as the object it says. */
function withoutBlanks(part: ToolResultPart["parts"][number]): unknown {
  if (part.kind !== "text") return part;
  const object = asObject(parseLoosely(part.text));
  return object === undefined ? part : { ...part, text: JSON.stringify(object) };
}

/** The body names neither model nor stream, turns of one role are one, and calls say nothing of strictness. */
function normalised(request: ChatRequest, weakened: boolean): unknown {
  const { system, messages, tools, sampling, limits, reasoning } = request;
  const turns: { role: string; parts: unknown[] }[] = [];
  for (const { role, parts } of messages) {
    const told = parts.map((part) => {
      if (part.kind === "tool-call") return { ...part, arguments: JSON.parse(part.arguments) };
      return part.kind === "tool-result" ? { ...part, parts: part.parts.map(withoutBlanks) } : part;
    });
    const last = turns.at(-1);
    if (last?.role === role) last.parts.push(...told);
    else turns.push({ role, parts: [...told] });
  }
  return {
    system,
    turns,
    tools: tools.map((tool) => ({ ...tool, strict: false })),
    sampling,
    limits,
    reasoning: weakened ? "weakened" : reasoning,
  };
}
