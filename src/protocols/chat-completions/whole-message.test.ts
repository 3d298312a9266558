import { describe, expect, it } from "vitest";
import { plan } from "../../../test/support/conversation-arbitraries.ts";
import { collectEvents } from "../../conversation/adapt/collect.ts";
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
  const { hasOutput, outputText } = meter.summary();
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

describe("a stream of Azure's", () => {
  it("begins with the first chunk that says of which answer it is", () => {
    const first = { id: "", object: "", created: 0, model: "", choices: [], prompt_filter_results: [{}] };
    const chunk = (delta: object, finish: string | null) => ({
      id: "c",
      created: 7,
      model: "gpt",
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
    const run = codec.decodeStream(plan("chat-completions"));
    const chunks = [first, chunk({ role: "assistant", content: "Hi" }, null), chunk({}, "stop")];
    const events = chunks.flatMap((each) => run.step({ data: JSON.stringify(each) }));
    const [start, ...others] = [...events, ...run.end()];
    expect(start).toEqual({ type: "response-start", id: "c", created: 7, model: "gpt" });
    expect(others.map(({ type }) => type)).not.toContain("response-start");
    expect(others.at(-1)).toMatchObject({ type: "finish", finish: { unified: "stop" } });
    const meter = chatCompletions.usage.openStream();
    meter.write(Buffer.from(`data: ${JSON.stringify(first)}\n\n`));
    expect([meter.error, meter.failed, meter.hasOutput]).toEqual([undefined, false, false]);
  });
});
