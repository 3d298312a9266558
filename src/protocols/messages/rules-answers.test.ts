import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { frame, plan } from "../../../test/support/conversation-arbitraries.ts";
import type { ChatEvent } from "../../conversation/event.ts";
import { openLosses } from "../../conversation/loss.ts";
import type { TextPart } from "../../conversation/request.ts";
import type { FinishKind } from "../../conversation/response.ts";
import { WRAPPED_START } from "../../conversation/state/opaque.ts";
import { type TokenUsage, totalInput } from "../../usage/usage.ts";
import type { JsonObject } from "../json.ts";
import type { Translation } from "../translation.ts";
import { messages } from "./codec.ts";
import { encodeUsage } from "./encode-usage.ts";
import { messagesUsage } from "./usage.ts";

const codec = messages.translation as Translation;

describe("thoughts that nobody signed", () => {
  it("are marked for callers as wrapped state is, and known when they come back", () => {
    const parts = [{ kind: "reasoning", text: "Hm." }] as const;
    const finish = { unified: "stop", protocol: "responses" } as const;
    const { body } = codec.encodeResponse({ choices: [{ parts, finish }] }, frame);
    const [block] = body["content"] as readonly { signature: string }[];
    expect(block?.signature.startsWith(WRAPPED_START)).toBe(true);
    const turn = { role: "assistant", content: body["content"] };
    const decoded = codec.decodeRequest({ model: "m", max_tokens: 9, messages: [turn] });
    expect("value" in decoded && decoded.value.messages[0]?.parts).toEqual(parts);
    expect(codec.decodeResponse(body, plan("messages"))).toMatchObject({
      response: { choices: [{ parts }] },
    });
  });
});

