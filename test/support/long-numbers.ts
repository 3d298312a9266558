import type { TextProtocol } from "./text-caller.ts";

/** Numbers that no double holds, each for a place of its own. */
export const LONG = {
  /** In the arguments of a call that was made earlier. */
  called: "12345678901234567890",
  /** In the result of that call. */
  result: "-98765432109876543210.5",
  /** In the schema of a tool. */
  limit: "9223372036854775807",
  /** In the arguments of the call that is answered. */
  answered: "0.12345678901234567891",
  /** In a field that the gateway reads itself, where a double is meant. */
  temperature: "0.70000000000000000001",
} as const;

const CALLED = `{"id":${LONG.called},"deep":[{"more":[${LONG.called}]}]}`;
const ANSWERED = `{"id":${LONG.answered},"deep":[{"more":[${LONG.answered}]}]}`;
const RESULT = `{"rows":[{"id":${LONG.result}}]}`;
const SCHEMA = json(
  `{"type":"object","properties":{"id":{"type":"integer","maximum":${LONG.limit}}},"required":["id"]}`,
);

/** A conversation with a tool, a call and its result; `model` for those who name it in the body. */
export function longRequest(protocol: TextProtocol, model: string, stream: boolean): string {
  const temperature = json(LONG.temperature);
  return text({
    ...REQUESTS[protocol],
    ...(protocol === "generate-content"
      ? { generationConfig: { temperature } }
      : { model, stream, temperature }),
  });
}

const REQUESTS: Readonly<Record<TextProtocol, object>> = {
  "chat-completions": {
    tools: [{ type: "function", function: { name: "look", description: "Looks.", parameters: SCHEMA } }],
    messages: [
      { role: "user", content: "Look." },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "call_1", type: "function", function: { name: "look", arguments: CALLED } }],
      },
      { role: "tool", tool_call_id: "call_1", content: RESULT },
    ],
  },
  responses: {
    tools: [{ type: "function", name: "look", description: "Looks.", parameters: SCHEMA, strict: false }],
    input: [
      { role: "user", content: "Look." },
      { type: "function_call", call_id: "call_1", name: "look", arguments: CALLED },
      { type: "function_call_output", call_id: "call_1", output: RESULT },
    ],
  },
  messages: {
    max_tokens: 500,
    tools: [{ name: "look", description: "Looks.", input_schema: SCHEMA }],
    messages: [
      { role: "user", content: "Look." },
      { role: "assistant", content: [{ type: "tool_use", id: "call_1", name: "look", input: json(CALLED) }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: RESULT }] },
    ],
  },
  "generate-content": {
    tools: [
      { functionDeclarations: [{ name: "look", description: "Looks.", parametersJsonSchema: SCHEMA }] },
    ],
    contents: [
      { role: "user", parts: [{ text: "Look." }] },
      { role: "model", parts: [{ functionCall: { id: "call_1", name: "look", args: json(CALLED) } }] },
      {
        role: "user",
        parts: [{ functionResponse: { id: "call_1", name: "look", response: json(RESULT) } }],
      },
    ],
  },
};

/** A response that calls the tool. */
export function longResponse(protocol: TextProtocol, streamed: boolean): string {
  return streamed ? STREAMS[protocol].map(frame).join("") : text(PLAIN[protocol]);
}

const ITEM = { id: "fc_1", type: "function_call", call_id: "call_2", name: "look" };
const RESPONSE = { id: "resp_1", object: "response", created_at: 1_754_000_000, model: "m" };
const DONE = {
  ...RESPONSE,
  status: "completed",
  output: [{ ...ITEM, status: "completed", arguments: ANSWERED }],
  usage: { input_tokens: 7, output_tokens: 3, total_tokens: 10 },
};
const MESSAGE = { id: "msg_1", type: "message", role: "assistant", model: "m" };
const CHUNK = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_754_000_000, model: "m" };
const CALL = {
  index: 0,
  id: "call_2",
  type: "function",
  function: { name: "look", arguments: ANSWERED },
};
const COUNTED = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
const CANDIDATES = {
  candidates: [
    {
      content: {
        role: "model",
        parts: [{ functionCall: { id: "call_2", name: "look", args: json(ANSWERED) } }],
      },
      index: 0,
      finishReason: "STOP",
    },
  ],
  usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 10 },
};

const PLAIN: Readonly<Record<TextProtocol, object>> = {
  "chat-completions": {
    ...CHUNK,
    object: "chat.completion",
    choices: [
      {
        index: 0,
        finish_reason: "tool_calls",
        message: { role: "assistant", content: null, tool_calls: [CALL] },
      },
    ],
    usage: COUNTED,
  },
  responses: DONE,
  messages: {
    ...MESSAGE,
    content: [{ type: "tool_use", id: "call_2", name: "look", input: json(ANSWERED) }],
    stop_reason: "tool_use",
    usage: { input_tokens: 7, output_tokens: 3 },
  },
  "generate-content": CANDIDATES,
};

const STREAMS: Readonly<Record<TextProtocol, readonly object[]>> = {
  "chat-completions": [
    { ...CHUNK, choices: [{ index: 0, delta: { role: "assistant", tool_calls: [CALL] } }] },
    { ...CHUNK, choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
    { ...CHUNK, choices: [], usage: COUNTED },
  ],
  responses: [
    { type: "response.created", response: { ...RESPONSE, status: "in_progress", output: [] } },
    { type: "response.output_item.added", output_index: 0, item: { ...ITEM, arguments: "" } },
    {
      type: "response.function_call_arguments.delta",
      item_id: "fc_1",
      output_index: 0,
      delta: ANSWERED,
    },
    { type: "response.output_item.done", output_index: 0, item: { ...ITEM, arguments: ANSWERED } },
    { type: "response.completed", response: DONE },
  ],
  // Without deltas: the whole input stands at the start, as some vendors of this protocol write it.
  messages: [
    {
      type: "message_start",
      message: { ...MESSAGE, content: [], usage: { input_tokens: 7, output_tokens: 1 } },
    },
    {
      type: "content_block_start",
      index: 0,
      content_block: { type: "tool_use", id: "call_2", name: "look", input: json(ANSWERED) },
    },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 3 } },
    { type: "message_stop" },
  ],
  "generate-content": [CANDIDATES],
};

function frame(event: object): string {
  const named = "type" in event ? `event: ${String(event.type)}\n` : "";
  return `${named}data: ${text(event)}\n\n`;
}

/** JSON to be written as it stands here. */
function json(written: string): { readonly json: string } {
  return { json: written };
}

/** Writes a body, with its JSON pieces as they stand: JavaScript has no value for such numbers. */
function text(body: object): string {
  return JSON.stringify(body).replace(PIECE, (_, written: string) => JSON.parse(written) as string);
}

const PIECE = /\{"json":("(?:[^"\\]|\\.)*")\}/g;
