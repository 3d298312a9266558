import { describe, expect, it } from "vitest";
import { plan } from "../../../test/support/conversation-arbitraries.ts";
import { collectEvents } from "../../conversation/collect.ts";
import type { Translation } from "../translation.ts";
import { chatCompletions } from "./codec.ts";

const codec = chatCompletions.translation as Translation;

const SPOKEN = [
  { kind: "text", text: "Hi you" },
  { kind: "foreign", weight: "hint", path: "choices[].message.audio" },
];

describe("a spoken answer", () => {
  it("keeps its words as text, and names its sound as what other protocols lack", () => {
    const audio = { id: "audio_1", data: "UklGRg==", expires_at: 1, transcript: "Hi you" };
    const message = { role: "assistant", content: null, audio };
    const body = { choices: [{ index: 0, message, finish_reason: "stop" }] };
    const decoded = codec.decodeResponse(body, plan("chat-completions"));
    if (!("response" in decoded)) throw new Error(JSON.stringify(decoded));
    expect(decoded.response.choices[0]?.parts).toMatchObject(SPOKEN);
    expect(chatCompletions.usage.readPlain(body).outputText().visible).toBe("Hi you");
  });

  it("keeps them in a stream too, and names the sound once", () => {
    const deltas = [
      { role: "assistant", content: "", audio: { id: "audio_1", transcript: "Hi " } },
      { audio: { data: "UklGRg==" } },
      { audio: { transcript: "you" } },
      { audio: { data: "UklGRg==", expires_at: 1 } },
    ];
    const frames = deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] }));
    const end = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
    const meter = chatCompletions.usage.openStream();
    const run = codec.decodeStream(plan("chat-completions"));
    const texts = [...frames, end].map((frame) => JSON.stringify(frame));
    for (const text of texts) meter.write(Buffer.from(`data: ${text}\n\n`));
    const outcome = collectEvents([...texts.flatMap((data) => run.step({ data })), ...run.end()]);
    if (!("response" in outcome)) throw new Error(JSON.stringify(outcome));
    expect(outcome.response.choices[0]?.parts).toMatchObject(SPOKEN);
    expect(meter.facts().outputText().visible).toBe("Hi you");
  });

  it("is not said twice where its words stand in the content as well", () => {
    const message = { role: "assistant", content: "Hi you", audio: { id: "audio_1", transcript: "Hi you" } };
    const decoded = codec.decodeResponse({ choices: [{ index: 0, message }] }, plan("chat-completions"));
    expect(decoded).toMatchObject({ response: { choices: [{ parts: SPOKEN }] } });
  });
});
