import type { TextProtocol } from "./text-caller.ts";

/** One protocol as a vendor writes it, cut into the parts that a misbehaving vendor leaves out. */
export interface VendorWire {
  readonly path: (model: string, streamed: boolean) => string;
  /** The frames before the first text. */
  readonly opening: (model: string) => string;
  readonly delta: (text: string) => string;
  /** The frames that make a client take the stream for finished. */
  readonly closing: (model: string) => string;
  readonly plain: (model: string) => string;
  /** The vendor's own error body. */
  readonly error: (fault: VendorFault) => string;
  /** The vendor's own error inside a stream. */
  readonly streamError: (fault: VendorFault) => string;
}

export interface VendorFault {
  readonly status: number;
  readonly type: string;
  readonly code: string;
  readonly message: string;
}

const frame = (data: object, event?: string): string =>
  `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;

const chunk = (choice: object | undefined, more: object = {}): string =>
  frame({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1_754_000_000,
    model: "vendor-model",
    choices: choice === undefined ? [] : [{ index: 0, finish_reason: null, ...choice }],
    ...more,
  });

const CHAT_USAGE = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
const TOKENS = { input_tokens: 7, output_tokens: 3 };
const RESPONSE = { id: "resp_1", object: "response", created_at: 1_754_000_000, output: [] };
const MESSAGE = { id: "msg_1", type: "message", role: "assistant", content: [], stop_reason: null };

const candidate = (text: string, more: object = {}): object => ({
  candidates: [{ content: { role: "model", parts: [{ text }] }, index: 0, ...more }],
  modelVersion: "vendor-model",
});
const NATIVE_USAGE = {
  usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 10 },
};

export const VENDOR_WIRES: Readonly<Record<TextProtocol, VendorWire>> = {
  "chat-completions": {
    path: () => "/v1/chat/completions",
    opening: () => chunk({ delta: { role: "assistant", content: "" } }),
    delta: (content) => chunk({ delta: { content } }),
    closing: () =>
      `${chunk({ delta: {}, finish_reason: "stop" })}${chunk(undefined, { usage: CHAT_USAGE })}data: [DONE]\n\n`,
    plain: (model) =>
      JSON.stringify({
        id: "chatcmpl-1",
        object: "chat.completion",
        created: 1_754_000_000,
        model,
        choices: [
          { index: 0, finish_reason: "stop", message: { role: "assistant", content: "Hello there." } },
        ],
        usage: CHAT_USAGE,
      }),
    error: ({ type, code, message }) => JSON.stringify({ error: { message, type, param: null, code } }),
    streamError: ({ type, code, message }) => frame({ error: { message, type, param: null, code } }),
  },
  responses: {
    path: () => "/v1/responses",
    opening: (model) =>
      frame(
        {
          type: "response.created",
          sequence_number: 0,
          response: { ...RESPONSE, model, status: "in_progress" },
        },
        "response.created",
      ),
    delta: (delta) =>
      frame(
        { type: "response.output_text.delta", item_id: "item_1", output_index: 0, content_index: 0, delta },
        "response.output_text.delta",
      ),
    closing: (model) =>
      frame(
        {
          type: "response.completed",
          response: { ...RESPONSE, model, status: "completed", usage: { ...TOKENS, total_tokens: 10 } },
        },
        "response.completed",
      ),
    plain: (model) =>
      JSON.stringify({
        ...RESPONSE,
        model,
        status: "completed",
        usage: { ...TOKENS, total_tokens: 10 },
        output: [
          {
            id: "item_1",
            type: "message",
            role: "assistant",
            status: "completed",
            content: [{ type: "output_text", text: "Hello there.", annotations: [] }],
          },
        ],
      }),
    error: ({ type, code, message }) => JSON.stringify({ error: { message, type, param: null, code } }),
    streamError: ({ code, message }) =>
      frame(
        { type: "response.failed", response: { ...RESPONSE, status: "failed", error: { code, message } } },
        "response.failed",
      ),
  },
  messages: {
    path: () => "/v1/messages",
    opening: (model) =>
      frame(
        { type: "message_start", message: { ...MESSAGE, model, usage: { ...TOKENS, output_tokens: 1 } } },
        "message_start",
      ) +
      frame(
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
        "content_block_start",
      ),
    delta: (text) =>
      frame(
        { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
        "content_block_delta",
      ),
    closing: () =>
      frame({ type: "content_block_stop", index: 0 }, "content_block_stop") +
      frame(
        {
          type: "message_delta",
          delta: { stop_reason: "end_turn", stop_sequence: null },
          usage: { output_tokens: 3 },
        },
        "message_delta",
      ) +
      frame({ type: "message_stop" }, "message_stop"),
    plain: (model) =>
      JSON.stringify({
        ...MESSAGE,
        model,
        stop_reason: "end_turn",
        stop_sequence: null,
        usage: TOKENS,
        content: [{ type: "text", text: "Hello there." }],
      }),
    error: ({ type, message }) => JSON.stringify({ type: "error", error: { type, message } }),
    streamError: ({ type, message }) => frame({ type: "error", error: { type, message } }, "error"),
  },
  "generate-content": {
    path: (model, streamed) =>
      `/v1beta/models/${encodeURIComponent(model)}:${streamed ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    opening: () => frame(candidate("")),
    delta: (text) => frame(candidate(text)),
    closing: () => frame({ ...candidate("", { finishReason: "STOP" }), ...NATIVE_USAGE }),
    plain: () => JSON.stringify({ ...candidate("Hello there.", { finishReason: "STOP" }), ...NATIVE_USAGE }),
    error: ({ status, code, message }) => JSON.stringify({ error: { code: status, message, status: code } }),
    streamError: ({ status, code, message }) => frame({ error: { code: status, message, status: code } }),
  },
};

/** A stream as the vendor would send it whole. */
export function wholeStream(protocol: TextProtocol, model: string): string {
  const wire = VENDOR_WIRES[protocol];
  return wire.opening(model) + ["Hel", "lo ", "there."].map(wire.delta).join("") + wire.closing(model);
}
