import { PLAIN_TEXT, STREAM_PIECES, USAGE } from "./answers.ts";

/**
 * The same responses in the protocols that the gateway translates to a caller's chat completions: equal text,
 * equal counts, one event for each piece of text, and around them what real vendors send.
 */
export interface ForeignResponses {
  readonly plain: string;
  readonly events: readonly string[];
}

export const FOREIGN_PROTOCOLS = ["messages", "responses", "generate-content"] as const;
export type ForeignProtocol = (typeof FOREIGN_PROTOCOLS)[number];

export const FOREIGN_RESPONSES: Readonly<Record<ForeignProtocol, ForeignResponses>> = {
  messages: messagesResponses(),
  responses: responsesResponses(),
  "generate-content": generateContentResponses(),
};

function messagesResponses(): ForeignResponses {
  const head = { id: "msg_01BenchBenchBenchBenchBe", type: "message", role: "assistant", model: "bench" };
  const input = {
    input_tokens: USAGE.inputTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    service_tier: "standard",
  };
  const usage = { ...input, output_tokens: USAGE.outputTokens };
  const started = { ...head, content: [], stop_reason: null, stop_sequence: null };
  const stop = { stop_reason: "end_turn", stop_sequence: null };
  return {
    plain: JSON.stringify({ ...head, content: [{ type: "text", text: PLAIN_TEXT }], ...stop, usage }),
    events: [
      named({ type: "message_start", message: { ...started, usage: { ...input, output_tokens: 1 } } }),
      named({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
      named({ type: "ping" }),
      ...STREAM_PIECES.map((text) =>
        named({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }),
      ),
      named({ type: "content_block_stop", index: 0 }),
      named({ type: "message_delta", delta: stop, usage }),
      named({ type: "message_stop" }),
    ],
  };
}

function responsesResponses(): ForeignResponses {
  const place = { item_id: "msg_BenchBenchBenchBenchBenchBench", output_index: 0, content_index: 0 };
  const part = (text: string) => ({ type: "output_text", text, annotations: [], logprobs: [] });
  const item = (status: string, content: readonly unknown[]) => ({
    id: place.item_id,
    type: "message",
    status,
    role: "assistant",
    content,
  });
  const response = (status: string, output: readonly unknown[], usage: unknown) => ({
    id: "resp_BenchBenchBenchBenchBenchBench",
    object: "response",
    created_at: 1_754_000_000,
    status,
    error: null,
    incomplete_details: null,
    model: "bench",
    output,
    usage,
  });
  const usage = {
    input_tokens: USAGE.inputTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: USAGE.outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: USAGE.inputTokens + USAGE.outputTokens,
  };
  const completed = (text: string) => response("completed", [item("completed", [part(text)])], usage);
  const begun = response("in_progress", [], null);
  const text = STREAM_PIECES.join("");
  const ladder: readonly WireEvent[] = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    { type: "response.output_item.added", output_index: 0, item: item("in_progress", []) },
    { type: "response.content_part.added", ...place, part: part("") },
    ...STREAM_PIECES.map((delta) => ({
      type: "response.output_text.delta",
      ...place,
      delta,
      logprobs: [],
      obfuscation: "a1B2c3D4",
    })),
    { type: "response.output_text.done", ...place, text, logprobs: [] },
    { type: "response.content_part.done", ...place, part: part(text) },
    { type: "response.output_item.done", output_index: 0, item: item("completed", [part(text)]) },
    { type: "response.completed", response: completed(text) },
  ];
  return {
    plain: JSON.stringify(completed(PLAIN_TEXT)),
    events: ladder.map((event, index) => named({ ...event, sequence_number: index })),
  };
}

function generateContentResponses(): ForeignResponses {
  const response = (text: string, finish: object, outputTokens: number): string =>
    JSON.stringify({
      candidates: [{ content: { parts: [{ text }], role: "model" }, ...finish, index: 0 }],
      usageMetadata: {
        promptTokenCount: USAGE.inputTokens,
        candidatesTokenCount: outputTokens,
        totalTokenCount: USAGE.inputTokens + outputTokens,
        promptTokensDetails: [{ modality: "TEXT", tokenCount: USAGE.inputTokens }],
      },
      modelVersion: "bench",
      responseId: "BenchBenchBenchBenchBe",
    });
  const stopped = { finishReason: "STOP" };
  return {
    plain: response(PLAIN_TEXT, stopped, USAGE.outputTokens),
    // Counts stand in every event and grow.
    events: STREAM_PIECES.map((text, index) => {
      const isLast = index === STREAM_PIECES.length - 1;
      const outputTokens = isLast ? USAGE.outputTokens : index + 1;
      return `data: ${response(text, isLast ? stopped : {}, outputTokens)}\r\n\r\n`;
    }),
  };
}

interface WireEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

function named(event: WireEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
