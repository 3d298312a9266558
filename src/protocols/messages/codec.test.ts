import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { casesOf } from "../../../test/support/cases.ts";
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
import { alternatingTurns } from "../../conversation/lower/alternating-turns.ts";
import type { ChatRequest, Part } from "../../conversation/request.ts";
import type { ChatResponse } from "../../conversation/response.ts";
import { totalInput } from "../../usage/usage.ts";
import { openFrameReader, writeFrames } from "../streams/stream-frames.ts";
import type { Translation, WireFrame } from "../translation.ts";
import { messages } from "./codec.ts";

const codec = messages.translation as Translation;

/** A stream opens with an estimate of its input, and an end that counts none at all is no statement of it. */
function saysNoInput({ usage }: ChatResponse): boolean {
  return usage !== undefined && totalInput(usage.tokens) === 0;
}

describe("messages codec", () => {
  it("gives back every request that it wrote", () => {
    fc.assert(
      fc.property(chatRequests("messages", { cached: true }), (request) => {
        const encoded = codec.encodeRequest(request, target("messages"));
        if (!("value" in encoded)) throw encoded.refused;
        // `minimal` is no effort here, and thinking is no part of these requests.
        const weakened = request.reasoning?.effort === "minimal";
        // A conversation whose first words are not the user's gets an opening, which is named.
        const losses = encoded.value.losses.filter(({ path }) => path !== "messages");
        expect(losses).toEqual(weakened ? [{ path: "reasoning", reason: "weakened" }] : []);
        const decoded = codec.decodeRequest(JSON.parse(JSON.stringify(encoded.value.body)));
        if (!("value" in decoded)) throw decoded.refused;
        expect(normalised(decoded.value)).toEqual(normalised(request));
      }),
    );
  });

  it("gives back every answer that it wrote", () => {
    fc.assert(
      fc.property(chatResponses("messages"), (response) => {
        const { body, losses } = codec.encodeResponse(response, frame);
        expect(losses).toEqual([]);
        expect(collected(codec.decodeResponse(reparsed(body), plan("messages")))).toEqual(
          comparable(response),
        );
      }),
    );
  });

  it("collects from a stream, cut at any byte, what the plain answer says", () => {
    const cases = chatResponses("messages")
      .filter((response) => !saysNoInput(response))
      .chain((response) =>
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
        const plain = codec.encodeResponse(response, frame).body;
        expect(collected(collectEvents(whole))).toEqual(
          collected(codec.decodeResponse(reparsed(plain), plan("messages"))),
        );
      }),
    );
  });

  it("writes blocks strictly one after the other, with rising indexes and nothing after the end (rule 13)", () => {
    const cases = chatResponses("messages").chain((response) => chatEvents(response));
    fc.assert(
      fc.property(cases, (events) => {
        const encoder = codec.encodeStream(frame, openLosses({}));
        const sent = [...events, ...events].flatMap((event) => encoder.step(event));
        expect(grammarFaults(sent)).toEqual([]);
      }),
    );
  });

  it("carries the state of other issuers as signatures, back to them and to no one else (rule 36)", () => {
    const cases = chatResponses("responses", { state: "responses" }).filter(({ choices }) =>
      choices.some(({ parts }) => parts[0]?.kind === "reasoning"),
    );
    fc.assert(
      fc.property(cases, (response) => {
        const { body, losses } = codec.encodeResponse(response, frame);
        expect(losses).toEqual([]);
        const turn = { role: "assistant", content: body["content"] };
        const next = codec.decodeRequest({
          model: "m",
          max_tokens: 10,
          messages: [{ role: "user", content: "x" }, turn, { role: "user", content: "y" }],
        });
        if (!("value" in next)) throw next.refused;
        expect(next.value.messages[1]?.parts[0]).toEqual(response.choices[0]?.parts[0]);
        const elsewhere = codec.encodeRequest(next.value, target("messages"));
        if (!("value" in elsewhere)) throw elsewhere.refused;
        expect(JSON.stringify(elsewhere.value.body)).not.toContain("gw1.");
        expect(elsewhere.value.losses.map(({ reason }) => reason)).toContain("other-issuer");
      }),
      { numRuns: 50 },
    );
  });

  it("survives any request, answer and stream", () => {
    fc.assert(
      fc.property(brokenJson(...KEYS), fc.array(brokenJson(...KEYS), { maxLength: 5 }), (value, chunks) => {
        const request = codec.decodeRequest(value);
        if ("value" in request) codec.encodeRequest(request.value, target("messages"));
        const response = codec.decodeResponse(value, plan("messages"));
        if ("response" in response) codec.encodeResponse(response.response, frame);
        const frames = chunks.map((chunk) => ({ data: JSON.stringify(chunk) ?? "" }));
        const events = decodeFrames([...frames, { data: "{" }, { name: "message_stop", data: "{}" }]);
        const encoder = codec.encodeStream(frame, openLosses({}));
        for (const event of events) encoder.step(event);
        encoder.end();
      }),
      { numRuns: casesOf(2_000) },
    );
  });

  it("survives bodies and events whose shape is right and whose insides are anything", () => {
    const inside = brokenJson(...KEYS);
    const block = fc.record({
      type: fc.constantFrom(...BLOCKS),
      text: inside,
      input: inside,
      source: inside,
    });
    const body = fc.record({
      model: fc.constant("m"),
      max_tokens: fc.oneof(fc.constant(10), inside),
      system: fc.oneof(fc.constant("s"), fc.array(block)),
      messages: fc.array(
        fc.record({
          role: fc.constantFrom("user", "assistant", "system"),
          content: fc.oneof(inside, fc.array(fc.oneof(block, inside))),
        }),
      ),
      tools: fc.oneof(fc.constant([]), inside),
      thinking: fc.oneof(fc.constant({ type: "adaptive" }), inside),
    });
    const event = fc.record({
      type: fc.constantFrom(...EVENTS),
      index: fc.constantFrom(0, 1, "0", null),
      content_block: fc.oneof(block, inside),
      delta: fc.oneof(
        fc.record({ type: fc.constantFrom(...DELTAS), text: inside, partial_json: inside }),
        inside,
      ),
      message: inside,
      usage: inside,
    });
    fc.assert(
      fc.property(body, fc.array(event, { maxLength: 12 }), (value, events) => {
        const request = codec.decodeRequest(value);
        if ("value" in request) codec.encodeRequest(request.value, target("messages"));
        const decoded = decodeFrames(events.map((each) => ({ data: JSON.stringify(each) })));
        expect(decoded.filter(({ type }) => type === "finish" || type === "error").length).toBe(1);
        const encoder = codec.encodeStream(frame, openLosses({}));
        const sent = decoded.flatMap((each) => encoder.step(each));
        expect(grammarFaults(sent)).toEqual([]);
      }),
      { numRuns: casesOf(2_000) },
    );
  });
});

