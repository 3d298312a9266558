import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI, type Part } from "@google/genai";
import { generateText, jsonSchema, type LanguageModel, stepCountIs, streamText, tool } from "ai";
import OpenAI from "openai";
import type { SigningScript } from "./signing-upstream.ts";
import type { TextProtocol } from "./text-caller.ts";
import { KEYS } from "./world.ts";

/** The settings of a loop: the gateway, the model, the first words, and if responses are streamed. */
export interface LoopAsk {
  readonly url: string;
  readonly model: string;
  readonly question: string;
  readonly streamed: boolean;
}

/** Runs tools until there is a response, through an unmodified SDK, and gives its text. */
export type StateLoop = (ask: LoopAsk) => Promise<string>;

const NAMES = ["get_weather", "get_tide"];
/** Calls come this often; then the response. */
export const STEPS = 4;
export const RESPONSE = "Seven degrees.";
/** A PNG of one pixel in base64. */
const IMAGE =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/**
 * The model's part in these loops: it calls both tools at once, step after step. The question names the conversation.
 */
export const LOOP_SCRIPT: SigningScript = {
  name: (body) => /loop-[\w-]+/.exec(JSON.stringify(body))?.[0] ?? "",
  images: [IMAGE],
  calls: (step) => (step < STEPS ? NAMES.map((name) => ({ name, args: { city: "Oslo" } })) : []),
  response: RESPONSE,
};

const CITY = { type: "object" as const, properties: { city: { type: "string" } }, required: ["city"] };
const IMAGE_URL = `data:image/png;base64,${IMAGE}`;
/** More than any loop here takes. */
const MAX_STEPS = 8;

export const STATE_LOOPS: Readonly<
  Record<
    string,
    {
      readonly client: TextProtocol;
      readonly run: StateLoop;
      /** Nothing else of a call comes back than what was asked for. */
      readonly keepsIds?: true;
    }
  >
> = {
  openai: { client: "chat-completions", run: (ask) => chatLoop(ask) },
  // Many clients do this: they keep no field that they do not know.
  "openai, of calls ids alone": {
    client: "chat-completions",
    run: (ask) => chatLoop(ask, bareTurn),
    keepsIds: true,
  },
  "openai, responses": { client: "responses", run: responsesLoop },
  "@anthropic-ai/sdk": { client: "messages", run: messagesLoop },
  "@google/genai": { client: "generate-content", run: nativeLoop },
  // It keeps a signature under the provider's name, and sends back that of this one alone.
  "@ai-sdk/openai-compatible": {
    client: "chat-completions",
    run: (ask) =>
      aiLoop(
        ask,
        createOpenAICompatible({ name: "google", apiKey: KEYS.main, baseURL: `${ask.url}/v1` })(ask.model),
      ),
  },
  "@ai-sdk/anthropic": {
    client: "messages",
    run: (ask) =>
      aiLoop(ask, createAnthropic({ apiKey: KEYS.main, baseURL: `${ask.url}/v1` })(ask.model), {
        anthropic: { thinking: { type: "enabled", budgetTokens: 1_024 } },
      }),
  },
  "@ai-sdk/google": {
    client: "generate-content",
    run: (ask) =>
      aiLoop(ask, createGoogleGenerativeAI({ apiKey: KEYS.main, baseURL: `${ask.url}/v1beta` })(ask.model), {
        google: { thinkingConfig: { thinkingBudget: 1_024, includeThoughts: true } },
      }),
  },
};

/** Calls written anew, from what a client parsed of them. */
function bareTurn({ tool_calls = [] }: OpenAI.ChatCompletionMessage): OpenAI.ChatCompletionMessageParam {
  const calls = tool_calls.flatMap((call) =>
    call.type === "function"
      ? [
          {
            id: call.id,
            type: "function" as const,
            function: {
              name: call.function.name,
              arguments: JSON.stringify(JSON.parse(call.function.arguments), null, 1),
            },
          },
        ]
      : [],
  );
  return { role: "assistant", content: "", tool_calls: calls };
}

async function chatLoop(
  { url, model, question, streamed }: LoopAsk,
  kept: (message: OpenAI.ChatCompletionMessage) => OpenAI.ChatCompletionMessageParam = (message) => message,
): Promise<string> {
  const client = new OpenAI({ apiKey: KEYS.main, baseURL: `${url}/v1`, maxRetries: 0 });
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    {
      role: "user",
      content: [
        { type: "text", text: question },
        { type: "image_url", image_url: { url: IMAGE_URL } },
      ],
    },
  ];
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const ask = {
      model,
      messages,
      reasoning_effort: "low" as const,
      tools: NAMES.map((name) => ({ type: "function" as const, function: { name, parameters: CITY } })),
    };
    const response = streamed
      ? await client.chat.completions.stream(ask).finalChatCompletion()
      : await client.chat.completions.create(ask);
    const message = response.choices[0]?.message;
    if (message === undefined) throw new Error("no choice");
    const calls = message.tool_calls ?? [];
    if (calls.length === 0) return message.content ?? "";
    const results = calls.map(({ id }) => ({ role: "tool" as const, tool_call_id: id, content: "7" }));
    messages.push(kept(message), ...results);
  }
  return "";
}

