import { describe, expect, it } from "vitest";
import { plan, target } from "../../../test/support/conversation-arbitraries.ts";
import { type Collected, collectEvents } from "../../conversation/adapt/collect.ts";
import type { Quirks } from "../../conversation/lower/quirks.ts";
import type { ResponsePart } from "../../conversation/response.ts";
import { messages } from "../messages/codec.ts";
import type { Translation } from "../translation.ts";
import { chatCompletions } from "./codec.ts";

const codec = chatCompletions.translation as Translation;
const ours = plan("chat-completions");

const detail = (text: string, more: object = {}) => ({ type: "reasoning.text", text, index: 0, ...more });
const details = (...texts: readonly string[]) => ({ reasoning_details: texts.map((text) => detail(text)) });

function streamed(...deltas: readonly object[]): readonly ResponsePart[] {
  const run = codec.decodeStream(ours);
  const chunks = deltas.map((delta, index) => ({
    choices: [{ index: 0, delta, finish_reason: index === deltas.length - 1 ? "stop" : null }],
  }));
  const frames = chunks.map((chunk) => ({ data: JSON.stringify(chunk) }));
  return partsOf(collectEvents([...frames.flatMap((frame) => run.step(frame)), ...run.end()]));
}

function plain(message: object): readonly ResponsePart[] {
  return partsOf(codec.decodeResponse({ choices: [{ index: 0, message, finish_reason: "stop" }] }, ours));
}

function partsOf(outcome: Collected): readonly ResponsePart[] {
  if (!("response" in outcome)) throw new Error(`no answer: ${JSON.stringify(outcome)}`);
  return outcome.response.choices[0]?.parts ?? [];
}

function estimated(...deltas: readonly object[]): string {
  const meter = chatCompletions.usage.openStream();
  for (const delta of deltas) {
    meter.write(Buffer.from(`data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`));
  }
  meter.end();
  return meter.summary().outputText().reasoning;
}

const state = (value: unknown) => ({ origin: ours.origin, value: JSON.stringify(value) });

describe("thoughts of chats", () => {
  const spellings: readonly (readonly [string, object])[] = [
    ["reasoning_content", { reasoning_content: "Why?" }],
    ["reasoning", { reasoning: "Why?" }],
    ["reasoning, nested once more", { reasoning: { content: "Why?" } }],
    ["reasoning_text", { reasoning_text: "Why?" }],
    ["thinking", { thinking: "Why?" }],
    ["several at once", { reasoning_content: null, reasoning: "Why?", thinking: "Why?" }],
    ["parts of thinking", { content: [{ type: "thinking", thinking: [{ type: "text", text: "Why?" }] }] }],
    ["parts of bare thinking", { content: [{ type: "thinking", thinking: "Why?" }] }],
    [
      "parts of summaries",
      { content: [{ type: "reasoning", summary: [{ type: "summary_text", text: "Why?" }] }] },
    ],
  ];

  it.each(spellings)("are read in every spelling, and counted: %s", (_, message) => {
    const thought = { kind: "reasoning", text: "Why?" };
    expect(plain(message)).toEqual([thought]);
    expect(streamed(message, { content: "So." })).toEqual([thought, { kind: "text", text: "So." }]);
    expect(estimated(message)).toBe("Why?");
    expect(chatCompletions.usage.readPlain({ choices: [{ message }] }).hasOutput).toBe(true);
  });

  it("are read off details where nothing else tells them, which stay their state", () => {
    const summary = [{ type: "reasoning.summary", summary: "Why?" }];
    const thought = { kind: "reasoning", text: "Why?", opaque: state(summary) };
    expect(plain({ reasoning_details: summary })).toEqual([thought]);
    expect(plain({ reasoning: "Why?", reasoning_details: summary })).toEqual([thought]);
    const pieces = [details("The user"), details(" greets.")];
    const told = {
      kind: "reasoning",
      text: "The user greets.",
      opaque: state([detail("The user"), detail(" greets.")]),
    };
    expect(streamed(...pieces, { content: "Hi" })).toEqual([told, { kind: "text", text: "Hi" }]);
    expect(estimated(...pieces)).toBe("The user greets.");
    const spelled = ["The user", " greets."].map((text) => ({ reasoning_content: text, ...details(text) }));
    expect(streamed(...spelled)).toEqual([told]);
    expect(estimated(...spelled)).toBe("The user greets.");
  });

  it("are told once, and come back once, where each delta's details repeat those before", () => {
    const snapshots = ["The", "The user", "The user greets me.", "The user greets me."];
    const told = {
      kind: "reasoning",
      text: "The user greets me.",
      opaque: state([detail("The user greets me.")]),
    };
    const all = snapshots.map((text) => details(text));
    expect(streamed(...all, { content: "Hi" })).toEqual([told, { kind: "text", text: "Hi" }]);
    expect(estimated(...all)).toBe("The user greets me.");
    const beside = ["The", " user", " greets me.", ""].map((text, at) => ({
      reasoning_content: text,
      ...all[at],
    }));
    expect(streamed(...beside, { content: "Hi" })).toEqual([told, { kind: "text", text: "Hi" }]);
    // Words that happen to be said twice are.
    expect(streamed(details("ha"), details("ha"))).toMatchObject([{ text: "haha" }]);
  });

  it("keep the state that only the last details hold, and no words are cut by thoughts told again", () => {
    const signed = [detail("The user greets me.", { signature: "s" })];
    const parts = streamed(
      details("The user"),
      details(" greets me."),
      { reasoning_details: signed },
      { content: "Hi" },
    );
    expect(parts).toMatchObject([{ text: "The user greets me.", opaque: state(signed) }, { text: "Hi" }]);
    const again = streamed(
      details("The user greets me."),
      { content: "Hi" },
      details("The user greets me."),
      {
        content: " you",
      },
    );
    expect(again).toMatchObject([{ kind: "reasoning" }, { kind: "text", text: "Hi you" }]);
  });
});

describe("thoughts of earlier turns, at models that take them back", () => {
  const called = { type: "tool_use", id: "call_1", name: "f", input: {} };
  const result = { type: "tool_result", tool_use_id: "call_1", content: "1" };
  const thought = { type: "thinking", thinking: "Why?", signature: "" };

  function sent(quirks: Quirks, ...content: readonly object[]): unknown {
    const asked = [
      { role: "user", content: "hi" },
      { role: "assistant", content },
      { role: "user", content: [result] },
      { role: "assistant", content: "Done." },
      { role: "user", content: "And?" },
    ];
    const decoded = messages.translation?.decodeRequest({ model: "m", max_tokens: 9, messages: asked });
    if (decoded === undefined || !("value" in decoded)) throw new Error("refused");
    const encoded = codec.encodeRequest(decoded.value, target("chat-completions", { quirks }));
    if (!("value" in encoded)) throw encoded.refused;
    const written = encoded.value.body["messages"] as readonly Record<string, unknown>[];
    return written.flatMap((each) => (each["role"] === "assistant" ? [each["reasoning_content"]] : []));
  }

  it("stand in every turn of the assistant's, also where the caller kept none", () => {
    expect(sent({ reasoningReplay: true }, thought, called)).toEqual(["Why?", " "]);
    expect(sent({ reasoningReplay: true }, called)).toEqual([" ", " "]);
  });

  it("are not made up for any other model", () => {
    expect(sent({}, called)).toEqual([undefined, undefined]);
  });
});
