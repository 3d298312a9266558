import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { generateText, type LanguageModel, stepCountIs, streamText, tool } from "ai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type LoopOutcome, runToolLoop } from "../support/sdk-loops.ts";
import { TEXT_PROTOCOLS, type TextProtocol } from "../support/text-caller.ts";
import { MODEL_OF, PAIRS, startTranslatedWorld, type TranslatedWorld } from "../support/translated-world.ts";
import { KEYS } from "../support/world.ts";

const WAYS = PAIRS.flatMap((pair) => [false, true].map((streamed) => ({ ...pair, streamed })));

const MOVES = PAIRS.flatMap(({ client, upstream: from }) =>
  TEXT_PROTOCOLS.filter((to) => to !== from).map((to) => ({ client, from, to })),
);

/** One pair for each client protocol. */
const FOREIGN: Readonly<Record<TextProtocol, TextProtocol>> = {
  "chat-completions": "messages",
  responses: "generate-content",
  messages: "responses",
  "generate-content": "chat-completions",
};

describe("tool loops through unmodified SDKs, over all pairs", () => {
  let world: TranslatedWorld;
  beforeAll(async () => {
    world = await startTranslatedWorld();
  });
  afterAll(() => world.stop());

  it.each(WAYS)(
    "two parallel calls after thinking, their results, the answer: $client to $upstream, streamed: $streamed",
    async ({ client, upstream, streamed }) => {
      const outcome = await runToolLoop(
        world.url,
        client,
        [MODEL_OF[upstream], MODEL_OF[upstream]],
        streamed,
      );
      expect(outcome).toEqual<LoopOutcome>({
        calls: [
          { name: "get_weather", input: { city: expect.any(String) } },
          { name: "get_tide", input: { city: expect.any(String) } },
        ],
        text: expect.stringMatching(/seven degrees[\s\S]*high tide/),
      });
      const [asked, answered] = (await world.upstreams[upstream].journal()).slice(-2);
      expect([asked?.outcome, answered?.outcome]).toEqual(["completed", "completed"]);
    },
  );

  it.each(MOVES)(
    "a conversation moves to another upstream, which never sees the first one's state: $client from $from to $to",
    async ({ client, from, to }) => {
      for (const streamed of [false, true]) {
        const outcome = await runToolLoop(world.url, client, [MODEL_OF[from], MODEL_OF[to]], streamed);
        expect(outcome.calls).toHaveLength(2);
        expect(outcome.text).toMatch(/seven degrees[\s\S]*high tide/);
      }
    },
  );

  it.each(PAIRS.filter(({ client }) => client === "messages"))(
    "the Anthropic SDK's tool runner sends the whole history where no server can hold it: $client to $upstream",
    async ({ upstream }) => {
      const client = new Anthropic({ apiKey: KEYS.main, baseURL: world.url, maxRetries: 0 });
      for (const stream of [false, true] as const) {
        const runner = client.beta.messages.toolRunner({
          model: MODEL_OF[upstream],
          max_tokens: 2_048,
          stream,
          messages: [{ role: "user", content: "Weather?" }],
          tools: [
            {
              name: "get_weather",
              input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
              run: () => "seven degrees",
              parse: (input: unknown) => input,
            },
          ],
        });
        const { content } = await runner.runUntilDone();
        expect(content).toContainEqual(
          expect.objectContaining({ type: "text", text: expect.stringContaining("seven degrees") }),
        );
      }
    },
  );

  it.each(TEXT_PROTOCOLS.map((client) => ({ client, upstream: FOREIGN[client] })))(
    "the AI SDK's loop by itself: $client to $upstream, plain and streamed",
    async ({ client, upstream }) => {
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
          model: aiModel(world.url, client, MODEL_OF[upstream]),
          prompt: "Weather? [[sandbox: tools=2]]",
          tools: { weather },
          stopWhen: stepCountIs(4),
        });
        expect(await result.text).toContain('{"degrees":7}');
        expect(await result.finishReason).toBe("stop");
        expect(asked).toHaveLength(2);
      }
    },
  );

  it.each(PAIRS.filter(({ client, upstream }) => client === "responses" && upstream !== client))(
    "the AI SDK is told how to send a conversation that nobody stores: $client to $upstream",
    async ({ upstream }) => {
      const model = aiModel(world.url, "responses", MODEL_OF[upstream]);
      const first = await generateText({ model, prompt: "Say one." });
      const question = { role: "user" as const, content: "And now?" };
      const messages = [...first.response.messages, question];
      const referring = generateText({ model, messages, maxRetries: 0 });
      await expect(referring).rejects.toMatchObject({
        statusCode: 400,
        message: expect.stringContaining("providerOptions: { openai: { store: false } }"),
      });
      const second = await generateText({ model, messages, providerOptions: { openai: { store: false } } });
      expect(second.usage.inputTokens).toBeGreaterThan(first.usage.outputTokens ?? 0);
    },
  );
});

function aiModel(url: string, client: TextProtocol, model: string): LanguageModel {
  const apiKey = KEYS.main;
  switch (client) {
    case "chat-completions":
      return createOpenAI({ apiKey, baseURL: `${url}/v1` }).chat(model);
    case "responses":
      return createOpenAI({ apiKey, baseURL: `${url}/v1` }).responses(model);
    case "messages":
      return createAnthropic({ apiKey, baseURL: `${url}/v1` })(model);
    case "generate-content":
      return createGoogleGenerativeAI({ apiKey, baseURL: `${url}/v1beta` })(model);
  }
}
