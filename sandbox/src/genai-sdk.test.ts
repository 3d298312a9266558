import { ApiError, FunctionCallingConfigMode, GoogleGenAI } from "@google/genai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type StartedSandbox, startSandbox } from "./testing/started-sandbox.ts";

const DECLARATION = {
  name: "get_weather",
  description: "Weather",
  parametersJsonSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const CONFIG = { tools: [{ functionDeclarations: [DECLARATION] }] };

describe("the official @google/genai", () => {
  let sandbox: StartedSandbox;
  let client: GoogleGenAI;
  const clientFor = (apiKey: string): GoogleGenAI =>
    new GoogleGenAI({ apiKey, httpOptions: { baseUrl: sandbox.url } });
  beforeAll(async () => {
    sandbox = await startSandbox();
    client = clientFor("key");
  });
  afterAll(() => sandbox.close());

  it("reads the same answer plain and streamed, thoughts included", async () => {
    const ask = {
      model: "text-large",
      contents: "Rivers?",
      config: { thinkingConfig: { includeThoughts: true } },
    };
    const plain = await client.models.generateContent(ask);
    let text = "";
    let thoughts = "";
    let usage: unknown;
    for await (const chunk of await client.models.generateContentStream(ask)) {
      for (const part of chunk.candidates?.[0]?.content?.parts ?? []) {
        if (part.thought) thoughts += part.text;
        else text += part.text ?? "";
      }
      usage = chunk.usageMetadata;
    }
    expect(text).toBe(plain.text);
    expect(thoughts).toBe(plain.candidates?.[0]?.content?.parts?.[0]?.text);
    expect(usage).toEqual(plain.usageMetadata);
    expect(plain.modelVersion).toBe("text-large");
  });

  it("runs a tool loop, replaying the thought signature", async () => {
    const config = { ...CONFIG, thinkingConfig: { thinkingBudget: 512 } };
    const chat = client.chats.create({ model: "gemini-3-test", config });
    const first = await chat.sendMessage({ message: "Weather?" });
    const call = first.functionCalls?.[0];
    expect(call).toMatchObject({
      name: "get_weather",
      args: { city: expect.any(String) },
      id: expect.any(String),
    });
    expect(first.candidates?.[0]?.content?.parts?.[0]?.thoughtSignature).toMatch(/^.{100,}$/);
    const response = {
      functionResponse: { name: "get_weather", id: call?.id ?? "", response: { output: "seven" } },
    };
    expect((await chat.sendMessage({ message: [response] })).text).toContain("seven");
  });

  it("takes a thought signature in URL-safe base64 too, as the client for Python sends it back", async () => {
    const question = { role: "user", parts: [{ text: "Weather?" }] };
    const response = { functionResponse: { name: "get_weather", response: { output: "seven" } } };
    // Nearly every signature has a letter that the two alphabets write differently; one of these surely has.
    for (let round = 0; round < 5; round += 1) {
      const ask = { model: "gemini-3-test", config: CONFIG, contents: [question] };
      const call = (await client.models.generateContent(ask)).candidates?.[0]?.content?.parts?.[0];
      const thoughtSignature = call?.thoughtSignature?.replaceAll("+", "-").replaceAll("/", "_") ?? "";
      const turn = { role: "model", parts: [{ ...call, thoughtSignature }] };
      const contents = [question, turn, { role: "user", parts: [response] }];
      expect((await client.models.generateContent({ ...ask, contents })).text).toContain("seven");
    }
  });

  it("refuses an unsigned call where the model wants a signature, and a forged one always", async () => {
    const ask = (model: string, thoughtSignature?: string) =>
      client.models.generateContent({
        model,
        config: CONFIG,
        contents: [
          { role: "user", parts: [{ text: "Weather?" }] },
          {
            role: "model",
            parts: [
              {
                functionCall: { name: "get_weather", args: {} },
                ...(thoughtSignature ? { thoughtSignature } : {}),
              },
            ],
          },
          { role: "user", parts: [{ functionResponse: { name: "get_weather", response: { output: "7" } } }] },
        ],
      });
    await expect(ask("gemini-3-test")).rejects.toThrow(/missing a thought_signature/);
    const skipped = "skip_thought_signature_validator";
    expect((await ask("gemini-3-test", skipped)).text).toContain("7");
    expect((await ask("gemini-3-test", Buffer.from(skipped).toString("base64"))).text).toContain("7");
    expect((await ask("gemini-2.5-test")).text).toContain("7");
    await expect(ask("gemini-2.5-test", "AAAA")).rejects.toThrow(/signature is not valid/);
  });

  it("honours the calling modes", async () => {
    const ask = async (mode: FunctionCallingConfigMode) => {
      const toolConfig = { functionCallingConfig: { mode } };
      const response = await client.models.generateContent({
        model: "m",
        contents: "Hi",
        config: { ...CONFIG, toolConfig },
      });
      return response.functionCalls?.length ?? 0;
    };
    expect(await ask(FunctionCallingConfigMode.NONE)).toBe(0);
    expect(await ask(FunctionCallingConfigMode.ANY)).toBe(1);
  });

  it("gives structured output by either schema field, and several candidates", async () => {
    const responseMimeType = "application/json";
    const native = { type: "OBJECT", properties: { n: { type: "INTEGER", minimum: 5 } }, required: ["n"] };
    const json = { type: "object", properties: { n: { $ref: "#/$defs/n" } }, $defs: { n: { const: 4 } } };
    const first = await client.models.generateContent({
      model: "m",
      contents: "Hi",
      config: { responseMimeType, responseSchema: native as never },
    });
    expect(JSON.parse(first.text ?? "").n).toBeGreaterThanOrEqual(5);
    const second = await client.models.generateContent({
      model: "m",
      contents: "Hi",
      config: { responseMimeType, responseJsonSchema: json, candidateCount: 2 },
    });
    expect(second.candidates?.map((one) => JSON.parse(one.content?.parts?.[0]?.text ?? ""))).toEqual([
      { n: 4 },
      { n: 4 },
    ]);
  });

  it("raises its error class with the vendor's status", async () => {
    const fail = (apiKey: string, contents: string) =>
      clientFor(apiKey).models.generateContent({ model: "m", contents });
    await expect(fail("bad-key", "x")).rejects.toThrow(/API_KEY_INVALID/);
    await expect(clientFor("bad-key").models.list()).rejects.toThrow(/API_KEY_INVALID/);
    await expect(fail("poor-key", "x")).rejects.toMatchObject({ status: 429 });
    await expect(fail("key", "[[sandbox: error=503]]")).rejects.toBeInstanceOf(ApiError);
  });
});
