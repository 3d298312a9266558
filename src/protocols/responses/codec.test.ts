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
import type { ChatEvent } from "../../conversation/event.ts";
import { openLosses } from "../../conversation/loss.ts";
import type { ChatRequest } from "../../conversation/request.ts";
import type { ChatResponse } from "../../conversation/response.ts";
import { type Opaque, unwrapOpaque } from "../../conversation/state/opaque.ts";
import { byClass, TOKEN_BUCKETS, type TokenUsage } from "../../usage/usage.ts";
import { openFrameReader, writeFrames } from "../streams/stream-frames.ts";
import type { Translation, WireFrame } from "../translation.ts";
import { responses } from "./codec.ts";
import { encodeUsage } from "./encode-usage.ts";

const codec = responses.translation as Translation;

describe("responses codec", () => {
  it("gives back every request that it wrote, and names what it cannot say", () => {
    fc.assert(
      fc.property(chatRequests("responses"), (request) => {
        const encoded = codec.encodeRequest(request, target("responses"));
        if (!("value" in encoded)) throw encoded.refused;
        const { maxOutputTokens = 16 } = request.limits;
        expect(encoded.value.losses.map(({ path }) => path)).toEqual(
          maxOutputTokens < 16 ? ["maxOutputTokens"] : [],
        );
        expect(encoded.value.plan.stops).toEqual(request.limits.stop ?? []);
        const decoded = codec.decodeRequest(JSON.parse(JSON.stringify(encoded.value.body)));
        if (!("value" in decoded)) throw decoded.refused;
        expect(normalised(decoded.value)).toEqual(normalised(request));
      }),
    );
  });

  it("gives back every answer that it wrote, with the state of its thoughts", () => {
    fc.assert(
      fc.property(chatResponses("responses", { state: "responses" }), (response) => {
        const { body, losses } = codec.encodeResponse(response, frame);
        expect(losses).toEqual([]);
        expect(collected(codec.decodeResponse(JSON.parse(JSON.stringify(body)), plan("responses")))).toEqual(
          comparable(response),
        );
      }),
    );
  });

  it("collects from a stream, cut at any byte, what the plain answer says", () => {
    const cases = chatResponses("responses", { state: "responses" }).chain((response) =>
      fc.tuple(
        fc.constant(response),
        chatEvents(response),
        fc.infiniteStream(fc.integer({ min: 1, max: 60 })),
      ),
    );
    fc.assert(
      fc.property(cases, ([response, events, cuts]) => {
        const bytes = Buffer.from(writeFrames(written(events)));
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

  it("ends a stream with the response that the plain answer is", () => {
    const cases = chatResponses("responses", { state: "responses" }).chain((response) =>
      fc.tuple(fc.constant(response), chatEvents(response)),
    );
    fc.assert(
      fc.property(cases, ([response, events]) => {
        const last = JSON.parse(written(events).at(-1)?.data ?? "");
        expect(last.response).toEqual(JSON.parse(JSON.stringify(codec.encodeResponse(response, frame).body)));
      }),
    );
  });

  it("climbs the whole ladder with rising numbers (rule 16), and says no [DONE] (rule 12)", () => {
    const cases = chatResponses("messages", { state: "messages" }).chain(chatEvents);
    fc.assert(
      fc.property(cases, (events) => {
        const frames = written(events);
        const told = frames.map(({ data }) => JSON.parse(data));
        expect(told.map(({ sequence_number }) => sequence_number)).toEqual(told.map((_, at) => at));
        expect(frames.map(({ name }) => name)).toEqual(told.map(({ type }) => type));
        expect(told.slice(0, 2).map(({ type }) => type)).toEqual([
          "response.created",
          "response.in_progress",
        ]);
        expect(told[0].response).toMatchObject({ object: "response", model: "model-1", output: [] });
        const added = told.filter(({ type }) => type === "response.output_item.added");
        const done = told.filter(({ type }) => type === "response.output_item.done");
        expect(done.map(({ item }) => item.id)).toEqual(added.map(({ item }) => item.id));
        expect(told.at(-1).response.output).toEqual(done.map(({ item }) => item));
        expect(told.filter(({ type }) => type === "response.content_part.added").length).toBe(
          told.filter(({ type }) => type === "response.content_part.done").length,
        );
        expect(["response.completed", "response.incomplete"]).toContain(told.at(-1).type);
      }),
    );
  });

  it("never looks finished when it failed (rule 19)", () => {
    const error = { status: 502, type: "api_error", code: "upstream_error", param: "", message: "Broke." };
    const begun: ChatEvent[] = [
      { type: "response-start" },
      { type: "text-start", block: 0, choice: 0 },
      { type: "text-delta", block: 0, text: "Hel" },
      { type: "error", error },
    ];
    const frames = written(begun);
    expect(frames.at(-1)?.name).toBe("response.failed");
    expect(JSON.parse(frames.at(-1)?.data ?? "")).toMatchObject({
      sequence_number: frames.length - 1,
      response: { status: "failed", error: { code: "upstream_error" } },
    });
    expect(written([{ type: "error", error }]).map(({ name }) => name)).toEqual(["error"]);
    const cut = written(begun.slice(0, 3));
    expect(decodeFrames(cut).at(-1)).toMatchObject({ type: "error", error: { status: 502 } });
  });

  it("carries the state of other issuers in reasoning items, back to them and to no one else", () => {
    const cases = chatResponses("messages", { state: "messages" }).filter(
      ({ choices }) => choices[0]?.parts[0]?.kind === "reasoning" && choices[0].parts.length > 1,
    );
    fc.assert(
      fc.property(cases, fc.boolean(), (response, redacted) => {
        const [thought, ...rest] = response.choices[0]?.parts ?? [];
        if (thought?.kind !== "reasoning") return;
        const hidden = redacted ? { ...thought, text: "", redacted: true as const } : thought;
        const finish = { unified: "stop", protocol: "messages" } as const;
        const answer = { ...response, choices: [{ parts: [hidden, ...rest], finish }] };
        const { body, losses } = codec.encodeResponse(answer, frame);
        expect(losses).toEqual([]);
        const input = [
          { role: "user", content: "x" },
          ...(body["output"] as object[]),
          { role: "user", content: "y" },
        ];
        const next = codec.decodeRequest({ model: "m", input: JSON.parse(JSON.stringify(input)) });
        if (!("value" in next)) throw next.refused;
        expect(next.value.messages[1]?.parts[0]).toEqual(hidden);
        const elsewhere = codec.encodeRequest(next.value, target("responses"));
        if (!("value" in elsewhere)) throw elsewhere.refused;
        expect(JSON.stringify(elsewhere.value.body)).not.toContain("gw1.");
        expect(elsewhere.value.losses.map(({ reason }) => reason)).toContain("other-issuer");
      }),
      { numRuns: 50 },
    );
  });

  it("states usage of which no class is lost, only how long a write lives and what is sound or image (rules 1, 2 and 7)", () => {
    const counts = fc.record(Object.fromEntries(TOKEN_BUCKETS.map((bucket) => [bucket, fc.nat(9999)])));
    fc.assert(
      fc.property(counts, (tokens: TokenUsage) => {
        const { cacheWrite5m = 0, cacheWrite1h = 0, ...others } = byClass(tokens);
        expect(responses.usage.buckets(encodeUsage(tokens)).tokens).toEqual({
          ...others,
          cacheWrite5m: cacheWrite5m + cacheWrite1h,
        });
      }),
    );
    expect(encodeUsage({})).toEqual({
      input_tokens: 0,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: 0,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 0,
    });
  });

  it("takes texts and arguments that are told whole, where neither pieces nor an item tell them", () => {
    const told = (type: string, index: number, more: object) => ({
      data: JSON.stringify({ type: `response.${type}`, output_index: index, content_index: 0, ...more }),
    });
    const call = { type: "function_call", call_id: "c", name: "f", arguments: "" };
    const patch = { type: "custom_tool_call", call_id: "d", name: "p", input: "" };
    const events = decodeFrames([
      told("output_text.delta", 0, { delta: "a" }),
      told("output_text.done", 0, { text: "ab" }),
      told("refusal.done", 1, { refusal: "no" }),
      told("output_item.added", 2, { item: call }),
      told("function_call_arguments.done", 2, { arguments: '{"x":1}' }),
      told("output_item.done", 2, { item: call }),
      told("output_item.added", 3, { item: patch }),
      told("custom_tool_call_input.done", 3, { input: "***" }),
      told("completed", 0, { response: { status: "completed", output: [] } }),
    ]);
    const outcome = collectEvents(events);
    expect("response" in outcome && outcome.response.choices[0]?.parts).toMatchObject([
      { kind: "text", text: "ab" },
      { kind: "text", text: "no", refusal: true },
      { kind: "tool-call", arguments: '{"x":1}' },
      { kind: "tool-call", custom: true, arguments: "***" },
    ]);
  });

  it("survives any request, answer and stream", () => {
    const events = brokenJson(...KEYS).map((value) =>
      typeof value === "object" && value !== null ? { type: KEYS[0], ...value } : value,
    );
    fc.assert(
      fc.property(brokenJson(...KEYS), fc.array(events, { maxLength: 6 }), (value, chunks) => {
        const request = codec.decodeRequest({ model: "m", input: value });
        codec.decodeRequest(value);
        if ("value" in request) codec.encodeRequest(request.value, target("responses"));
        const response = codec.decodeResponse({ output: value }, plan("responses"));
        if ("response" in response) codec.encodeResponse(response.response, frame);
        const frames = chunks.map((chunk) => ({ data: JSON.stringify(chunk) ?? "" }));
        written(decodeFrames([...frames, { data: "{" }, { data: "[DONE]" }]));
      }),
      { numRuns: 2000 },
    );
  });
});

function written(events: readonly ChatEvent[]): readonly WireFrame[] {
  const encoder = codec.encodeStream(frame, openLosses({}));
  return [...events.flatMap((event) => encoder.step(event)), ...encoder.end()];
}

function decodeBytes(pieces: readonly Buffer[]) {
  const reader = openFrameReader();
  return decodeFrames([...pieces.flatMap((piece) => reader.write(piece)), ...reader.end()]);
}

function decodeFrames(frames: readonly WireFrame[]) {
  const run = codec.decodeStream(plan("responses"));
  return [...frames.flatMap((each) => run.step(each)), ...run.end()];
}

function collected(outcome: { readonly response: ChatResponse } | object): unknown {
  if (!("response" in outcome)) throw new Error(`no answer: ${JSON.stringify(outcome)}`);
  return comparable(outcome.response);
}

/** Without what each codec says of itself; state as its issuer will see it. */
function comparable({ choices, usage, model }: ChatResponse): unknown {
  return {
    model,
    usage: { cacheWrite5m: 0, ...usage?.tokens },
    choices: choices.map(({ parts, finish }) => ({
      parts: parts.map((part) =>
        part.kind === "reasoning" && part.opaque !== undefined
          ? { ...part, opaque: innermost(part.opaque) }
          : part,
      ),
      finish: finish.unified,
    })),
  };
}

/** State that went to a caller and was read as an upstream's is wrapped once more. */
function innermost(opaque: Opaque): Opaque {
  if (!opaque.value.startsWith("{")) return opaque;
  return unwrapOpaque(JSON.parse(opaque.value).encrypted_content) ?? opaque;
}

/**
 * Removes differences that the wire cannot express: neighbouring turns of the assistant, empty limits, the ends of
 * system texts.
 */
function normalised(request: ChatRequest): unknown {
  const { fieldNames: _, includeUsage: __, foreign: ___, limits, echo: ____, messages, ...rest } = request;
  const { maxOutputTokens } = limits;
  return {
    ...rest,
    maxOutputTokens: maxOutputTokens === undefined ? undefined : Math.max(maxOutputTokens, 16),
    messages: messages.map((message) => ({
      ...message,
      parts: message.parts.map((part) => {
        if (part.kind === "media") return { ...part, detail: "auto" };
        if (part.kind !== "tool-result") return part;
        const { name: _name, ...result } = part;
        return result;
      }),
    })),
  };
}

const KEYS = [
  "response.completed",
  "response.output_item.added",
  "response.output_item.done",
  "response.output_text.delta",
  "response.function_call_arguments.delta",
  "response.reasoning_summary_text.delta",
  "response.content_part.done",
  "message",
  "function_call",
  "function_call_output",
  "custom_tool_call",
  "reasoning",
  "image_generation_call",
  "item_reference",
  "type",
  "role",
  "user",
  "assistant",
  "developer",
  "content",
  "input_text",
  "input_image",
  "image_url",
  "input_file",
  "file_data",
  "text",
  "output",
  "item",
  "part",
  "delta",
  "response",
  "output_index",
  "content_index",
  "summary",
  "encrypted_content",
  "id",
  "call_id",
  "name",
  "arguments",
  "annotations",
  "usage",
  "input_tokens",
  "status",
  "incomplete_details",
  "reason",
  "error",
  "tools",
  "tool_choice",
];
