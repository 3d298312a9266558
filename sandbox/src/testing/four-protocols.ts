import type { Usage } from "../usage.ts";
import { type StartedSandbox, sseEvents } from "./started-sandbox.ts";

/** A logical request; each protocol below writes it in its own form. */
export interface Ask {
  system?: string;
  user: string;
  stream?: boolean;
  maxTokens?: number;
  thinking?: boolean;
  schema?: object;
  tools?: { name: string; description: string; schema: object }[];
  /** A finished round of one call and its result, after the user's turn. */
  round?: { name: string; args: object; result: string };
  credential?: string;
}

export interface Given {
  status: number;
  text: string;
  thinking: string;
  calls: { name: string; args: unknown }[];
  finish: string;
  usage: Usage;
  raw: string;
}

/** One protocol as a test sees it: how to ask, and what the response says in neutral words. */
export interface ProtocolUnderTest {
  name: string;
  path(stream: boolean): string;
  body(ask: Ask): object;
  read(wires: Wire[]): Omit<Given, "status" | "raw">;
}

// biome-ignore lint/suspicious/noExplicitAny: wire forms are read as they come
type Wire = any;

export async function askOver(
  sandbox: StartedSandbox,
  protocol: ProtocolUnderTest,
  ask: Ask,
): Promise<Given> {
  const headers = { authorization: `Bearer ${ask.credential ?? "key"}` };
  const response = await sandbox.post(protocol.path(ask.stream === true), protocol.body(ask), headers);
  const streamed = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  const wires = streamed
    ? sseEvents(response.text).flatMap(({ data }) => (data === "[DONE]" ? [] : [JSON.parse(data)]))
    : [response.json];
  return {
    status: response.status,
    raw: response.text,
    ...protocol.read(response.status === 200 ? wires : []),
  };
}

const NOTHING: Usage = {
  inputUncached: 0,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  outputVisible: 0,
  outputReasoning: 0,
};

function sumUp<T>(items: (T[] | undefined)[]): T[] {
  return items.flatMap((item) => item ?? []);
}

export const CHAT: ProtocolUnderTest = {
  name: "chat-completions",
  path: () => "/v1/chat/completions",
  body: (ask) => ({
    model: "m",
    messages: [
      ...(ask.system ? [{ role: "system", content: ask.system }] : []),
      { role: "user", content: ask.user },
      ...(ask.round
        ? [
            {
              role: "assistant",
              content: null,
              tool_calls: [
                {
                  id: "call_1",
                  type: "function",
                  function: { name: ask.round.name, arguments: JSON.stringify(ask.round.args) },
                },
              ],
            },
            { role: "tool", tool_call_id: "call_1", content: ask.round.result },
          ]
        : []),
    ],
    max_completion_tokens: ask.maxTokens,
    reasoning_effort: ask.thinking ? "medium" : undefined,
    tools: ask.tools?.map(({ name, description, schema }) => ({
      type: "function",
      function: { name, description, parameters: schema },
    })),
    response_format: ask.schema && {
      type: "json_schema",
      json_schema: { name: "answer", schema: ask.schema },
    },
    ...(ask.stream ? { stream: true, stream_options: { include_usage: true } } : {}),
  }),
  read(wires) {
    const choices = sumUp<Wire>(wires.map((wire) => wire.choices));
    const said = choices.map((choice) => choice.delta ?? choice.message);
    const calls: { name: string; args: string }[] = [];
    for (const part of sumUp<Wire>(said.map((one) => one.tool_calls))) {
      const at = part.index ?? calls.length;
      calls[at] ??= { name: part.function.name, args: "" };
      calls[at].args += part.function.arguments;
    }
    const usage = wires.map((wire) => wire.usage).findLast(Boolean);
    const reasoning = usage?.completion_tokens_details.reasoning_tokens ?? 0;
    const cached = usage?.prompt_tokens_details.cached_tokens ?? 0;
    return {
      text: said.map((one) => one.content ?? "").join(""),
      thinking: said.map((one) => one.reasoning_content ?? "").join(""),
      calls: calls.map((call) => ({ name: call.name, args: JSON.parse(call.args) })),
      finish: choices.map((choice) => choice.finish_reason).findLast(Boolean) ?? "",
      usage: {
        ...NOTHING,
        inputUncached: (usage?.prompt_tokens ?? 0) - cached,
        cacheRead: cached,
        outputVisible: (usage?.completion_tokens ?? 0) - reasoning,
        outputReasoning: reasoning,
      },
    };
  },
};

