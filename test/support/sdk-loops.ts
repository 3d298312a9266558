import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI, type Part } from "@google/genai";
import OpenAI from "openai";
import type { TextProtocol } from "./text-caller.ts";
import { KEYS } from "./world.ts";

/** The result of a loop. */
export interface LoopOutcome {
  /** The first turn's calls. */
  readonly calls: readonly { readonly name: string; readonly input: unknown }[];
  /** The response after the results. */
  readonly text: string;
}

const QUESTION = "Weather and tide? [[sandbox: tools=2]]";

const RESULTS: Readonly<Record<string, string>> = { get_weather: "seven degrees", get_tide: "high tide" };

const CITY = {
  type: "object" as const,
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};

/**
 * Asks through the vendor's own SDK with two tools and thinking on, gives both results with everything of
 * the response replayed as it came, and reads the final response. The second model may be another one than the
 * first: a caller who changes models in the midst of a conversation.
 */
export function runToolLoop(
  url: string,
  protocol: TextProtocol,
  models: readonly [first: string, second: string],
  streamed: boolean,
): Promise<LoopOutcome> {
  return LOOPS[protocol](url, models, streamed);
}

type Loop = (
  url: string,
  models: readonly [first: string, second: string],
  streamed: boolean,
) => Promise<LoopOutcome>;

const LOOPS: Readonly<Record<TextProtocol, Loop>> = {
  "chat-completions": chatLoop,
  responses: responsesLoop,
  messages: messagesLoop,
  "generate-content": nativeLoop,
};

async function chatLoop(
  url: string,
  [one, two]: readonly [string, string],
  streamed: boolean,
): Promise<LoopOutcome> {
  const client = new OpenAI({ apiKey: KEYS.main, baseURL: `${url}/v1`, maxRetries: 0 });
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: QUESTION }];
  const say = async (model: string): Promise<OpenAI.ChatCompletionMessage> => {
    const ask = {
      model,
      messages,
      reasoning_effort: "low" as const,
      tools: Object.keys(RESULTS).map((name) => ({
        type: "function" as const,
        function: { name, parameters: CITY },
      })),
    };
    const response = streamed
      ? await client.chat.completions.stream(ask).finalChatCompletion()
      : await client.chat.completions.create(ask);
    const message = response.choices[0]?.message;
    if (message === undefined) throw new Error("no choice");
    return message;
  };
  const first = await say(one);
  const calls = (first.tool_calls ?? []).filter((call) => call.type === "function");
  messages.push(
    first,
    ...calls.map((call) => ({
      role: "tool" as const,
      tool_call_id: call.id,
      content: RESULTS[call.function.name] ?? "",
    })),
  );
  return {
    calls: calls.map((call) => ({ name: call.function.name, input: JSON.parse(call.function.arguments) })),
    text: (await say(two)).content ?? "",
  };
}

async function responsesLoop(
  url: string,
  [one, two]: readonly [string, string],
  streamed: boolean,
): Promise<LoopOutcome> {
  const client = new OpenAI({ apiKey: KEYS.main, baseURL: `${url}/v1`, maxRetries: 0 });
  const input: OpenAI.Responses.ResponseInputItem[] = [{ role: "user", content: QUESTION }];
  const say = async (model: string): Promise<OpenAI.Responses.Response> => {
    const ask = {
      model,
      input,
      reasoning: { effort: "low" as const },
      store: false,
      include: ["reasoning.encrypted_content" as const],
      tools: Object.keys(RESULTS).map((name) => ({
        type: "function" as const,
        name,
        parameters: CITY,
        strict: false,
      })),
    };
    return streamed ? client.responses.stream(ask).finalResponse() : client.responses.create(ask);
  };
  const first = await say(one);
  const calls = first.output.filter((item) => item.type === "function_call");
  input.push(
    ...(first.output as OpenAI.Responses.ResponseInputItem[]),
    ...calls.map((call) => ({
      type: "function_call_output" as const,
      call_id: call.call_id,
      output: RESULTS[call.name] ?? "",
    })),
  );
  return {
    calls: calls.map((call) => ({ name: call.name, input: JSON.parse(call.arguments) })),
    text: (await say(two)).output_text,
  };
}

async function messagesLoop(
  url: string,
  [one, two]: readonly [string, string],
  streamed: boolean,
): Promise<LoopOutcome> {
  const client = new Anthropic({ apiKey: KEYS.main, baseURL: url, maxRetries: 0 });
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: QUESTION }];
  const say = (model: string): Promise<Anthropic.Message> => {
    const ask = {
      model,
      messages,
      max_tokens: 4_000,
      thinking: { type: "enabled" as const, budget_tokens: 1_024 },
      tools: Object.keys(RESULTS).map((name) => ({ name, input_schema: CITY })),
    };
    return streamed ? client.messages.stream(ask).finalMessage() : client.messages.create(ask);
  };
  const first = await say(one);
  const calls = first.content.filter((block) => block.type === "tool_use");
  messages.push(
    { role: "assistant", content: first.content as Anthropic.ContentBlockParam[] },
    {
      role: "user",
      content: calls.map((call) => ({
        type: "tool_result",
        tool_use_id: call.id,
        content: RESULTS[call.name] ?? "",
      })),
    },
  );
  const last = await say(two);
  return {
    calls: calls.map(({ name, input }) => ({ name, input })),
    text: last.content.map((block) => (block.type === "text" ? block.text : "")).join(""),
  };
}

async function nativeLoop(
  url: string,
  [one, two]: readonly [string, string],
  streamed: boolean,
): Promise<LoopOutcome> {
  const client = new GoogleGenAI({ apiKey: KEYS.main, httpOptions: { baseUrl: url } });
  const config = {
    thinkingConfig: { thinkingBudget: 1_024, includeThoughts: true },
    tools: [
      { functionDeclarations: Object.keys(RESULTS).map((name) => ({ name, parametersJsonSchema: CITY })) },
    ],
  };
  let chat = client.chats.create({ model: one, config });
  const say = async (message: string | Part[]) => {
    if (!streamed) {
      const response = await chat.sendMessage({ message });
      return { calls: response.functionCalls ?? [], text: response.text ?? "" };
    }
    const calls = [];
    let text = "";
    for await (const chunk of await chat.sendMessageStream({ message })) {
      calls.push(...(chunk.functionCalls ?? []));
      text += chunk.text ?? "";
    }
    return { calls, text };
  };
  const { calls } = await say(QUESTION);
  chat = client.chats.create({ model: two, config, history: chat.getHistory() });
  const { text } = await say(
    calls.map(({ id, name = "" }) => ({
      functionResponse: { ...(id === undefined ? {} : { id }), name, response: { output: RESULTS[name] } },
    })),
  );
  return { calls: calls.map(({ name = "", args }) => ({ name, input: args })), text };
}
