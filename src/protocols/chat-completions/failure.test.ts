import { describe, expect, it } from "vitest";
import { plan } from "../../../test/support/conversation-arbitraries.ts";
import type { Translation } from "../translation.ts";
import { chatCompletions } from "./codec.ts";
import { openForwardedStream } from "./forwarded-stream.ts";

const codec = chatCompletions.translation as Translation;
const chunk = (delta: object, finish: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason: finish }],
});

/** The last event in translation. */
function decoded(...chunks: readonly object[]): unknown {
  const run = codec.decodeStream(plan("chat-completions"));
  const frames = [...chunks.map((each) => JSON.stringify(each)), "[DONE]"];
  return [...frames.flatMap((data) => run.step({ data })), ...run.end()].at(-1);
}

/** The readings of a forwarded stream's meter. */
function metered(...chunks: readonly object[]) {
  const meter = chatCompletions.usage.openStream();
  for (const each of chunks) meter.write(Buffer.from(`data: ${JSON.stringify(each)}\n\n`));
  meter.write(Buffer.from("data: [DONE]\n\n"));
  meter.end();
  return { message: meter.error?.message, finished: meter.finished };
}

describe("failures of chats that are told bare", () => {
  const begun = [chunk({ content: "x" }), chunk({ content: "y" })];

  it.each([
    { code: "InternalError", message: "broken" },
    { code: 50_000, message: "broken", data: null },
    { id: "", choices: [], code: 500, message: "broken" },
    { type: "error", message: "broken" },
    { detail: "broken" },
    { detail: [{ loc: ["body"], msg: "broken", type: "value_error" }] },
  ])("end no stream and no answer well: %j", (error) => {
    expect(decoded(...begun, error)).toMatchObject({ type: "error", error: { message: "broken" } });
    expect(metered(...begun, error)).toEqual({ message: "broken", finished: false });
    expect(codec.decodeResponse(error, plan("chat-completions"))).toMatchObject({
      error: { message: "broken" },
    });
    expect(chatCompletions.usage.readPlain(error).error).toMatchObject({ message: "broken" });
  });

  it.each([
    { code: 0, message: "success" },
    { code: "200", message: "OK" },
    { message: "queued" },
    { id: "c", model: "", choices: [], prompt_filter_results: [{}] },
    { ...chunk({ content: "z" }), code: "x", message: "told beside an answer", detail: "y" },
    { choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }, detail: null },
  ])("are not seen where there is none: %j", (other) => {
    expect(decoded(...begun, other, chunk({}, "stop"))).toMatchObject({ type: "finish" });
    expect(metered(...begun, other, chunk({}, "stop"))).toEqual({ message: undefined, finished: true });
  });

  it("reach a forwarded caller that asked for no usage", () => {
    const filter = openForwardedStream({ usage: "unasked", responses: 1, copiesReasoning: false });
    const frame = `data: ${JSON.stringify({ code: "InternalError", message: "broken", usage: { total_tokens: 1 } })}\n\n`;
    expect(Buffer.concat([...filter.write(Buffer.from(frame)), ...filter.end()]).toString()).toBe(frame);
  });
});
