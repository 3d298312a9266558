import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { asObject, asObjects, asText, type JsonObject } from "../../src/protocols/json.ts";
import type { TextProtocol } from "./text-caller.ts";
import { VENDOR_WIRES } from "./vendor-wire.ts";

export interface SigningUpstream {
  readonly url: string;
  /** What came back otherwise than it was signed, or not at all; each was refused. */
  readonly faults: readonly string[];
  /** Answers whose state came back, of all conversations. */
  readonly kept: () => number;
  close(): Promise<void>;
}

/** Two calls at once after a thought, this often; then the answer. */
export const STEPS = 4;
export const ANSWER = "Seven degrees.";
/** What the question shows: a PNG of one pixel in base64. */
export const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/**
 * An upstream of one protocol that thinks, calls two tools at once and signs, step after step, and looks at the picture and
 * at each signature of the conversation byte for byte: it refuses a history that lacks one. A conversation's name is its
 * first words.
 */
export async function signingUpstream(protocol: TextProtocol): Promise<SigningUpstream> {
  const wire = WIRES[protocol];
  const faults: string[] = [];
  let kept = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body: JsonObject = JSON.parse(Buffer.concat(chunks).toString());
      const found = wire.signed(body);
      const name = /loop-[\w-]+/.exec(JSON.stringify(body))?.[0] ?? "";
      const wanted = found.map((_, step) => signatureOf(name, step));
      const pictures = wire.pictures(body);
      if (JSON.stringify([pictures, found]) !== JSON.stringify([[PICTURE], wanted])) {
        faults.push(`${name}: ${JSON.stringify({ pictures, found })}`);
        response.writeHead(400, { "content-type": "application/json" });
        response.end(VENDOR_WIRES[protocol].error(REFUSAL));
        return;
      }
      kept += found.length;
      const streamed = body["stream"] === true || request.url?.includes("stream") === true;
      const told = found.length < STEPS ? signatureOf(name, found.length) : undefined;
      answer(response, streamed ? wire.stream(found.length, told) : wire.plain(found.length, told));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    faults,
    kept: () => kept,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const REFUSAL = {
  ...{ status: 400, type: "invalid_request_error", code: "invalid_request" },
  message: "The history is not what was told.",
};

/** With every letter that a slot could trip over. */
function signatureOf(name: string, step: number): string {
  return Buffer.from(`${name} ${step} \u00fb\u00ff\u00be?>`).toString("base64");
}

function answer(response: ServerResponse, told: JsonObject | string): void {
  const streamed = typeof told === "string";
  response.writeHead(200, { "content-type": streamed ? "text/event-stream" : "application/json" });
  response.end(streamed ? told : JSON.stringify(told));
}

interface Wire {
  /** The signature of each step in the history, "" where there is none in its place. */
  signed(body: JsonObject): readonly string[];
  /** Those of all turns, in base64. */
  pictures(body: JsonObject): readonly string[];
  /** `signature` undefined: the answer. */
  plain(step: number, signature: string | undefined): JsonObject;
  stream(step: number, signature: string | undefined): string;
}

const NAMES = ["get_weather", "get_tide"];
const ARGS = '{"city":"Oslo"}';

/** Of a `data:` URL. */
function pictureAt(url: unknown): string {
  return asText(url).replace(/^data:image\/png;base64,/, "");
}

const chat: Wire = {
  pictures: ({ messages }) =>
    asObjects(messages)
      .flatMap(({ content }) => asObjects(content))
      .flatMap(({ image_url }) => (image_url === undefined ? [] : [pictureAt(asObject(image_url)?.["url"])])),
  signed: ({ messages }) =>
    asObjects(messages).flatMap(({ tool_calls }) => {
      const [first] = asObjects(tool_calls);
      const google = asObject(asObject(first?.["extra_content"])?.["google"]);
      return first === undefined ? [] : [asText(google?.["thought_signature"])];
    }),
  plain: (step, signature) => ({
    ...{ id: "chatcmpl-1", object: "chat.completion", created: 1, model: "m" },
    choices: [
      {
        index: 0,
        message: { role: "assistant", ...chatSaid(step, signature) },
        finish_reason: signature === undefined ? "stop" : "tool_calls",
      },
    ],
    usage: { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 },
  }),
  stream(step, signature) {
    const { content, tool_calls = [], reasoning_content } = chatSaid(step, signature);
    const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m" };
    const deltas: readonly JsonObject[] = [
      { role: "assistant", content: "" },
      ...(reasoning_content === undefined ? [] : [{ reasoning_content }]),
      ...(content === null ? [] : [{ content }]),
      ...tool_calls.map((call, index) => ({ tool_calls: [{ index, ...call }] })),
    ];
    const chunks: readonly JsonObject[] = [
      ...deltas.map((delta) => ({ ...head, choices: [{ index: 0, delta, finish_reason: null }] })),
      {
        ...head,
        choices: [{ index: 0, delta: {}, finish_reason: signature === undefined ? "stop" : "tool_calls" }],
      },
      { ...head, choices: [], usage: { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 } },
    ];
    return `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")}data: [DONE]\n\n`;
  },
};

function chatSaid(step: number, signature: string | undefined) {
  if (signature === undefined) return { content: ANSWER };
  return {
    content: null,
    reasoning_content: `Hm ${step}.`,
    tool_calls: NAMES.map((name, at) => ({
      id: `call_${step}_${at}`,
      type: "function",
      function: { name, arguments: ARGS },
      ...(at === 0 ? { extra_content: { google: { thought_signature: signature } } } : {}),
    })),
  };
}

const responses: Wire = {
  pictures: ({ input }) =>
    asObjects(input)
      .flatMap(({ content }) => asObjects(content))
      .flatMap(({ image_url }) => (image_url === undefined ? [] : [pictureAt(image_url)])),
  signed({ input }) {
    const items = asObjects(input);
    return items.flatMap((item, at) => {
      const opens = item["type"] === "function_call" && items[at - 1]?.["type"] !== "function_call";
      return opens ? [asText(items[at - 1]?.["encrypted_content"])] : [];
    });
  },
  plain: (step, signature) => responseOf(itemsOf(step, signature), "completed"),
  stream(step, signature) {
    const items = itemsOf(step, signature);
    const created = responseOf([], "in_progress");
    const events: JsonObject[] = [
      { type: "response.created", response: created },
      { type: "response.in_progress", response: created },
      ...items.flatMap((item, output_index) => itemEvents(item, output_index)),
      { type: "response.completed", response: responseOf(items, "completed") },
    ];
    return events
      .map(
        (event, sequence_number) =>
          `event: ${event["type"]}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`,
      )
      .join("");
  },
};

function itemsOf(step: number, signature: string | undefined): readonly JsonObject[] {
  if (signature === undefined) {
    const content = [{ type: "output_text", text: ANSWER, annotations: [], logprobs: [] }];
    return [{ type: "message", id: "msg_1", role: "assistant", status: "completed", content }];
  }
  return [
    { type: "reasoning", id: `rs_${step}`, summary: [], encrypted_content: signature },
    ...NAMES.map((name, at) => ({
      ...{ type: "function_call", id: `fc_${step}_${at}`, call_id: `call_${step}_${at}`, name },
      ...{ arguments: ARGS, status: "completed" },
    })),
  ];
}

function itemEvents(item: JsonObject, output_index: number): readonly JsonObject[] {
  const item_id = item["id"];
  const at = { item_id, output_index };
  const added = { ...item, status: "in_progress" };
  const done = { type: "response.output_item.done", output_index, item };
  if (item["type"] === "function_call") {
    return [
      { type: "response.output_item.added", output_index, item: { ...added, arguments: "" } },
      { type: "response.function_call_arguments.delta", ...at, delta: ARGS },
      { type: "response.function_call_arguments.done", ...at, arguments: ARGS },
      done,
    ];
  }
  if (item["type"] === "reasoning") return [{ type: "response.output_item.added", output_index, item }, done];
  const part = asObjects(item["content"])[0];
  const place = { ...at, content_index: 0 };
  return [
    { type: "response.output_item.added", output_index, item: { ...added, content: [] } },
    { type: "response.content_part.added", ...place, part: { ...part, text: "" } },
    { type: "response.output_text.delta", ...place, delta: ANSWER, logprobs: [] },
    { type: "response.output_text.done", ...place, text: ANSWER, logprobs: [] },
    { type: "response.content_part.done", ...place, part },
    done,
  ];
}

function responseOf(output: readonly JsonObject[], status: string): JsonObject {
  return {
    ...{ id: "resp_1", object: "response", created_at: 1, status, model: "m", output },
    ...{ error: null, incomplete_details: null, instructions: null, metadata: {}, tools: [] },
    ...{ parallel_tool_calls: true, temperature: 1, tool_choice: "auto", top_p: 1 },
    usage: {
      ...{ input_tokens: 9, output_tokens: 9, total_tokens: 18 },
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    },
  };
}

const messages: Wire = {
  pictures: ({ messages }) =>
    asObjects(messages)
      .flatMap(({ content }) => asObjects(content))
      .flatMap(({ type, source }) => (type === "image" ? [asText(asObject(source)?.["data"])] : [])),
  signed: (body) =>
    asObjects(body["messages"]).flatMap(({ role, content }) => {
      const blocks = asObjects(content);
      if (role !== "assistant" || !blocks.some(({ type }) => type === "tool_use")) return [];
      const [first] = blocks;
      const whole = asText(first?.["thinking"]).startsWith("Hm ");
      return [asText(whole ? first?.["signature"] : first?.["data"])];
    }),
  plain: (step, signature) => ({
    ...{ id: "msg_1", type: "message", role: "assistant", model: "m", stop_sequence: null },
    content: blocksOf(step, signature),
    stop_reason: signature === undefined ? "end_turn" : "tool_use",
    usage: { input_tokens: 9, output_tokens: 9 },
  }),
  stream(step, signature) {
    const { content: _, ...message } = messages.plain(step, signature);
    const events: JsonObject[] = [
      { type: "message_start", message: { ...message, content: [], stop_reason: null } },
      ...blocksOf(step, signature).flatMap((block, index) => blockEvents(block, index)),
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

function blocksOf(step: number, signature: string | undefined): readonly JsonObject[] {
  if (signature === undefined) return [{ type: "text", text: ANSWER }];
  return [
    // What is thought is told in every other step.
    step % 2 === 0
      ? { type: "thinking", thinking: `Hm ${step}.`, signature }
      : { type: "redacted_thinking", data: signature },
    ...NAMES.map((name, at) => ({
      ...{ type: "tool_use", id: `toolu_${step}_${at}`, name, input: JSON.parse(ARGS) },
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

const native: Wire = {
  pictures: ({ contents }) =>
    asObjects(contents)
      .flatMap(({ parts }) => asObjects(parts))
      .flatMap(({ inlineData }) =>
        inlineData === undefined ? [] : [asText(asObject(inlineData)?.["data"])],
      ),
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
  plain: (step, signature) => nativeAnswer(nativeParts(step, signature), "STOP"),
  stream: (step, signature) =>
    [
      ...nativeParts(step, signature).map((part) => nativeAnswer([part], undefined)),
      nativeAnswer([{ text: "" }], "STOP"),
    ]
      .map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`)
      .join(""),
};

function nativeParts(step: number, signature: string | undefined): readonly JsonObject[] {
  if (signature === undefined) return [{ text: ANSWER }];
  return [
    { text: `Hm ${step}.`, thought: true },
    ...NAMES.map((name, at) => ({
      functionCall: { name, args: JSON.parse(ARGS) },
      ...(at === 0 ? { thoughtSignature: signature } : {}),
    })),
  ];
}

function nativeAnswer(parts: readonly JsonObject[], finishReason: string | undefined): JsonObject {
  return {
    candidates: [
      {
        content: { role: "model", parts },
        index: 0,
        ...(finishReason === undefined ? {} : { finishReason }),
      },
    ],
    usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 9, totalTokenCount: 18 },
    modelVersion: "m",
  };
}

const WIRES: Readonly<Record<TextProtocol, Wire>> = {
  "chat-completions": chat,
  responses,
  messages,
  "generate-content": native,
};
