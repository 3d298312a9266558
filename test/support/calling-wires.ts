import { asObject, asObjects, asText, type JsonObject } from "../../src/protocols/json.ts";
import type { TextProtocol } from "./text-caller.ts";

/** One turn of a model that thinks, calls tools and signs what it thought. */
export interface CallingTurn {
  /** Turns of the model's before this one; in its ids, as clients join answers of one id. */
  readonly step: number;
  readonly model: string;
  /** The signature of the reasoning before the calls; undefined = there is none. */
  readonly signature: string | undefined;
  /** None = the turn is its text. */
  readonly calls: readonly { readonly name: string; readonly args: JsonObject }[];
  readonly text: string;
}

/** The form in which one protocol's vendor writes such turns, and the place in which it reads them again. */
export interface CallingWire {
  /** The signature of each turn with calls in the history, "" where there is none in its place. */
  signed(body: JsonObject): readonly string[];
  /** Those of all turns, in base64. */
  images(body: JsonObject): readonly string[];
  /** The functions that the model may call. */
  offered(body: JsonObject): readonly string[];
  plain(turn: CallingTurn): JsonObject;
  stream(turn: CallingTurn): string;
}

/** The image of a `data:` URL. */
function imageAt(url: unknown): string {
  return asText(url).replace(/^data:image\/png;base64,/, "");
}

function namesOf(functions: readonly (JsonObject | undefined)[]): readonly string[] {
  return functions.map((each) => asText(each?.["name"])).filter((name) => name !== "");
}

const chat: CallingWire = {
  signed: ({ messages }) =>
    asObjects(messages).flatMap(({ tool_calls }) => {
      const [first] = asObjects(tool_calls);
      const google = asObject(asObject(first?.["extra_content"])?.["google"]);
      return first === undefined ? [] : [asText(google?.["thought_signature"])];
    }),
  images: ({ messages }) =>
    asObjects(messages)
      .flatMap(({ content }) => asObjects(content))
      .flatMap(({ image_url }) => (image_url === undefined ? [] : [imageAt(asObject(image_url)?.["url"])])),
  offered: ({ tools }) => namesOf(asObjects(tools).map((each) => asObject(each["function"]))),
  plain: (turn) => ({
    id: `chatcmpl-${turn.step}`,
    object: "chat.completion",
    created: 1,
    model: turn.model,
    choices: [
      {
        index: 0,
        message: { role: "assistant", ...chatSaid(turn) },
        finish_reason: turn.calls.length === 0 ? "stop" : "tool_calls",
      },
    ],
    usage: { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 },
  }),
  stream(turn) {
    const { content, tool_calls, reasoning_content } = chatSaid(turn);
    const head = {
      id: `chatcmpl-${turn.step}`,
      object: "chat.completion.chunk",
      created: 1,
      model: turn.model,
    };
    const deltas: readonly JsonObject[] = [
      { role: "assistant", content: "" },
      ...(reasoning_content === undefined ? [] : [{ reasoning_content }]),
      ...(content === null ? [] : [{ content }]),
      ...asObjects(tool_calls).map((call, index) => ({ tool_calls: [{ index, ...call }] })),
    ];
    const finish_reason = turn.calls.length === 0 ? "stop" : "tool_calls";
    const chunks: readonly JsonObject[] = [
      ...deltas.map((delta) => ({ ...head, choices: [{ index: 0, delta, finish_reason: null }] })),
      { ...head, choices: [{ index: 0, delta: {}, finish_reason }] },
      { ...head, choices: [], usage: { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 } },
    ];
    return `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")}data: [DONE]\n\n`;
  },
};

function chatSaid({ step, signature, calls, text }: CallingTurn): JsonObject {
  if (calls.length === 0) return { content: text };
  return {
    content: null,
    ...(signature === undefined ? {} : { reasoning_content: `Hm ${step}.` }),
    tool_calls: calls.map(({ name, args }, at) => ({
      id: `call_${step}_${at}`,
      type: "function",
      function: { name, arguments: JSON.stringify(args) },
      ...(at === 0 && signature !== undefined
        ? { extra_content: { google: { thought_signature: signature } } }
        : {}),
    })),
  };
}

