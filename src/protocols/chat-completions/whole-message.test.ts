import { describe, expect, it } from "vitest";
import { plan } from "../../../test/support/conversation-arbitraries.ts";
import { collectEvents } from "../../conversation/collect.ts";
import type { Translation } from "../translation.ts";
import { chatCompletions } from "./codec.ts";

const codec = chatCompletions.translation as Translation;
const message = { role: "assistant", content: "Hi you" };
const piece = (content: string) => ({ index: 0, delta: { content }, finish_reason: null });

function told(...choices: readonly object[]) {
  const run = codec.decodeStream(plan("chat-completions"));
  const meter = chatCompletions.usage.openStream();
  const frames = choices.map((choice) => JSON.stringify({ choices: [choice] }));
  for (const data of frames) meter.write(Buffer.from(`data: ${data}\n\n`));
  meter.end();
  const outcome = collectEvents([...frames.flatMap((data) => run.step({ data })), ...run.end()]);
  if (!("response" in outcome)) throw new Error(`no answer: ${JSON.stringify(outcome)}`);
  const { hasOutput, outputText } = meter.facts();
  return { parts: outcome.response.choices[0]?.parts, hasOutput, counted: outputText().visible };
}

describe("chunks that hold the whole message beside a delta", () => {
  const once = { parts: [{ kind: "text", text: "Hi you" }], hasOutput: true, counted: "Hi you" };

  it.each([null, {}, { role: "assistant", content: "" }])(
    "are told and counted once, after pieces and in their place, where the delta is %j",
    (delta) => {
      const last = { index: 0, delta, message, finish_reason: "stop" };
      expect(told(piece("Hi "), piece("you"), last)).toEqual(once);
      expect(told(last)).toEqual(once);
    },
  );

  it("are told and counted once where each chunk holds all so far (Perplexity)", () => {
    const chunks = ["Hi ", "you"].map((content, at, all) => ({
      ...piece(content),
      message: { content: all.slice(0, at + 1).join("") },
      finish_reason: at === 1 ? "stop" : null,
    }));
    expect(told(...chunks)).toEqual(once);
  });
});
