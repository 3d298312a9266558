import { describe, expect, it } from "vitest";
import { frame, plan } from "../../../test/support/conversation-arbitraries.ts";
import { collectEvents } from "../../conversation/adapt/collect.ts";
import { openLosses } from "../../conversation/loss.ts";
import type { Translation } from "../translation.ts";
import { chatCompletions } from "./codec.ts";

const codec = chatCompletions.translation as Translation;

const SPOKEN = [
  { kind: "text", text: "Hi you" },
  { kind: "foreign", ifUnsupported: "drop", path: "choices[].message.audio" },
];

const AUDIO = { id: "audio_1", data: "UklGRg==", expires_at: 1, transcript: "Hi you" };

/** The form in which OpenAI streams it. */
const DELTAS = [
  { role: "assistant", content: "", audio: { id: "audio_1", transcript: "Hi " } },
  { audio: { data: "UklGRg==" } },
  { audio: { transcript: "you" } },
  { audio: { data: "UklGRg==", expires_at: 1 } },
];

describe("a spoken answer", () => {
  it("keeps its words as text, and names its sound as what other protocols lack", () => {
    const message = { role: "assistant", content: null, audio: AUDIO };
    const body = { choices: [{ index: 0, message, finish_reason: "stop" }] };
    const decoded = codec.decodeResponse(body, plan("chat-completions"));
    if (!("response" in decoded)) throw new Error(JSON.stringify(decoded));
    expect(decoded.response.choices[0]?.parts).toMatchObject(SPOKEN);
    expect(chatCompletions.usage.readPlain(body).outputText().visible).toBe("Hi you");
  });

  it("keeps them in a stream too", () => {
    const frames = DELTAS.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] }));
    const end = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
    const meter = chatCompletions.usage.openStream();
    const run = codec.decodeStream(plan("chat-completions"));
    const texts = [...frames, end].map((frame) => JSON.stringify(frame));
    for (const text of texts) meter.write(Buffer.from(`data: ${text}\n\n`));
    const outcome = collectEvents([...texts.flatMap((data) => run.step({ data })), ...run.end()]);
    if (!("response" in outcome)) throw new Error(JSON.stringify(outcome));
    const { parts = [] } = outcome.response.choices[0] ?? {};
    expect(parts.filter(({ kind }) => kind === "text")).toMatchObject([SPOKEN[0]]);
    expect(meter.summary().outputText().visible).toBe("Hi you");
  });

  it("is not said twice where its words stand in the content as well", () => {
    const message = { role: "assistant", content: "Hi you", audio: { id: "audio_1", transcript: "Hi you" } };
    const decoded = codec.decodeResponse({ choices: [{ index: 0, message }] }, plan("chat-completions"));
    expect(decoded).toMatchObject({ response: { choices: [{ parts: SPOKEN }] } });
  });

  it("is none where a server writes the field with nothing in it", () => {
    const audio = { id: "", data: "", transcript: "", expires_at: 0 };
    const said = { index: 0, message: { role: "assistant", content: "Hi", audio }, finish_reason: "stop" };
    const decoded = codec.decodeResponse({ choices: [said] }, plan("chat-completions"));
    expect(decoded).toMatchObject({ response: { choices: [{ parts: [{ kind: "text", text: "Hi" }] }] } });
    const silent = { index: 0, message: { role: "assistant", content: "", audio }, finish_reason: "stop" };
    expect(chatCompletions.usage.readPlain({ choices: [silent] }).hasOutput).toBe(false);
    expect(chatCompletions.usage.readPlain({ choices: [said] }).hasOutput).toBe(true);
  });

  it("is told as it was where the caller's protocol is this one", () => {
    const message = { role: "assistant", content: null, refusal: null, audio: AUDIO };
    const body = { choices: [{ index: 0, message, finish_reason: "stop" }] };
    const decoded = codec.decodeResponse(body, plan("chat-completions"));
    if (!("response" in decoded)) throw new Error(JSON.stringify(decoded));
    const { body: written, losses } = codec.encodeResponse(decoded.response, frame);
    expect(written).toMatchObject({ choices: [{ message }] });
    expect(losses).toEqual([]);
  });

  it("is streamed as it was where the caller's protocol is this one", () => {
    const losses = openLosses({});
    const encoder = codec.encodeStream(frame, losses);
    const run = codec.decodeStream(plan("chat-completions"));
    const written = [...DELTAS, {}].flatMap((delta, at) => {
      const finish = at === DELTAS.length ? "stop" : null;
      const data = JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] });
      return run.step({ data }).flatMap((event) => encoder.step(event));
    });
    const deltas = written.map(({ data }) => JSON.parse(data).choices[0]?.delta ?? {});
    expect(deltas.flatMap(({ audio }) => audio ?? [])).toEqual(DELTAS.map(({ audio }) => audio));
    expect(deltas.map(({ content }) => content ?? "").join("")).toBe("Hi you");
    expect(losses.list()).toEqual([]);
  });
});
