import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import {
  APICallError,
  embedMany,
  generateObject,
  generateText,
  type LanguageModel,
  stepCountIs,
  streamObject,
  streamText,
  tool,
} from "ai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { waitFor } from "../support/wait.ts";
import { KEYS, startWorld, type World } from "../support/world.ts";

/** Builds a model of one provider; `model` replaces the provider's usual one. */
type Provider = (url: string, model?: string, apiKey?: string) => LanguageModel;

const PROVIDERS: Readonly<Record<string, Provider>> = {
  "openai chat": (url, model = "text", apiKey = KEYS.main) =>
    createOpenAI({ apiKey, baseURL: `${url}/v1` }).chat(model),
  "openai responses": (url, model = "gpt-5-test", apiKey = KEYS.main) =>
    createOpenAI({ apiKey, baseURL: `${url}/v1` }).responses(model),
  "openai-compatible": (url, model = "text", apiKey = KEYS.main) =>
    createOpenAICompatible({
      name: "faregate",
      apiKey,
      baseURL: `${url}/v1`,
      includeUsage: true,
      supportsStructuredOutputs: true,
    }).chatModel(model),
  anthropic: (url, model = "claude-sonnet-4-5", apiKey = KEYS.main) =>
    createAnthropic({ apiKey, baseURL: `${url}/v1` })(model),
  google: (url, model = "gemini-3-test", apiKey = KEYS.main) =>
    createGoogleGenerativeAI({ apiKey, baseURL: `${url}/v1beta` })(model),
};

/** How each provider is told to think. */
const THINKING = {
  "openai responses": { openai: { reasoningEffort: "low", reasoningSummary: "auto" } },
  "openai-compatible": { faregate: { reasoningEffort: "low" } },
  anthropic: { anthropic: { thinking: { type: "enabled", budgetTokens: 1_024 } } },
  google: { google: { thinkingConfig: { includeThoughts: true } } },
} as const;

describe("the AI SDK, unmodified", () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world.stop());

  for (const [name, provider] of Object.entries(PROVIDERS)) {
    describe(name, () => {
      it("streams what it generates, with the same usage", async () => {
        const model = provider(world.url);
        const plain = await generateText({ model, prompt: "Rivers?" });
        const stream = streamText({ model, prompt: "Rivers?" });
        expect(await stream.text).toBe(plain.text);
        expect((await stream.usage).outputTokens).toBe(plain.usage.outputTokens);
        expect((await stream.usage).inputTokens).toBe(plain.usage.inputTokens);
        expect(await stream.finishReason).toBe("stop");
      });

      it("runs a tool loop with two parallel calls, plain and streamed", async () => {
        for (const run of [generateText, streamText]) {
          const asked: unknown[] = [];
          const weather = tool({
            description: "Weather of a city",
            inputSchema: z.object({ city: z.string(), days: z.number().int().min(1).max(7) }),
            execute: async (input) => {
              asked.push(input);
              return { degrees: 7 };
            },
          });
          const result = await run({
            model: provider(world.url),
            prompt: "Weather? [[sandbox: tools=2]]",
            tools: { weather },
            stopWhen: stepCountIs(4),
          });
          expect(await result.text).toContain('{"degrees":7}');
          expect(asked).toHaveLength(2);
        }
      });

      it("gives objects that fit their schema, plain and streamed", async () => {
        const schema = z.object({
          title: z.string().min(2),
          tags: z.array(z.enum(["a", "b"])).min(1),
          nested: z.object({ score: z.number().min(0).max(1), maybe: z.string().nullable() }),
        });
        const ask = { model: provider(world.url), prompt: "An object.", schema };
        const { object } = await generateObject(ask);
        expect(schema.parse(object)).toEqual(object);
        const stream = streamObject(ask);
        const parts: unknown[] = [];
        for await (const part of stream.partialObjectStream) parts.push(part);
        expect(parts.at(-1)).toEqual(object);
        expect(await stream.object).toEqual(object);
      });

      it.runIf(name in THINKING)("shows thoughts", async () => {
        const providerOptions = THINKING[name as keyof typeof THINKING] as NonNullable<
          Parameters<typeof generateText>[0]["providerOptions"]
        >;
        const ask = { model: provider(world.url), prompt: "Why?", providerOptions };
        const plain = await generateText(ask);
        expect(plain.reasoningText).toMatch(/\w/);
        const stream = streamText(ask);
        expect(await stream.text).toBe(plain.text);
        expect(await stream.reasoningText).toBe(plain.reasoningText);
      });

      it("raises APICallError with status, headers and whether to retry", async () => {
        const refusal = async (prompt: string, model: string, apiKey: string = KEYS.main) => {
          const error = await generateText({
            model: provider(world.url, model, apiKey),
            prompt,
            maxRetries: 0,
          }).catch((thrown: unknown) => thrown);
          if (!APICallError.isInstance(error)) throw new Error("no APICallError", { cause: error });
          return error;
        };
        expect(await refusal("x", "text", KEYS.invalid)).toMatchObject({
          statusCode: 401,
          isRetryable: false,
        });
        const unknown = await refusal("x", "nonsense");
        expect(unknown).toMatchObject({
          statusCode: 404,
          responseBody: expect.stringContaining("The model 'nonsense' doesn't exist"),
        });
        expect(await refusal("x", "text", KEYS.poor)).toMatchObject({ statusCode: 403 });
        const limited = await refusal("[[sandbox: error=429 retry_after=7]]", "faulty-a");
        expect(limited).toMatchObject({ statusCode: 429, isRetryable: true });
        expect(limited.responseHeaders?.["retry-after"]).toBe("7");
        expect(await refusal("[[sandbox: error=500]]", "faulty-b")).toMatchObject({
          statusCode: 502,
          isRetryable: true,
          responseBody: expect.stringContaining("(request id: req_"),
        });
        await generateText({ model: provider(world.url, "faulty-b"), prompt: "heal" });
      });

      it("aborts a stream, which reaches the upstream", async () => {
        const tag = `ai-${name.replace(" ", "-")}`;
        const abort = new AbortController();
        const stream = streamText({
          model: provider(world.url),
          prompt: `[[sandbox: chunks=1000 pace=20 tag=${tag}]]`,
          abortSignal: abort.signal,
        });
        const types: string[] = [];
        for await (const part of stream.fullStream) {
          types.push(part.type);
          if (part.type === "text-delta") abort.abort();
        }
        expect(types).toContain("abort");
        const line = await waitFor("the upstream to notice", async () =>
          (await world.sandbox.journal()).find((each) => each["tag"] === tag),
        );
        expect(line.outcome).toBe("aborted-by-client");
      });
    });
  }

  it("embeds through openai and openai-compatible", async () => {
    const options = { apiKey: KEYS.main, baseURL: `${world.url}/v1` };
    for (const model of [
      createOpenAI(options).embedding("embed"),
      createOpenAICompatible({ name: "faregate", ...options }).embeddingModel("embed"),
    ]) {
      const { embeddings, usage } = await embedMany({ model, values: ["river", "stone"] });
      expect(embeddings.map((each) => each.length)).toEqual([1_536, 1_536]);
      expect(usage.tokens).toBe(2);
    }
  });
});