const responses: CallingWire = {
  signed({ input }) {
    const items = asObjects(input);
    return items.flatMap((item, at) => {
      const opens = item["type"] === "function_call" && items[at - 1]?.["type"] !== "function_call";
      return opens ? [asText(items[at - 1]?.["encrypted_content"])] : [];
    });
  },
  images: ({ input }) =>
    asObjects(input)
      .flatMap(({ content }) => asObjects(content))
      .flatMap(({ image_url }) => (image_url === undefined ? [] : [imageAt(image_url)])),
  offered: ({ tools }) => namesOf(asObjects(tools).filter(({ type }) => type === "function")),
  plain: (turn) => responseOf(turn, itemsOf(turn), "completed"),
  stream(turn) {
    const items = itemsOf(turn);
    const created = responseOf(turn, [], "in_progress");
    const events: JsonObject[] = [
      { type: "response.created", response: created },
      { type: "response.in_progress", response: created },
      ...items.flatMap((item, output_index) => itemEvents(item, output_index)),
      { type: "response.completed", response: responseOf(turn, items, "completed") },
    ];
    return events
      .map(
        (event, sequence_number) =>
          `event: ${event["type"]}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`,
      )
      .join("");
  },
};

function itemsOf({ step, signature, calls, text }: CallingTurn): readonly JsonObject[] {
  if (calls.length === 0) {
    const content = [{ type: "output_text", text, annotations: [], logprobs: [] }];
    return [{ type: "message", id: `msg_${step}`, role: "assistant", status: "completed", content }];
  }
  const thought = { type: "reasoning", id: `rs_${step}`, summary: [], encrypted_content: signature };
  return [
    ...(signature === undefined ? [] : [thought]),
    ...calls.map(({ name, args }, at) => ({
      type: "function_call",
      id: `fc_${step}_${at}`,
      call_id: `call_${step}_${at}`,
      name,
      arguments: JSON.stringify(args),
      status: "completed",
    })),
  ];
}

function itemEvents(item: JsonObject, output_index: number): readonly JsonObject[] {
  const item_id = item["id"];
  const at = { item_id, output_index };
  const added = { ...item, status: "in_progress" };
  const done = { type: "response.output_item.done", output_index, item };
  if (item["type"] === "function_call") {
    const args = item["arguments"];
    return [
      { type: "response.output_item.added", output_index, item: { ...added, arguments: "" } },
      { type: "response.function_call_arguments.delta", ...at, delta: args },
      { type: "response.function_call_arguments.done", ...at, arguments: args },
      done,
    ];
  }
  if (item["type"] === "reasoning") return [{ type: "response.output_item.added", output_index, item }, done];
  const part = asObjects(item["content"])[0];
  const text = part?.["text"];
  const place = { ...at, content_index: 0 };
  return [
    { type: "response.output_item.added", output_index, item: { ...added, content: [] } },
    { type: "response.content_part.added", ...place, part: { ...part, text: "" } },
    { type: "response.output_text.delta", ...place, delta: text, logprobs: [] },
    { type: "response.output_text.done", ...place, text, logprobs: [] },
    { type: "response.content_part.done", ...place, part },
    done,
  ];
}

function responseOf({ model, step }: CallingTurn, output: readonly JsonObject[], status: string): JsonObject {
  return {
    id: `resp_${step}`,
    object: "response",
    created_at: 1,
    status,
    model,
    output,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    tools: [],
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: "auto",
    top_p: 1,
    usage: {
      input_tokens: 9,
      output_tokens: 9,
      total_tokens: 18,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    },
  };
}

