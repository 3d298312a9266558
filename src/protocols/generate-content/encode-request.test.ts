import { describe, expect, it } from "vitest";
import { target } from "../../../test/support/conversation-arbitraries.ts";
import type { EncodeTarget } from "../../conversation/lower/plan.ts";
import type { ChatRequest, JsonObject, Message } from "../../conversation/request.ts";
import type { Translation } from "../translation.ts";
import { generateContent } from "./codec.ts";

const codec = generateContent.translation as Translation;
const PROTOCOL = "generate-content";
const weather = { kind: "tool-call", id: "call_1", name: "weather", arguments: '{"city":"Rome"}' } as const;
const clock = { kind: "tool-call", id: "call_2", name: "clock", arguments: "" } as const;

describe("generateContent requests from callers of other protocols", () => {
  it("answer all calls of a turn in one content, in call order, a missing one as an error (rules 22 to 24)", () => {
    const messages: Message[] = [
      { role: "user", parts: [{ kind: "text", text: "hi" }] },
      { role: "assistant", parts: [weather, clock, { ...clock, id: "call_3" }] },
      { role: "user", parts: [result("call_2", "noon"), result("call_1", '{"sun":true}')] },
      { role: "user", parts: [{ kind: "text", text: "and?" }] },
    ];
    expect(contentsOf(messages).slice(1)).toEqual([
      {
        role: "model",
        parts: [
          { functionCall: { id: "call_1", name: "weather", args: { city: "Rome" } } },
          { functionCall: { id: "call_2", name: "clock", args: {} } },
          { functionCall: { id: "call_3", name: "clock", args: {} } },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "call_1", name: "weather", response: { sun: true } } },
          { functionResponse: { id: "call_2", name: "clock", response: { output: "noon" } } },
          {
            functionResponse: {
              id: "call_3",
              name: "clock",
              response: { error: "The tool gave no result." },
            },
          },
          { text: "and?" },
        ],
      },
    ]);
  });

  it("vouch for the first call of each step that nobody signed, for models with levels alone (rule 37)", () => {
    const messages: Message[] = [
      { role: "user", parts: [{ kind: "text", text: "hi" }] },
      { role: "assistant", parts: [weather, clock] },
      { role: "user", parts: [result("call_1", "a"), result("call_2", "b")] },
    ];
    const [, signed] = contentsOf(messages, { quirks: { thinking: "level" } });
    expect(signed?.parts).toMatchObject([{ thoughtSignature: "skip_thought_signature_validator" }, {}]);
    expect(signed?.parts[1]).not.toHaveProperty("thoughtSignature");
    expect(JSON.stringify(contentsOf(messages))).not.toContain("thoughtSignature");
  });

  it("say how much to think in the model's own way (rule 38)", () => {
    const wishes = [
      [{ enabled: true, effort: "high" }, "budget", { thinkingBudget: 24_576, includeThoughts: true }],
      [{ enabled: true, effort: "high" }, "level", { thinkingLevel: "HIGH", includeThoughts: true }],
      [{ enabled: true, effort: "xhigh" }, "level", { thinkingLevel: "HIGH", includeThoughts: true }],
      [{ enabled: true, budgetTokens: 2000 }, "budget", { thinkingBudget: 2000, includeThoughts: true }],
      [{ enabled: true, budgetTokens: 2000 }, "level", { thinkingLevel: "LOW", includeThoughts: true }],
      [{ enabled: true, adaptive: true }, "budget", { thinkingBudget: -1, includeThoughts: true }],
      [{ enabled: false }, "budget", { thinkingBudget: 0 }],
      [{ enabled: false }, "level", { thinkingLevel: "MINIMAL" }],
    ] as const;
    for (const [reasoning, thinking, thinkingConfig] of wishes) {
      const body = bodyOf({ reasoning, limits: { maxOutputTokens: 60_000 } }, { quirks: { thinking } });
      expect(body["generationConfig"]).toMatchObject({ thinkingConfig });
    }
  });

  it("name no larger budget than the model takes, and say so (rule 38)", () => {
    const wishes = [
      [{ enabled: true, budgetTokens: 31_999 }, 24_576],
      [{ enabled: true, effort: "max" }, 24_576],
    ] as const;
    for (const [reasoning, thinkingBudget] of wishes) {
      const quirks = { thinking: "budget", maxBudget: 24_576 } as const;
      const asked = requestOf({ reasoning, limits: { maxOutputTokens: 65_536 } });
      expect(codec.encodeRequest(asked, target(PROTOCOL, { quirks }))).toMatchObject({
        value: {
          body: { generationConfig: { thinkingConfig: { thinkingBudget } } },
          losses: [{ path: "reasoning", reason: "weakened" }],
        },
      });
    }
  });

  it("hold JSON Schema whole, or the native subset where the model knows no other (rules 28 and 40)", () => {
    const schema = {
      $schema: "x",
      type: "object",
      properties: { kind: { const: "a" }, size: { type: ["integer", "null"] } },
      required: ["kind"],
      additionalProperties: false,
    };
    const asked = {
      responseFormat: { kind: "schema", schema },
      tools: [{ kind: "function", name: "f", parameters: schema, strict: true }],
    } as const;
    const whole = {
      type: "object",
      properties: { kind: { enum: ["a"] }, size: { type: ["integer", "null"] } },
      required: ["kind"],
      additionalProperties: false,
    };
    expect(bodyOf(asked)).toMatchObject({
      tools: [{ functionDeclarations: [{ name: "f", parametersJsonSchema: whole }] }],
      generationConfig: { responseMimeType: "application/json", responseJsonSchema: whole },
    });
    const subset = {
      type: "OBJECT",
      properties: { kind: { type: "STRING", enum: ["a"] }, size: { type: "INTEGER", nullable: true } },
      required: ["kind"],
    };
    const described = { ...asked.responseFormat, description: "A thing." };
    expect(bodyOf({ responseFormat: described })).toMatchObject({
      generationConfig: { responseJsonSchema: { ...whole, description: "A thing." } },
    });
    const native = bodyOf(asked, { quirks: { schemas: "subset" } });
    expect(native["tools"]).toEqual([{ functionDeclarations: [{ name: "f", parameters: subset }] }]);
    expect(native["generationConfig"]).toEqual({
      responseMimeType: "application/json",
      responseSchema: subset,
    });
  });

  it("force a tool by its name (rule 26)", () => {
    const tools = [{ kind: "function", name: "f", strict: false }] as const;
    expect(bodyOf({ tools, toolChoice: { kind: "tool", name: "f" } })["toolConfig"]).toEqual({
      functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["f"] },
    });
    expect(bodyOf({ tools, toolChoice: { kind: "required" } })["toolConfig"]).toEqual({
      functionCallingConfig: { mode: "ANY" },
    });
  });

  it("show media inline or by https address and type, and refuse what no one could fetch (rule 35)", () => {
    const image = (url: string) => ({ kind: "media", media: "image", source: { from: "url", url } }) as const;
    const [content] = contentsOf([{ role: "user", parts: [image("https://x.example/a.png?b")] }]);
    expect(content?.parts).toEqual([
      { fileData: { mimeType: "image/png", fileUri: "https://x.example/a.png?b" } },
    ]);
    const insecure = codec.encodeRequest(
      requestOf({ messages: [{ role: "user", parts: [image("http://x.example/a.png")] }] }),
      target(PROTOCOL),
    );
    expect(insecure).toMatchObject({ refused: { path: "messages[].content" } });
  });
});

function result(callId: string, text: string) {
  return { kind: "tool-result", callId, parts: [{ kind: "text", text }] } as const;
}

function requestOf(more: Partial<ChatRequest>): ChatRequest {
  return {
    protocol: "messages",
    model: "m",
    stream: false,
    includeUsage: false,
    system: [],
    messages: [{ role: "user", parts: [{ kind: "text", text: "hi" }] }],
    tools: [],
    sampling: {},
    limits: {},
    foreign: [],
    echo: {},
    fieldNames: { media: "messages[].content" },
    ...more,
  };
}

function bodyOf(more: Partial<ChatRequest>, to: Partial<EncodeTarget> = {}): JsonObject {
  const encoded = codec.encodeRequest(requestOf(more), target(PROTOCOL, to));
  if (!("value" in encoded)) throw encoded.refused;
  return encoded.value.body;
}

function contentsOf(messages: readonly Message[], to: Partial<EncodeTarget> = {}) {
  return bodyOf({ messages }, to)["contents"] as { role: string; parts: JsonObject[] }[];
}