export const RESPONSES: ProtocolUnderTest = {
  name: "responses",
  path: () => "/v1/responses",
  body: (ask) => ({
    model: "m",
    instructions: ask.system,
    input: [
      { role: "user", content: ask.user },
      ...(ask.round
        ? [
            {
              type: "function_call",
              call_id: "call_1",
              name: ask.round.name,
              arguments: JSON.stringify(ask.round.args),
            },
            { type: "function_call_output", call_id: "call_1", output: ask.round.result },
          ]
        : []),
    ],
    max_output_tokens: ask.maxTokens,
    reasoning: ask.thinking ? { effort: "medium", summary: "auto" } : undefined,
    tools: ask.tools?.map(({ name, description, schema }) => ({
      type: "function",
      name,
      description,
      parameters: schema,
      strict: false,
    })),
    text: ask.schema && { format: { type: "json_schema", name: "answer", schema: ask.schema } },
    stream: ask.stream,
  }),
  read(wires) {
    const ended = wires.map((wire) => wire.response ?? wire).findLast((wire) => wire.usage);
    const items = sumUp<Wire>([ended?.output]);
    const ofType = (type: string): Wire[] => items.filter((item) => item.type === type);
    const usage = ended?.usage;
    const reasoning = usage?.output_tokens_details.reasoning_tokens ?? 0;
    const cached = usage?.input_tokens_details.cached_tokens ?? 0;
    return {
      text: ofType("message")
        .map((item) => item.content[0].text)
        .join(""),
      thinking: ofType("reasoning")
        .map((item) => item.summary[0]?.text ?? "")
        .join(""),
      calls: ofType("function_call").map((item) => ({ name: item.name, args: JSON.parse(item.arguments) })),
      finish: ended?.incomplete_details?.reason ?? ended?.status ?? "",
      usage: {
        ...NOTHING,
        inputUncached: (usage?.input_tokens ?? 0) - cached,
        cacheRead: cached,
        outputVisible: (usage?.output_tokens ?? 0) - reasoning,
        outputReasoning: reasoning,
      },
    };
  },
};

