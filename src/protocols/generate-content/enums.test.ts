import { describe, expect, it } from "vitest";
import { frame, plan } from "../../../test/support/conversation-arbitraries.ts";
import type { JsonObject } from "../../conversation/request.ts";
import type { Translation } from "../translation.ts";
import { generateContent } from "./codec.ts";
import { ENUMS } from "./enums.ts";

const codec = generateContent.translation as Translation;
const PROTOCOL = "generate-content";
const numbered = (kind: keyof typeof ENUMS) =>
  ENUMS[kind].words.map((word, index) => [index + 1, word] as const);

/** Everything that is read of a response: plain and streamed, forwarded and translated. */
function readings(body: JsonObject): unknown {
  const meter = generateContent.usage.openStream();
  meter.write(Buffer.from(`data: ${JSON.stringify(body)}\r\n\r\n`));
  meter.end();
  const { outputText: _plain, ...plain } = generateContent.usage.readPlain(body);
  const { outputText: _streamed, ...streamed } = meter.summary();
  const run = codec.decodeStream(plan(PROTOCOL));
  return {
    plain,
    streamed: [meter.finished, meter.failed, streamed],
    translated: codec.decodeResponse(body, plan(PROTOCOL)),
    events: [...run.step({ data: JSON.stringify(body) }), ...run.end()],
  };
}

function response(finishReason: unknown): JsonObject {
  const candidate = { index: 0, content: { role: "model", parts: [{ text: "Hi" }] }, finishReason };
  return { candidates: [candidate], usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1 } };
}

interface Wishes {
  readonly type: unknown;
  readonly mode: unknown;
  readonly level: unknown;
  readonly modalities: unknown;
}

describe("enumerations of generateContent", () => {
  it("say as numbers why an answer ended what they say as words", () => {
    for (const [number, word] of numbered("finishReason")) {
      expect(readings(response(number)), word).toEqual(readings(response(word)));
    }
  });

  it("say as numbers what Vertex AI's say, where the answer shows that it is Vertex AI's", () => {
    const marks = [
      (body: JsonObject) => ({ ...body, createTime: "2026-11-27T10:00:00.000000Z" }),
      (body: JsonObject) => ({
        ...body,
        usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1, trafficType: "ON_DEMAND" },
      }),
    ];
    for (const mark of marks) {
      for (const [number, word] of numbered("vertexFinishReason"))
        expect(readings(mark(response(number))), word).toEqual(readings(mark(response(word))));
      // A filter there is no failure; the other API's same number is a call that nobody could read.
      expect(readings(mark(response(10)))).toMatchObject({ plain: { failed: false, declined: true } });
      expect(readings(response(10))).toMatchObject({ plain: { failed: true } });
      expect(readings(mark(response(9)))).toMatchObject({ plain: { failed: true } });
      expect(readings(response(9))).toMatchObject({ plain: { failed: false, declined: true } });
    }
  });

  it("say as numbers why a prompt was blocked what they say as words", () => {
    for (const [number, word] of numbered("blockReason")) {
      const blocked = (blockReason: unknown) => readings({ promptFeedback: { blockReason } });
      expect(blocked(number), word).toEqual(blocked(word));
    }
  });

  it("end a stream with 1, and with 0 if it comes once: servers that fill in every field write it into each chunk", () => {
    const step = (finishReason: unknown) => ({ data: JSON.stringify(response(finishReason)) });
    const run = codec.decodeStream(plan(PROTOCOL));
    const events = [...run.step(step(0)), ...run.step(step(1)), ...run.end()];
    expect(events.at(-1)).toMatchObject({ type: "finish", finish: { unified: "stop" } });
    for (const unspecified of [0, "FINISH_REASON_UNSPECIFIED"]) {
      for (const [reasons, ends] of [
        [[unspecified], true],
        [[undefined, unspecified], true],
        [[unspecified, unspecified], false],
        [[undefined], false],
      ] as const) {
        const open = codec.decodeStream(plan(PROTOCOL));
        const told = [...reasons.flatMap((reason) => open.step(step(reason))), ...open.end()];
        expect(told.at(-1)).toMatchObject(
          ends ? { type: "finish", finish: { unified: "stop" } } : { type: "error" },
        );
        const meter = generateContent.usage.openStream();
        for (const reason of reasons) meter.write(Buffer.from(`data: ${step(reason).data}\r\n\r\n`));
        expect(meter.finished).toBe(false);
        meter.end();
        expect(meter.finished).toBe(ends);
      }
    }
  });

  it("take a number that nobody knows for an end that nobody knows", () => {
    const read = codec.decodeResponse(response(99), plan(PROTOCOL));
    expect("response" in read && codec.encodeResponse(read.response, frame).body).toMatchObject({
      candidates: [{ content: { parts: [{ text: "Hi" }] } }],
    });
  });

  it("mean as numbers of a request what they mean as words", () => {
    const request = ({ type, mode, level, modalities }: Wishes) =>
      codec.decodeRequest({
        contents: [{ role: "user", parts: [{ text: "Hi" }] }],
        tools: [{ functionDeclarations: [{ name: "f", parameters: { type, items: { type } } }] }],
        toolConfig: { functionCallingConfig: { mode } },
        generationConfig: { thinkingConfig: { thinkingLevel: level }, responseModalities: modalities },
      });
    const usual = { type: "OBJECT", mode: "AUTO", level: "HIGH", modalities: ["TEXT"] };
    const same = (number: Partial<Wishes>, word: Partial<Wishes>) => {
      expect(request({ ...usual, ...word }), JSON.stringify(word)).toHaveProperty("value");
      expect(request({ ...usual, ...number })).toEqual(request({ ...usual, ...word }));
    };
    for (const [number, word] of numbered("schemaType")) same({ type: number }, { type: word });
    for (const [number, word] of numbered("callingMode")) same({ mode: number }, { mode: word });
    for (const [number, word] of numbered("thinkingLevel")) same({ level: number }, { level: word });
    for (const [number, word] of numbered("modality")) {
      const read = (kind: unknown) => foreignIn(request({ ...usual, modalities: [kind] }));
      expect(read(number)).toBe(read(word));
    }
    same({ mode: 0, level: 0 }, { mode: "MODE_UNSPECIFIED", level: "THINKING_LEVEL_UNSPECIFIED" });
    const refused = { refused: { path: "toolConfig.functionCallingConfig.mode" } };
    expect(request({ ...usual, mode: 77 })).toMatchObject(refused);
  });
});

function foreignIn(read: ReturnType<Translation["decodeRequest"]>): number {
  return "value" in read ? read.value.foreign.length : -1;
}