/** The objections of a strict reader of a messages stream. */
function grammarFaults(frames: readonly WireFrame[]): readonly string[] {
  const faults: string[] = [];
  let open: number | undefined;
  let next = 0;
  let ended = false;
  frames.forEach(({ name, data }, at) => {
    const event = JSON.parse(data);
    if (event.type !== name) faults.push(`${name} is ${event.type}`);
    if (ended) faults.push(`${name} after the end`);
    if ((name === "message_start") !== (at === 0) && name !== "error") faults.push(`${name} at ${at}`);
    if (name === "content_block_start") {
      if (open !== undefined || event.index !== next) faults.push(`block ${event.index} starts`);
      open = event.index;
      next += 1;
    } else if (name === "content_block_delta" || name === "content_block_stop") {
      if (event.index !== open) faults.push(`${name} of ${event.index}`);
      if (name === "content_block_stop") open = undefined;
    } else if (name === "message_delta" && open !== undefined) faults.push("finish inside a block");
    ended ||= name === "message_stop" || name === "error";
  });
  return faults;
}

function decodeBytes(pieces: readonly Buffer[]) {
  const reader = openFrameReader();
  return decodeFrames([...pieces.flatMap((piece) => reader.write(piece)), ...reader.end()]);
}

function decodeFrames(frames: readonly WireFrame[]) {
  const run = codec.decodeStream(plan("messages"));
  return [...frames.flatMap((each) => run.step(each)), ...run.end()];
}

function reparsed(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function collected(outcome: { readonly response: ChatResponse } | object): unknown {
  if (!("response" in outcome)) throw new Error(`no answer: ${JSON.stringify(outcome)}`);
  return comparable(outcome.response);
}

/** Without what each codec says of itself; counters of the cache that nobody reported are 0 on the wire. */
function comparable({ choices, usage, model }: ChatResponse): unknown {
  return {
    model,
    usage: usage && { cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, ...usage.tokens },
    choices: choices.map(({ parts, finish }) => ({ parts, finish: finish.unified })),
  };
}

/** Turns alternate on the wire, blank texts are nothing, a limit is always told. */
function normalised(request: ChatRequest): unknown {
  const { fieldNames: _, includeUsage: __, ...rest } = request;
  const worded = request.messages.map((message) => ({ ...message, parts: message.parts.filter(hasWords) }));
  return {
    ...rest,
    system: request.system.filter(hasWords),
    messages: alternatingTurns({ ...request, messages: worded }, openLosses({})).map(({ role, parts }) => ({
      role,
      parts: parts.map(wirePart),
    })),
    limits: { maxOutputTokens: 8192, ...request.limits },
    ...(request.reasoning?.effort === "minimal" ? { reasoning: { enabled: true, effort: "low" } } : {}),
  };
}

function wirePart(part: Part): Part {
  if (part.kind !== "tool-result") return part;
  const { name: _, ...result } = part;
  return { ...result, parts: result.parts.filter(hasWords) };
}

function hasWords(part: Part): boolean {
  return part.kind !== "text" || part.text.trim() !== "";
}

const KEYS = [
  "model",
  "messages",
  "max_tokens",
  "role",
  "user",
  "assistant",
  "content",
  "type",
  "text",
  "tool_use",
  "tool_result",
  "tool_use_id",
  "id",
  "name",
  "input",
  "thinking",
  "signature",
  "redacted_thinking",
  "data",
  "source",
  "base64",
  "image",
  "tools",
  "input_schema",
  "tool_choice",
  "output_config",
  "format",
  "schema",
  "message_start",
  "message",
  "content_block_start",
  "content_block",
  "content_block_delta",
  "delta",
  "index",
  "text_delta",
  "message_delta",
  "usage",
  "input_tokens",
  "stop_reason",
  "error",
  "citations",
  "constructor",
  "__proto__",
];
const BLOCKS = [
  "text",
  "image",
  "document",
  "thinking",
  "redacted_thinking",
  "tool_use",
  "tool_result",
  "server_tool_use",
  "constructor",
];
const EVENTS = [
  "message_start",
  "content_block_start",
  "content_block_delta",
  "content_block_stop",
  "message_delta",
  "ping",
  "content_block_delta",
  "message_stop",
];
const DELTAS = ["text_delta", "thinking_delta", "signature_delta", "input_json_delta", "citations_delta"];