export const MESSAGES: ProtocolUnderTest = {
  name: "messages",
  path: () => "/v1/messages",
  body: (ask) => ({
    model: "m",
    system: ask.system,
    messages: [
      { role: "user", content: ask.user },
      ...(ask.round
        ? [
            {
              role: "assistant",
              content: [{ type: "tool_use", id: "toolu_1", name: ask.round.name, input: ask.round.args }],
            },
            {
              role: "user",
              content: [{ type: "tool_result", tool_use_id: "toolu_1", content: ask.round.result }],
            },
          ]
        : []),
    ],
    max_tokens: ask.maxTokens ?? 4_096,
    thinking: ask.thinking ? { type: "adaptive" } : undefined,
    tools: ask.tools?.map(({ name, description, schema }) => ({ name, description, input_schema: schema })),
    output_config: ask.schema && { format: { type: "json_schema", schema: ask.schema } },
    stream: ask.stream,
  }),
  read(wires) {
    const blocks: Wire[] = [];
    let stop = "";
    let usage: Wire = {};
    for (const wire of wires) {
      if (wire.type === "message") {
        blocks.push(...wire.content);
        stop = wire.stop_reason;
        usage = wire.usage;
      } else if (wire.type === "message_start") usage = wire.message.usage;
      else if (wire.type === "content_block_start") blocks[wire.index] = { ...wire.content_block, json: "" };
      else if (wire.type === "content_block_delta") {
        const block = blocks[wire.index];
        block.text += wire.delta.text ?? "";
        block.thinking += wire.delta.thinking ?? "";
        block.json += wire.delta.partial_json ?? "";
      } else if (wire.type === "message_delta") {
        stop = wire.delta.stop_reason;
        usage = { ...usage, ...wire.usage };
      }
    }
    const ofType = (type: string): Wire[] => blocks.filter((block) => block.type === type);
    const reasoning = usage?.output_tokens_details?.thinking_tokens ?? 0;
    return {
      text: ofType("text")
        .map((block) => block.text)
        .join(""),
      thinking: ofType("thinking")
        .map((block) => block.thinking)
        .join(""),
      calls: ofType("tool_use").map((block) => ({
        name: block.name,
        args: block.json ? JSON.parse(block.json) : block.input,
      })),
      finish: stop,
      usage: {
        inputUncached: usage?.input_tokens ?? 0,
        cacheRead: usage?.cache_read_input_tokens ?? 0,
        cacheWrite5m: usage?.cache_creation?.ephemeral_5m_input_tokens ?? 0,
        cacheWrite1h: usage?.cache_creation?.ephemeral_1h_input_tokens ?? 0,
        outputVisible: (usage?.output_tokens ?? 0) - reasoning,
        outputReasoning: reasoning,
      },
    };
  },
};

export const GENERATE: ProtocolUnderTest = {
  name: "generate-content",
  path: (stream) => `/v1beta/models/m:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
  body: (ask) => ({
    systemInstruction: ask.system ? { parts: [{ text: ask.system }] } : undefined,
    contents: [
      { role: "user", parts: [{ text: ask.user }] },
      ...(ask.round
        ? [
            { role: "model", parts: [{ functionCall: { name: ask.round.name, args: ask.round.args } }] },
            {
              role: "user",
              parts: [{ functionResponse: { name: ask.round.name, response: { output: ask.round.result } } }],
            },
          ]
        : []),
    ],
    tools: ask.tools && [
      {
        functionDeclarations: ask.tools.map(({ name, description, schema }) => ({
          name,
          description,
          parametersJsonSchema: schema,
        })),
      },
    ],
    generationConfig: {
      maxOutputTokens: ask.maxTokens,
      thinkingConfig: ask.thinking ? { includeThoughts: true } : undefined,
      ...(ask.schema ? { responseMimeType: "application/json", responseJsonSchema: ask.schema } : {}),
    },
  }),
  read(wires) {
    const candidates = sumUp<Wire>(wires.map((wire) => wire.candidates));
    const parts = sumUp<Wire>(candidates.map((candidate) => candidate.content.parts));
    const usage = wires.map((wire) => wire.usageMetadata).findLast(Boolean);
    const cached = usage?.cachedContentTokenCount ?? 0;
    return {
      text: parts.map((part) => (part.thought ? "" : (part.text ?? ""))).join(""),
      thinking: parts.map((part) => (part.thought ? part.text : "")).join(""),
      calls: parts.flatMap(({ functionCall }) =>
        functionCall ? [{ name: functionCall.name, args: functionCall.args }] : [],
      ),
      finish: candidates.map((candidate) => candidate.finishReason).findLast(Boolean) ?? "",
      usage: {
        ...NOTHING,
        inputUncached: (usage?.promptTokenCount ?? 0) - cached,
        cacheRead: cached,
        outputVisible: usage?.candidatesTokenCount ?? 0,
        outputReasoning: usage?.thoughtsTokenCount ?? 0,
      },
    };
  },
};

export const FOUR_PROTOCOLS = [CHAT, RESPONSES, MESSAGES, GENERATE];