const messages: CallingWire = {
  signed: (body) =>
    asObjects(body["messages"]).flatMap(({ role, content }) => {
      const blocks = asObjects(content);
      if (role !== "assistant" || !blocks.some(({ type }) => type === "tool_use")) return [];
      const [first] = blocks;
      const whole = asText(first?.["thinking"]).startsWith("Hm ");
      return [asText(whole ? first?.["signature"] : first?.["data"])];
    }),
  images: (body) =>
    asObjects(body["messages"])
      .flatMap(({ content }) => asObjects(content))
      .flatMap(({ type, source }) => (type === "image" ? [asText(asObject(source)?.["data"])] : [])),
  offered: ({ tools }) => namesOf(asObjects(tools).filter((each) => each["input_schema"] !== undefined)),
  plain: (turn) => ({
    id: `msg_${turn.step}`,
    type: "message",
    role: "assistant",
    model: turn.model,
    stop_sequence: null,
    content: blocksOf(turn),
    stop_reason: turn.calls.length === 0 ? "end_turn" : "tool_use",
    usage: { input_tokens: 9, output_tokens: 9 },
  }),
  stream(turn) {
    const { content: _, ...message } = messages.plain(turn);
    const events: JsonObject[] = [
      { type: "message_start", message: { ...message, content: [], stop_reason: null } },
      ...blocksOf(turn).flatMap((block, index) => blockEvents(block, index)),
      {
        type: "message_delta",
        delta: { stop_reason: message["stop_reason"], stop_sequence: null },
        usage: { output_tokens: 9 },
      },
      { type: "message_stop" },
    ];
    return events.map((event) => `event: ${event["type"]}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  },
};

function blocksOf({ step, signature, calls, text }: CallingTurn): readonly JsonObject[] {
  if (calls.length === 0) return [{ type: "text", text }];
  // Every other step has reasoning.
  const thought =
    step % 2 === 0
      ? { type: "thinking", thinking: `Hm ${step}.`, signature }
      : { type: "redacted_thinking", data: signature };
  return [
    ...(signature === undefined ? [] : [thought]),
    ...calls.map(({ name, args }, at) => ({
      type: "tool_use",
      id: `toolu_${step}_${at}`,
      name,
      input: args,
    })),
  ];
}

function blockEvents(block: JsonObject, index: number): readonly JsonObject[] {
  const { text, thinking, signature, input, ...bare } = block;
  const empty = { text: "", thinking: "", signature: "", input: {} };
  const deltas =
    text !== undefined
      ? [{ type: "text_delta", text }]
      : thinking !== undefined
        ? [
            { type: "thinking_delta", thinking },
            { type: "signature_delta", signature },
          ]
        : input === undefined
          ? []
          : [{ type: "input_json_delta", partial_json: JSON.stringify(input) }];
  const start = { ...bare, ...Object.fromEntries(Object.entries(empty).filter(([key]) => key in block)) };
  return [
    { type: "content_block_start", index, content_block: start },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

const native: CallingWire = {
  signed({ contents }) {
    const turns: JsonObject[][] = [[]];
    for (const { role, parts } of asObjects(contents)) {
      if (role === "model") turns.at(-1)?.push(...asObjects(parts));
      else turns.push([]);
    }
    return turns.flatMap((parts) => {
      const [first] = parts.filter(({ functionCall }) => functionCall !== undefined);
      return first === undefined ? [] : [asText(first["thoughtSignature"])];
    });
  },
  images: ({ contents }) =>
    asObjects(contents)
      .flatMap(({ parts }) => asObjects(parts))
      .flatMap(({ inlineData }) =>
        inlineData === undefined ? [] : [asText(asObject(inlineData)?.["data"])],
      ),
  offered: ({ tools }) =>
    namesOf(asObjects(tools).flatMap(({ functionDeclarations }) => asObjects(functionDeclarations))),
  plain: (turn) => nativeResponse(turn, nativeParts(turn), "STOP"),
  stream: (turn) =>
    [
      ...nativeParts(turn).map((part) => nativeResponse(turn, [part], undefined)),
      nativeResponse(turn, [{ text: "" }], "STOP"),
    ]
      .map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`)
      .join(""),
};

function nativeParts({ step, signature, calls, text }: CallingTurn): readonly JsonObject[] {
  if (calls.length === 0) return [{ text }];
  return [
    ...(signature === undefined ? [] : [{ text: `Hm ${step}.`, thought: true }]),
    ...calls.map(({ name, args }, at) => ({
      functionCall: { name, args },
      ...(at === 0 && signature !== undefined ? { thoughtSignature: signature } : {}),
    })),
  ];
}

function nativeResponse(
  { model }: CallingTurn,
  parts: readonly JsonObject[],
  finishReason: string | undefined,
): JsonObject {
  return {
    candidates: [
      {
        content: { role: "model", parts },
        index: 0,
        ...(finishReason === undefined ? {} : { finishReason }),
      },
    ],
    usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 9, totalTokenCount: 18 },
    modelVersion: model,
  };
}

export const CALLING_WIRES: Readonly<Record<TextProtocol, CallingWire>> = {
  "chat-completions": chat,
  responses,
  messages,
  "generate-content": native,
};
