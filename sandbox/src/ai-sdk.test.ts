import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateObject, generateText, type LanguageModel, stepCountIs, streamText, tool } from "ai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type StartedSandbox, startSandbox } from "./testing/started-sandbox.ts";

type Provider = (url: string) => LanguageModel;

const PROVIDERS: Record<string, Provider> = {
  "openai chat": (url) => createOpenAI({ apiKey: "key", baseURL: `${url}/v1` }).chat("text-large"),
  "openai responses": (url) => createOpenAI({ apiKey: "key", baseURL: `${url}/v1` }).responses("gpt-5-test"),
  "openai-compatible": (url) =>
    createOpenAICompatible({
      name: "sandbox",
      apiKey: "key",
      baseURL: `${url}/v1`,
      includeUsage: true,
      supportsStructuredOutputs: true,
    }).chatModel("text-large"),
  anthropic: (url) => createAnthropic({ apiKey: "key", baseURL: `${url}/v1` })("claude-sonnet-4-5"),
  google: (url) => createGoogleGenerativeAI({ apiKey: "key", baseURL: `${url}/v1beta` })("gemini-3-test"),
};

describe("the AI SDK", () => {
  let sandbox: StartedSandbox;
  beforeAll(async () => {
    sandbox = await startSandbox();
  });
  afterAll(() => sandbox.close());

  for (const [name, provider] of Object.entries(PROVIDERS)) {
    it(`streams what it generates, through ${name}`, async () => {
      const model = provider(sandbox.url);
      const plain = await generateText({ model, prompt: "Rivers?" });
      const stream = streamText({ model, prompt: "Rivers?" });
      expect(await stream.text).toBe(plain.text);
      expect((await stream.usage).outputTokens).toBe(plain.usage.outputTokens);
      expect(await stream.finishReason).toBe("stop");
    });

    it(`runs a tool loop with two parallel calls, through ${name}`, async () => {
      const asked: unknown[] = [];
      const weather = tool({
        description: "Weather of a city",
        inputSchema: z.object({ city: z.string(), days: z.number().int().min(1).max(7) }),
        execute: async (input) => {
          asked.push(input);
          return { degrees: 7 };
        },
      });
      const stream = streamText({
        model: provider(sandbox.url),
        prompt: "Weather? [[sandbox: tools=2]]",
        tools: { weather },
        stopWhen: stepCountIs(4),
      });
      expect(await stream.text).toContain('{"degrees":7}');
      expect(asked).toHaveLength(2);
    });

    it(`gives objects that fit their schema, through ${name}`, async () => {
      const schema = z.object({
        title: z.string().min(2),
        tags: z.array(z.enum(["a", "b"])).min(1),
        nested: z.object({ score: z.number().min(0).max(1), maybe: z.string().nullable() }),
      });
      const { object } = await generateObject({ model: provider(sandbox.url), prompt: "An object.", schema });
      expect(schema.parse(object)).toEqual(object);
    });
  }
});