describe("messages answers", () => {
  it("state each finish by the word that means it, and keep the vendor's own (rule 8)", () => {
    const words: Readonly<Record<FinishKind, string>> = {
      stop: "end_turn",
      length: "max_tokens",
      "tool-calls": "tool_use",
      "content-filter": "refusal",
      pause: "pause_turn",
      other: "end_turn",
    };
    for (const [unified, word] of Object.entries(words)) {
      const finish = { unified: unified as FinishKind, protocol: "responses" } as const;
      expect(codec.encodeResponse({ choices: [{ parts: [], finish }] }, frame).body["stop_reason"]).toBe(
        word,
      );
    }
    for (const word of ["pause_turn", "refusal", "model_context_window_exceeded"]) {
      const decoded = codec.decodeResponse({ content: [], stop_reason: word }, plan("messages"));
      if (!("response" in decoded)) throw new Error(word);
      expect(codec.encodeResponse(decoded.response, frame).body["stop_reason"]).toBe(word);
    }
  });

  it("are empty where a server writes null for no content, and none where they say nothing else", () => {
    const usage = { input_tokens: 5, output_tokens: 0 };
    for (const body of [
      { content: null, stop_reason: "end_turn", usage },
      { stop_reason: "end_turn" },
      { usage },
    ]) {
      expect(codec.decodeResponse(body, plan("messages"))).toMatchObject({
        response: { choices: [{ parts: [] }] },
      });
    }
    for (const body of [{}, { content: null }, { content: "Hello", stop_reason: "end_turn" }])
      expect(codec.decodeResponse(body, plan("messages"))).toHaveProperty("error");
  });

  it("may be empty, and hold no empty text and no null citations (rule 33)", () => {
    const finish = { unified: "stop", protocol: "messages" } as const;
    const { body } = codec.encodeResponse({ choices: [{ parts: [text(""), text("a")], finish }] }, frame);
    expect(body["content"]).toEqual([{ type: "text", text: "a" }]);
    expect(codec.decodeResponse({ content: [], stop_reason: "end_turn" }, plan("messages"))).toMatchObject({
      response: { choices: [{ parts: [], finish: { unified: "stop" } }] },
    });
  });

  it("hold back what is cited until there is a text, and drop it with an empty one (rule 33)", () => {
    const value = { type: "char_location", cited_text: "Rivers bend." };
    const citation = { source: { protocol: "messages", value } } as const;
    const deltasOf = (...inner: readonly ChatEvent[]) => {
      const run = codec.encodeStream(frame, openLosses({}));
      const start = { type: "text-start", block: 0, choice: 0 } as const;
      const events: readonly ChatEvent[] = [start, ...inner, { type: "text-end", block: 0 }];
      return events
        .flatMap((event) => run.step(event))
        .map(({ data }) => JSON.parse(data))
        .flatMap(({ type, delta }) => (type === "message_start" ? [] : [delta ?? type]));
    };
    const cited = { type: "citation", block: 0, citation } as const;
    const said = { type: "text-delta", block: 0, text: "They bend." } as const;
    const [told, text] = [
      { type: "citations_delta", citation: value },
      { type: "text_delta", text: said.text },
    ];
    expect(deltasOf(cited)).toEqual([]);
    expect(deltasOf(cited, said)).toEqual(["content_block_start", told, text, "content_block_stop"]);
    expect(deltasOf(said, cited)).toEqual(["content_block_start", text, told, "content_block_stop"]);
  });

  it("count the summaries that the vendor made of the conversation, which its totals leave out", () => {
    const counts = (input: number, read: number, output: number) => ({
      input_tokens: input,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: 0,
      output_tokens: output,
    });
    const usage = {
      ...counts(23_000, 100, 1_000),
      iterations: [
        { type: "compaction", ...counts(180_000, 20, 3_500) },
        { type: "message", ...counts(23_000, 100, 1_000) },
        { type: "advisor_message", model: "another", ...counts(5, 0, 5) },
      ],
    };
    expect(messagesUsage.buckets(usage)).toEqual({
      tokens: { inputUncached: 203_000, cacheRead: 120, cacheWrite5m: 0, outputVisible: 4_500 },
      summaries: { inputUncached: 180_000, cacheRead: 20, cacheWrite5m: 0, outputVisible: 3_500 },
      additionalUsage: [
        {
          model: "another",
          tokens: { inputUncached: 5, cacheRead: 0, cacheWrite5m: 0, outputVisible: 5 },
          isBeside: true,
          callOf: "advisor",
        },
      ],
      raw: usage,
      hostile: [],
    });
    const paused = { ...counts(0, 0, 0), iterations: [{ type: "compaction", ...counts(7, 0, -3) }] };
    expect(messagesUsage.buckets(paused)).toMatchObject({
      tokens: { inputUncached: 7, outputVisible: 0 },
      hostile: ["output_tokens"],
    });
    expect(messagesUsage.buckets({ ...counts(1, 0, 2), iterations: null }).tokens.outputVisible).toBe(2);
  });

  it("count cached input once where only the end of a stream tells of it", () => {
    const tokensOf = (start: object, end: object) => {
      const usage = { input_tokens: 3_602, output_tokens: 0, ...start };
      const stream = [
        { type: "message_start", message: { usage } },
        { type: "message_delta", delta: {}, usage: { output_tokens: 8, ...end } },
        { type: "message_stop" },
      ];
      const run = codec.decodeStream(plan("messages"));
      const counts = stream
        .flatMap((event) => run.step({ data: JSON.stringify(event) }))
        .flatMap((event) => (event.type === "usage" ? [event.usage.tokens] : []));
      const meter = messagesUsage.openStream();
      const frames = stream.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      meter.write(Buffer.from(frames.join("")));
      expect(counts.at(-1)).toEqual(meter.summary().usage?.tokens);
      return counts.at(-1);
    };
    const read = (count: number) => ({ cache_read_input_tokens: count, cache_creation_input_tokens: 0 });
    expect(tokensOf({}, read(3_000))).toMatchObject({ inputUncached: 602, cacheRead: 3_000 });
    expect(tokensOf({}, read(3_604))).toMatchObject({ inputUncached: 0, cacheRead: 3_604 });
    expect(tokensOf({}, { ...read(3_000), input_tokens: 602 })).toMatchObject({ inputUncached: 602 });
    expect(tokensOf(read(0), read(3_000))).toMatchObject({ inputUncached: 3_602, cacheRead: 3_000 });
    expect(tokensOf({}, read(-1))).toMatchObject({ inputUncached: 3_602 });
    // No input at all is no statement of it.
    const none = { ...read(0), input_tokens: 0 };
    expect(tokensOf({}, none)).toMatchObject({ inputUncached: 3_602, outputVisible: 8 });
    expect(tokensOf(read(3_000), none)).toMatchObject({ inputUncached: 3_602, cacheRead: 3_000 });
    expect(tokensOf({ input_tokens: 0 }, none)).toMatchObject({ inputUncached: 0 });
  });

  it("keep to one block where a vendor writes anything but a number as its index", () => {
    for (const index of [{ toString: 1 }, null, [], undefined]) {
      const run = codec.decodeStream(plan("messages"));
      const block = { type: "content_block_start", index, content_block: { type: "text", text: "a" } };
      const more = { type: "content_block_delta", index, delta: { type: "text_delta", text: "b" } };
      const events = [block, more, { type: "message_stop" }].flatMap((event) =>
        run.step({ data: JSON.stringify(event) }),
      );
      expect(events.map(({ type }) => type)).toEqual([
        "response-start",
        "text-start",
        "text-delta",
        "text-delta",
        "text-end",
        "finish",
      ]);
    }
  });

  it("count cached input beside the input, and are read back the same (rules 1 and 2)", () => {
    const tokens = {
      inputUncached: 5,
      cacheRead: 7,
      cacheWrite5m: 11,
      cacheWrite1h: 13,
      outputVisible: 17,
      outputReasoning: 19,
    };
    const usage = encodeUsage(tokens);
    expect(usage).toMatchObject({ input_tokens: 5, cache_creation_input_tokens: 24, output_tokens: 36 });
    expect(messagesUsage.buckets(usage).tokens).toEqual(tokens);
  });

  it("state every count that callers add up, whatever the upstream reported, plain and streamed", () => {
    const count = fc.option(fc.nat({ max: 1_000 }), { nil: undefined });
    const reported = fc.record({
      inputUncached: count,
      cacheRead: count,
      cacheWrite5m: count,
      cacheWrite1h: count,
    });
    fc.assert(
      fc.property(fc.option(reported, { nil: undefined }), (told) => {
        const tokens =
          told &&
          (Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined)) as TokenUsage);
        const usage =
          tokens === undefined ? [] : [{ type: "usage", usage: { tokens, hostile: [] } } as const];
        const [start, delta] = encodeEvents([
          { type: "response-start" },
          ...usage,
          { type: "finish", choice: 0, finish: { unified: "stop", protocol: "messages" } },
        ]) as unknown as [{ message: { usage: Counts } }, { usage: Counts }];
        const whole = encodeUsage(tokens ?? {}) as unknown as Counts;
        for (const each of [start.message.usage, delta.usage, whole]) {
          const { cache_creation: lifetimes } = each;
          expect(Number.isInteger(each.input_tokens + each.cache_read_input_tokens)).toBe(true);
          expect(lifetimes.ephemeral_5m_input_tokens + lifetimes.ephemeral_1h_input_tokens).toBe(
            each.cache_creation_input_tokens,
          );
        }
        const sum = whole.input_tokens + whole.cache_read_input_tokens + whole.cache_creation_input_tokens;
        expect(sum).toBe(totalInput(tokens ?? {}));
        if (tokens !== undefined) expect(delta.usage).toEqual(whole);
      }),
    );
  });
});

