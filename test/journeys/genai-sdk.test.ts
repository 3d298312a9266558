import { ApiError, GoogleGenAI } from "@google/genai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { waitFor } from "../support/wait.ts";
import { KEYS, startWorld, type World } from "../support/world.ts";

const DECLARATION = {
  name: "get_weather",
  description: "Weather",
  parametersJsonSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const CONFIG = { tools: [{ functionDeclarations: [DECLARATION] }] };

describe("the @google/genai SDK, unmodified", () => {
  let world: World;
  let client: GoogleGenAI;
  const clientFor = (apiKey: string): GoogleGenAI =>
    new GoogleGenAI({ apiKey, httpOptions: { baseUrl: world.url } });
  beforeAll(async () => {
    world = await startWorld();
    client = clientFor(KEYS.main);
  });
  afterAll(() => world.stop());

  it("reads the same answer plain and streamed, thoughts included", async () => {
    const ask = {
      model: "text",
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
    expect(plain.modelVersion).toBe("text");
  });

  it("is served under version v1 too, which the SDK for Python asks for", async () => {
    const httpOptions = { baseUrl: world.url, apiVersion: "v1" };
    const second = new GoogleGenAI({ apiKey: KEYS.main, httpOptions });
    const ask = { model: "text", contents: "Rivers?" };
    const { text } = await client.models.generateContent(ask);
    expect((await second.models.generateContent(ask)).text).toBe(text);
    let streamed = "";
    for await (const chunk of await second.models.generateContentStream(ask)) streamed += chunk.text ?? "";
    expect(streamed).toBe(text);
    const names = async (one: GoogleGenAI): Promise<unknown[]> => {
      const all: unknown[] = [];
      for await (const { name } of await one.models.list()) all.push(name);
      return all;
    };
    expect(await names(second)).toEqual(await names(client));
    expect(await second.models.get({ model: "text" })).toMatchObject({ name: "models/text" });
  });

  it("lists models with what they can do and how much they take", async () => {
    const generating: (string | undefined)[] = [];
    for await (const model of await client.models.list()) {
      for (const action of model.supportedActions ?? ["none"])
        if (action === "generateContent") generating.push(model.name);
    }
    expect(generating).toContain("models/text");
    expect(generating).not.toContain("models/embed");
    expect(await client.models.get({ model: "text" })).toMatchObject({
      inputTokenLimit: 200_000,
      outputTokenLimit: 32_000,
      version: expect.any(String),
    });
  });

  it("runs a tool loop with parallel calls, replaying the thought signature", async () => {
    const config = { ...CONFIG, thinkingConfig: { thinkingBudget: 512 } };
    const chat = client.chats.create({ model: "gemini-3-test", config });
    const first = await chat.sendMessage({ message: "Weather? [[sandbox: tools=2]]" });
    const calls = first.functionCalls ?? [];
    expect(calls).toHaveLength(2);
    expect(first.candidates?.[0]?.content?.parts?.[0]?.thoughtSignature).toMatch(/^.{100,}$/);
    const results = calls.map((call) => ({
      functionResponse: { name: "get_weather", id: call.id ?? "", response: { output: "seven" } },
    }));
    expect((await chat.sendMessage({ message: results })).text).toContain("seven");
  });

  it("streams a tool loop", async () => {
    const chat = client.chats.create({ model: "gemini-3-test", config: CONFIG });
    const calls: { id?: string; name?: string }[] = [];
    for await (const chunk of await chat.sendMessageStream({ message: "Weather?" }))
      calls.push(...(chunk.functionCalls ?? []));
    expect(calls).toHaveLength(1);
    const result = {
      functionResponse: {
        name: "get_weather",
        id: calls[0]?.id ?? "",
        response: { output: "seven degrees" },
      },
    };
    let text = "";
    for await (const chunk of await chat.sendMessageStream({ message: [result] })) text += chunk.text ?? "";
    expect(text).toContain("seven degrees");
  });

  it("gives structured output", async () => {
    const responseJsonSchema = { type: "object", properties: { n: { const: 4 } }, required: ["n"] };
    const response = await client.models.generateContent({
      model: "text",
      contents: "Hi",
      config: { responseMimeType: "application/json", responseJsonSchema },
    });
    expect(JSON.parse(response.text ?? "")).toEqual({ n: 4 });
  });

  it("lists models in its own form, page by page, and gets one", async () => {
    const all: (string | undefined)[] = [];
    for await (const model of await client.models.list()) all.push(model.name);
    expect(all).toContain("models/text");
    const paged: (string | undefined)[] = [];
    for await (const model of await client.models.list({ config: { pageSize: 3 } })) paged.push(model.name);
    expect(paged).toEqual(all);
    expect(await client.models.get({ model: "text" })).toMatchObject({
      name: "models/text",
      displayName: "text",
    });
  });

  it("raises its error class with status and words", async () => {
    const refusal = (apiKey: string, model: string, contents: string) =>
      clientFor(apiKey)
        .models.generateContent({ model, contents })
        .catch((error: unknown) => error);
    const cases: [key: string, model: string, contents: string, status: number, words: RegExp][] = [
      [KEYS.invalid, "text", "x", 401, /gateway_error/],
      [KEYS.main, "nonsense", "x", 404, /model_not_found/],
      [KEYS.poor, "text", "x", 403, /insufficient_user_quota/],
      [KEYS.main, "faulty-a", "[[sandbox: error=429 retry_after=7]]", 429, /upstream_rate_limited/],
      [KEYS.main, "faulty-b", "[[sandbox: error=500]]", 502, /upstream_error/],
    ];
    for (const [key, model, contents, status, words] of cases) {
      const error = await refusal(key, model, contents);
      expect(error, contents).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ status, message: expect.stringMatching(words) });
    }
    const bad = await client.models
      .generateContent({ model: "text", contents: "[[sandbox: error=400]]" })
      .catch((error: unknown) => error);
    expect(bad).toMatchObject({ status: 400, message: expect.stringMatching(/INVALID_ARGUMENT/) });
  });

  it("raises the same for a stream that is refused before it begins", async () => {
    const cases: [key: string, model: string, contents: string, status: number, words: RegExp][] = [
      [KEYS.invalid, "text", "x", 401, /UNAUTHENTICATED/],
      [KEYS.main, "nonsense", "x", 404, /model_not_found/],
      [KEYS.poor, "text", "x", 403, /insufficient_user_quota/],
      [KEYS.main, "faulty-d", "[[sandbox: error=503]]", 502, /upstream_error/],
    ];
    for (const [key, model, contents, status, words] of cases) {
      const error = await clientFor(key)
        .models.generateContentStream({ model, contents })
        .catch((cause: unknown) => cause);
      expect(error, contents).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ name: "ApiError", status, message: expect.stringMatching(words) });
      // The SDK's message is the error's body: its form is the vendor's own.
      expect(JSON.parse((error as ApiError).message)).toMatchObject({
        error: { code: status, status: expect.stringMatching(/^[A-Z_]+$/), message: expect.any(String) },
      });
    }
  });

  it("is told of a failure in the midst of a stream", async () => {
    const read = async (): Promise<void> => {
      const contents = "[[sandbox: cut=2 chunks=6]]";
      for await (const chunk of await client.models.generateContentStream({ model: "faulty-c", contents }))
        expect(chunk.candidates?.[0]?.finishReason).toBeUndefined();
    };
    const error = await read().catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).message).toMatch(/UNAVAILABLE.*upstream_error/);
  });

  it("aborts a stream, which reaches the upstream", async () => {
    const tag = "genai-abort";
    const abort = new AbortController();
    const read = async (): Promise<void> => {
      const stream = await client.models.generateContentStream({
        model: "text",
        contents: `[[sandbox: chunks=1000 pace=20 tag=${tag}]]`,
        config: { abortSignal: abort.signal },
      });
      for await (const _ of stream) abort.abort();
    };
    await expect(read()).rejects.toThrow(/abort/i);
    const line = await waitFor("the upstream to notice", async () =>
      (await world.sandbox.journal()).find((each) => each["tag"] === tag),
    );
    expect(line.outcome).toBe("aborted-by-client");
  });
});
