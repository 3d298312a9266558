import { describe, expect, it } from "vitest";
import { frame, plan } from "../../../test/support/conversation-arbitraries.ts";
import { collectEvents } from "../../conversation/adapt/collect.ts";
import type { JsonObject } from "../../conversation/request.ts";
import type { ChatResponse, Choice } from "../../conversation/response.ts";
import type { Translation } from "../translation.ts";
import { generateContent } from "./codec.ts";

const codec = generateContent.translation as Translation;
const PROTOCOL = "generate-content";
const weather = { kind: "tool-call", id: "call_1", name: "weather", arguments: '{"city":"Rome"}' } as const;
const clock = { kind: "tool-call", id: "call_2", name: "clock", arguments: "" } as const;

describe("generateContent answers", () => {
  it("finish with calls although the vendor says STOP, also in a later chunk (rule 9)", () => {
    const call = { content: { parts: [{ functionCall: { name: "weather", args: { city: "Rome" } } }] } };
    const { finish, parts } = choiceOf(streamed({ candidates: [call] }, chunk([], "STOP")));
    expect(finish.unified).toBe("tool-calls");
    expect(parts).toMatchObject([{ kind: "tool-call", name: "weather", arguments: '{"city":"Rome"}' }]);
    const limited = choiceOf(streamed({ candidates: [call] }, chunk([], "MAX_TOKENS")));
    expect(limited.finish.unified).toBe("length");
  });

  it("finish plainly where they do not say why, with calls where there are some", () => {
    const call = { functionCall: { name: "weather", args: {} } };
    const finishOf = (...parts: object[]) =>
      choiceOf(codec.decodeResponse({ candidates: [{ content: { parts } }] }, plan(PROTOCOL))).finish;
    expect(finishOf(call)).toEqual({ unified: "tool-calls", protocol: PROTOCOL });
    expect(finishOf({ text: "Hi" })).toEqual({ unified: "stop", protocol: PROTOCOL });
  });

  it("have one finish, the most telling of several (rule 10)", () => {
    const events = decoded(
      chunk([{ text: "a" }], "STOP"),
      chunk([{ text: "b" }], "MAX_TOKENS"),
      chunk([], "STOP"),
    );
    expect(events.filter(({ type }) => type === "finish")).toHaveLength(1);
    expect(choiceOf(collectEvents(events))).toMatchObject({
      parts: [{ kind: "text", text: "ab" }],
      finish: { unified: "length" },
    });
  });

  it("fail where the model's call could not be read, plain and streamed (rule 8)", () => {
    const broken = { ...chunk([], "MALFORMED_FUNCTION_CALL"), usageMetadata: { promptTokenCount: 3 } };
    expect(codec.decodeResponse(broken, plan(PROTOCOL))).toMatchObject({ error: { status: 502 } });
    expect(decoded(broken).at(-1)).toMatchObject({ type: "error", error: { fault: "upstream" } });
  });

  it("are refusals where the prompt was blocked, and are told so again (rule 40)", () => {
    const body = {
      promptFeedback: { blockReason: "PROHIBITED_CONTENT" },
      usageMetadata: { promptTokenCount: 9 },
    };
    const plain = codec.decodeResponse(body, plan(PROTOCOL));
    expect(choiceOf(plain)).toMatchObject({ parts: [], finish: { unified: "content-filter" } });
    expect(choiceOf(collectEvents(decoded(body)))).toEqual(choiceOf(plain));
    if (!("response" in plain)) throw new Error("no answer");
    expect(codec.encodeResponse(plain.response, frame).body).toMatchObject({
      promptFeedback: { blockReason: "PROHIBITED_CONTENT" },
      usageMetadata: { promptTokenCount: 9 },
    });
  });

  it("that break off end in an error and in no finish (rule 19)", () => {
    expect(decoded(chunk([{ text: "a" }])).at(-1)).toMatchObject({ type: "error" });
    expect(decoded().at(-1)).toMatchObject({ type: "error" });
    const told = decoded(
      chunk([{ text: "a" }]),
      { error: { code: 429, status: "RESOURCE_EXHAUSTED" } },
      chunk([], "STOP"),
    );
    expect(told.at(-1)).toMatchObject({ type: "error", error: { fault: "rate-limit" } });
  });

  it("hold nothing where a server writes a file without bytes", () => {
    const silent = {
      candidates: [{ content: { parts: [{ inlineData: { mimeType: "audio/wav", data: "" } }] } }],
    };
    expect(generateContent.usage.readPlain(silent).hasOutput).toBe(false);
    const image = {
      candidates: [{ content: { parts: [{ inlineData: { mimeType: "image/png", data: "AA" } }] } }],
    };
    expect(generateContent.usage.readPlain(image).hasOutput).toBe(true);
  });

  it("take empty chunks as nothing, and state at the end of words as theirs (rules 17 and 36)", () => {
    const { parts } = choiceOf(
      streamed(
        {},
        chunk([{ text: "" }]),
        chunk([{ text: "Hel" }]),
        { candidates: [{}] },
        chunk([{ inlineData: { mimeType: "audio/wav", data: "" } }, { fileData: { fileUri: "" } }]),
        chunk([{ text: "lo" }]),
        chunk([{ text: "", thoughtSignature: "c2ln" }], "STOP"),
      ),
    );
    expect(parts).toEqual([
      { kind: "text", text: "Hello", opaque: { origin: plan(PROTOCOL).origin, value: "c2ln" } },
    ]);
  });

  it("give calls without ids different ones, the same for the same answer (rule 22)", () => {
    const call = { functionCall: { name: "clock" } };
    const read = () =>
      choiceOf(streamed(chunk([call, call], "STOP"))).parts.map((part) => "id" in part && part.id);
    const [first, second] = read();
    expect(first).not.toBe(second);
    expect(read()).toEqual([first, second]);
  });

  it("give calls that share an id different ones (rule 22)", () => {
    const call = { functionCall: { id: "weather", name: "weather", args: {} } };
    for (const { parts } of [
      choiceOf(codec.decodeResponse(chunk([call, call, call], "STOP"), plan(PROTOCOL))),
      choiceOf(streamed(chunk([call], ""), chunk([{ text: "a" }, call], ""), chunk([call], "STOP"))),
    ]) {
      const ids = parts.flatMap((part) => (part.kind === "tool-call" ? part.id : []));
      expect(ids[0]).toBe("weather");
      expect(new Set(ids).size).toBe(3);
    }
  });

  it("cite by bytes what the neutral form cites by letters", () => {
    const text = "Größe: 5 😀. Rom ist alt.";
    const passage = "Rom ist alt.";
    const start = Buffer.byteLength(text.slice(0, text.indexOf(passage)));
    const segment = { startIndex: start, endIndex: start + passage.length, text: passage };
    const groundingMetadata = {
      groundingChunks: [{ web: { uri: "https://rome.example", title: "Rome" } }],
      groundingSupports: [{ segment, groundingChunkIndices: [0] }],
    };
    const candidate = { content: { parts: [{ text }] }, finishReason: "STOP", groundingMetadata };
    const [part] = choiceOf(streamed({ candidates: [candidate] })).parts;
    const at = text.indexOf(passage);
    expect(part).toMatchObject({
      citations: [{ url: "https://rome.example", title: "Rome", start: at, end: at + passage.length }],
    });
    const foreignCitation = {
      url: "https://rome.example",
      title: "Rome",
      start: at,
      end: at + passage.length,
      source: { protocol: "responses" as const, value: {} },
    };
    const parts = [{ kind: "text", text, citations: [foreignCitation] }] as const;
    expect(encodedCandidate({ parts, finish: { unified: "stop", protocol: "responses" } })).toMatchObject({
      groundingMetadata,
    });
  });

  it("leave a call out whose arguments were cut short, and never look finished by it (rule 11)", () => {
    const cut = { ...weather, arguments: '{"city":"Ro', defect: "cut" } as const;
    const limited = { parts: [cut], finish: { unified: "length", protocol: "messages" } } as const;
    expect(encodedCandidate(limited)).toMatchObject({
      content: { parts: [{ text: "" }] },
      finishReason: "MAX_TOKENS",
    });
    const called = { parts: [cut], finish: { unified: "tool-calls", protocol: "messages" } } as const;
    expect(encodedCandidate(called)).toMatchObject({ finishReason: "MAX_TOKENS" });
    const odd = { ...called, parts: [{ ...cut, defect: "malformed" }] } as const;
    expect(encodedCandidate(odd)).toMatchObject({ finishReason: "MALFORMED_FUNCTION_CALL" });
  });

  it("give a call without arguments an object (rule 14)", () => {
    const choice = { parts: [clock], finish: { unified: "tool-calls", protocol: "messages" } } as const;
    expect(encodedCandidate(choice)).toMatchObject({
      content: { parts: [{ functionCall: { id: "call_2", name: "clock", args: {} } }] },
      finishReason: "STOP",
    });
  });
});

function chunk(parts: readonly JsonObject[], finishReason?: string): JsonObject {
  return { candidates: [{ content: { parts, role: "model" }, ...(finishReason ? { finishReason } : {}) }] };
}

function decoded(...chunks: readonly JsonObject[]) {
  const run = codec.decodeStream(plan(PROTOCOL));
  return [...chunks.flatMap((each) => run.step({ data: JSON.stringify(each) })), ...run.end()];
}

function streamed(...chunks: readonly JsonObject[]) {
  return collectEvents(decoded(...chunks));
}

function choiceOf(outcome: { readonly response: ChatResponse } | object): Choice {
  const choice = "response" in outcome ? outcome.response.choices[0] : undefined;
  if (choice === undefined) throw new Error(`no answer: ${JSON.stringify(outcome)}`);
  return choice;
}

function encodedCandidate(choice: Choice): unknown {
  const { body } = codec.encodeResponse({ choices: [choice] }, frame);
  return (body["candidates"] as unknown[])[0];
}