/** The counts that callers read without checking that they exist. */
interface Counts {
  readonly input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_creation: {
    readonly ephemeral_5m_input_tokens: number;
    readonly ephemeral_1h_input_tokens: number;
  };
}

describe("messages streams", () => {
  it("start with an input count above 0 and end with the truth (rule 6)", () => {
    const sent = encodeEvents([
      { type: "response-start" },
      { type: "usage", usage: { tokens: { inputUncached: 3, outputVisible: 4 }, hostile: [] } },
      { type: "finish", choice: 0, finish: { unified: "stop", protocol: "messages" } },
    ]);
    expect(sent[0]).toMatchObject({ type: "message_start", message: { usage: { input_tokens: 7 } } });
    expect(sent[1]).toMatchObject({ type: "message_delta", usage: { input_tokens: 3, output_tokens: 4 } });
  });

  it("replace cumulative counts, never add them, and tell them once (rule 6)", () => {
    const events = decodeEvents(
      { type: "message_start", message: { usage: { input_tokens: 10, output_tokens: 1 } } },
      { type: "message_delta", delta: {}, usage: { output_tokens: 5 } },
      {
        type: "message_delta",
        delta: { stop_reason: "end_turn" },
        usage: { input_tokens: 12, output_tokens: 9 },
      },
      { type: "message_stop" },
    );
    const counts = events.flatMap((event) => (event.type === "usage" ? [event.usage.tokens] : []));
    expect(counts).toEqual([{ inputUncached: 12, outputVisible: 9 }]);
  });

  it("start a call with an empty input, and give one without arguments as {} (rule 14)", () => {
    const sent = encodeEvents([
      { type: "tool-call-start", block: 0, choice: 0, id: "a", name: "f" },
      { type: "tool-call-end", block: 0 },
    ]);
    expect(sent[1]).toMatchObject({ content_block: { type: "tool_use", input: {} } });
    const events = decodeEvents(
      {
        type: "content_block_start",
        index: 0,
        content_block: { type: "tool_use", id: "a", name: "f", input: {} },
      },
      { type: "content_block_stop", index: 0 },
    );
    expect(events).toContainEqual({ type: "tool-call-delta", block: 0, arguments: "{}" });
  });

  it("start hidden thoughts as what they are, and send signatures after the text (rule 36)", () => {
    const opaque = { origin: { protocol: "messages" }, value: "sig" } as const;
    const sent = encodeEvents([
      { type: "reasoning-start", block: 0, choice: 0 },
      { type: "reasoning-end", block: 0, redacted: true, opaque },
      { type: "reasoning-start", block: 1, choice: 0 },
      { type: "reasoning-delta", block: 1, text: "t" },
      { type: "reasoning-end", block: 1, opaque },
    ]);
    expect(sent.slice(1).map((event) => event["content_block"] ?? event["delta"] ?? event["type"])).toEqual([
      { type: "redacted_thinking", data: "sig" },
      "content_block_stop",
      { type: "thinking", thinking: "", signature: "" },
      { type: "thinking_delta", thinking: "t" },
      { type: "signature_delta", signature: "sig" },
      "content_block_stop",
    ]);
  });

  it("pass over pings and unknown events (rule 18)", () => {
    const events = decodeEvents({ type: "ping" }, { type: "surprise", index: 0 }, { type: "message_stop" });
    expect(events.map(({ type }) => type)).toEqual(["response-start", "finish"]);
  });

  it("never look finished when they broke (rule 19)", () => {
    const start = { type: "message_start", message: {} };
    const overloaded = { type: "error", error: { type: "overloaded_error", message: "busy" } };
    expect(decodeEvents(start).at(-1)).toMatchObject({ type: "error", error: { status: 502 } });
    const events = decodeEvents(start, overloaded, { type: "message_stop" });
    expect(events.map(({ type }) => type)).toEqual(["response-start", "error"]);
    const sent = encodeEvents(events);
    expect(sent.map(({ type }) => type)).toEqual(["message_start", "error"]);
    expect(sent[1]).toMatchObject({ error: { message: "busy (request id: req-1)" } });
    expect(encodeEvents([{ type: "response-start" }]).map(({ type }) => type)).toEqual(["message_start"]);
  });
});

function encodeEvents(events: readonly ChatEvent[]): readonly JsonObject[] {
  const run = codec.encodeStream(frame, openLosses({}));
  return [...events.flatMap((event) => run.step(event)), ...run.end()].map(({ data }) => JSON.parse(data));
}

function decodeEvents(...events: readonly JsonObject[]): readonly ChatEvent[] {
  const run = codec.decodeStream(plan("messages"));
  return [...events.flatMap((event) => run.step({ data: JSON.stringify(event) })), ...run.end()];
}

function text(value: string): TextPart {
  return { kind: "text", text: value };
}
