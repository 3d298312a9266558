import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../conversation/request.ts";
import type { Translation } from "../translation.ts";
import { generateContent } from "./codec.ts";

const codec = generateContent.translation as Translation;

describe("generateContent requests from its own callers", () => {
  it("keep properties of schemas that every object answers to", () => {
    const schema = { type: "OBJECT", properties: { constructor: { type: "STRING", constructor: "x" } } };
    const decoded = codec.decodeRequest({ contents: [], generationConfig: { responseSchema: schema } });
    expect("value" in decoded && decoded.value.responseFormat).toMatchObject({
      schema: { type: "object", properties: { constructor: { type: "string", constructor: "x" } } },
    });
  });

  it("are told of the form that they wish for by the field that says it", () => {
    const nameOf = (generationConfig: JsonObject) => {
      const read = codec.decodeRequest({ contents: [{ parts: [{ text: "x" }] }], generationConfig });
      return "value" in read && read.value.fieldNames.responseFormat;
    };
    const responseMimeType = "application/json";
    expect(nameOf({ response_mime_type: responseMimeType })).toBe("generationConfig.responseMimeType");
    expect(nameOf({ responseMimeType, responseSchema: { type: "OBJECT" } })).toBe(
      "generationConfig.responseSchema",
    );
    expect(nameOf({ responseMimeType, responseJsonSchema: { type: "object" } })).toBe(
      "generationConfig.responseJsonSchema",
    );
  });

  it("are read in camelCase and in snake_case alike", () => {
    const camel = {
      systemInstruction: { parts: [{ text: "be kind" }] },
      contents: [
        { parts: [{ text: "hi" }, { inlineData: { mimeType: "image/png", data: "AA==" } }] },
        { role: "model", parts: [{ functionCall: { name: "f" }, thoughtSignature: "c2ln" }] },
        { role: "user", parts: [{ functionResponse: { name: "f", response: { output: "x" } } }] },
      ],
      tools: [{ functionDeclarations: [{ name: "f", parametersJsonSchema: { type: "object" } }] }],
      toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["f"] } },
      generationConfig: {
        maxOutputTokens: 5,
        topK: 3,
        thinkingConfig: { includeThoughts: true, thinkingBudget: 9 },
      },
    };
    const snake = JSON.parse(
      JSON.stringify(camel).replace(/"([a-z]+[A-Z]\w*)":/g, (key) =>
        key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      ),
    );
    expect(snake).toHaveProperty("generation_config.thinking_config.include_thoughts");
    expect(codec.decodeRequest(snake)).toEqual(codec.decodeRequest(camel));
    expect(codec.decodeRequest(camel)).toMatchObject({
      value: {
        reasoning: { budgetTokens: 9 },
        toolChoice: { kind: "tool", name: "f" },
        limits: { maxOutputTokens: 5 },
      },
    });
  });

  it("match results without ids with their calls by name and order, the same in every turn (rule 22)", () => {
    const turn = [
      { role: "user", parts: [{ text: "hi" }] },
      {
        role: "model",
        parts: [
          { functionCall: { name: "a" } },
          { functionCall: { name: "b" } },
          { functionCall: { name: "a" } },
        ],
      },
      {
        role: "user",
        parts: ["b", "a", "a"].map((name) => ({ functionResponse: { name, response: { output: "x" } } })),
      },
    ];
    const idsOf = (contents: unknown) => {
      const read = codec.decodeRequest({ contents });
      if (!("value" in read)) throw read.refused;
      const parts = read.value.messages.flatMap((message) => message.parts);
      return {
        calls: parts.flatMap((part) => (part.kind === "tool-call" ? [part.id] : [])),
        results: parts.flatMap((part) => (part.kind === "tool-result" ? [part.callId] : [])),
      };
    };
    const { calls, results } = idsOf(turn);
    expect(new Set(calls).size).toBe(3);
    expect(results).toEqual([calls[1], calls[0], calls[2]]);
    const longer = idsOf([...turn, { role: "model", parts: [{ text: "y" }] }, ...turn]);
    expect(longer.calls.slice(0, 3)).toEqual(calls);
    expect(new Set(longer.calls).size).toBe(6);
  });

  it("are refused naming the field that is wrong", () => {
    const wrong: readonly (readonly [JsonObject, string])[] = [
      [{}, "contents"],
      [{ contents: [{ role: "assistant", parts: [] }] }, "contents[0].role"],
      [{ contents: [{ parts: [{ text: 5 }] }] }, "contents[0].parts[0].text"],
      [{ contents: [], generationConfig: { temperature: "warm" } }, "generationConfig.temperature"],
      [
        { contents: [], generationConfig: { thinkingConfig: { thinkingLevel: "HUGE" } } },
        "generationConfig.thinkingConfig.thinkingLevel",
      ],
      [
        { contents: [], toolConfig: { functionCallingConfig: { mode: "SOME" } } },
        "toolConfig.functionCallingConfig.mode",
      ],
      [
        { contents: [], systemInstruction: { parts: [{ inlineData: { mimeType: "image/png", data: "" } }] } },
        "systemInstruction.parts",
      ],
    ];
    for (const [body, path] of wrong) expect(codec.decodeRequest(body)).toMatchObject({ refused: { path } });
  });
});