async function responsesLoop({ url, model, question, streamed }: LoopAsk): Promise<string> {
  const client = new OpenAI({ apiKey: KEYS.main, baseURL: `${url}/v1`, maxRetries: 0 });
  const input: OpenAI.Responses.ResponseInputItem[] = [
    {
      role: "user",
      content: [
        { type: "input_text", text: question },
        { type: "input_image", image_url: IMAGE_URL, detail: "auto" },
      ],
    },
  ];
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const ask = {
      model,
      input,
      reasoning: { effort: "low" as const },
      store: false,
      include: ["reasoning.encrypted_content" as const],
      tools: NAMES.map((name) => ({ type: "function" as const, name, parameters: CITY, strict: false })),
    };
    const response = streamed
      ? await client.responses.stream(ask).finalResponse()
      : await client.responses.create(ask);
    const results = response.output.flatMap((item) =>
      item.type === "function_call"
        ? [{ type: "function_call_output" as const, call_id: item.call_id, output: "7" }]
        : [],
    );
    if (results.length === 0) return response.output_text;
    input.push(...(response.output as OpenAI.Responses.ResponseInputItem[]), ...results);
  }
  return "";
}

async function messagesLoop({ url, model, question, streamed }: LoopAsk): Promise<string> {
  const client = new Anthropic({ apiKey: KEYS.main, baseURL: url, maxRetries: 0 });
  const messages: Anthropic.MessageParam[] = [
    {
      role: "user",
      content: [
        { type: "text", text: question },
        { type: "image", source: { type: "base64", media_type: "image/png", data: IMAGE } },
      ],
    },
  ];
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const ask = {
      model,
      messages,
      max_tokens: 4_000,
      thinking: { type: "enabled" as const, budget_tokens: 1_024 },
      tools: NAMES.map((name) => ({ name, input_schema: CITY })),
    };
    const { content } = streamed
      ? await client.messages.stream(ask).finalMessage()
      : await client.messages.create(ask);
    const calls = content.filter((block) => block.type === "tool_use");
    if (calls.length === 0) return content.map((block) => (block.type === "text" ? block.text : "")).join("");
    const results = calls.map(({ id }) => ({ type: "tool_result" as const, tool_use_id: id, content: "7" }));
    messages.push(
      { role: "assistant", content: content as Anthropic.ContentBlockParam[] },
      { role: "user", content: results },
    );
  }
  return "";
}

async function nativeLoop({ url, model, question, streamed }: LoopAsk): Promise<string> {
  const client = new GoogleGenAI({ apiKey: KEYS.main, httpOptions: { baseUrl: url } });
  const config = {
    thinkingConfig: { thinkingBudget: 1_024, includeThoughts: true },
    tools: [{ functionDeclarations: NAMES.map((name) => ({ name, parametersJsonSchema: CITY })) }],
  };
  const chat = client.chats.create({ model, config });
  let message: Part[] = [{ text: question }, { inlineData: { mimeType: "image/png", data: IMAGE } }];
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const calls = [];
    let text = "";
    if (streamed) {
      for await (const chunk of await chat.sendMessageStream({ message })) {
        calls.push(...(chunk.functionCalls ?? []));
        text += chunk.text ?? "";
      }
    } else {
      const response = await chat.sendMessage({ message });
      calls.push(...(response.functionCalls ?? []));
      text = response.text ?? "";
    }
    if (calls.length === 0) return text;
    message = calls.map(({ id, name = "" }) => ({
      functionResponse: { ...(id === undefined ? {} : { id }), name, response: { output: "7" } },
    }));
  }
  return "";
}

async function aiLoop(
  { question, streamed }: LoopAsk,
  model: LanguageModel,
  providerOptions: NonNullable<Parameters<typeof generateText>[0]["providerOptions"]> = {},
): Promise<string> {
  const look = () => tool({ inputSchema: jsonSchema<{ city: string }>(CITY), execute: async () => "7" });
  const tools = Object.fromEntries(NAMES.map((name) => [name, look()]));
  const ask = {
    model,
    prompt: [
      {
        role: "user" as const,
        content: [
          { type: "text" as const, text: question },
          { type: "image" as const, image: IMAGE, mediaType: "image/png" },
        ],
      },
    ],
    tools,
    stopWhen: stepCountIs(MAX_STEPS),
    maxRetries: 0,
    providerOptions,
  };
  return streamed ? await streamText(ask).text : (await generateText(ask)).text;
}
