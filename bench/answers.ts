/**
 * What the bench's upstream answers, and what every server in between has to hand on byte for byte. Sizes
 * and fields are those of a real vendor: `"usage":null` stands in every chunk, as it does there when a
 * caller asks for usage, because it is what a meter has to look at and pass over.
 */

export const EVENTS_PER_STREAM = 100;

/** What a plain response says, and the piece of text in each event of a streamed one. */
export const PLAIN_TEXT = "A gateway passes on what it was given, and counts it once. ".repeat(2).trim();
export const STREAM_PIECES: readonly string[] = Array.from(
  { length: EVENTS_PER_STREAM },
  (_, index) => ` word-${index}`,
);

/** What the gateway charges for: the same for plain and streamed responses. */
export const USAGE = { inputTokens: 19, outputTokens: EVENTS_PER_STREAM };

const USAGE_FIELD = {
  prompt_tokens: USAGE.inputTokens,
  completion_tokens: USAGE.outputTokens,
  total_tokens: USAGE.inputTokens + USAGE.outputTokens,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
};

const SHARED = { id: "chatcmpl-BenchBenchBenchBenchBenchBe", created: 1_754_000_000, model: "bench" };

/** About 600 bytes. */
export const PLAIN_BODY = JSON.stringify({
  ...SHARED,
  object: "chat.completion",
  choices: [
    {
      index: 0,
      message: {
        role: "assistant",
        content: PLAIN_TEXT,
        refusal: null,
        annotations: [],
      },
      logprobs: null,
      finish_reason: "stop",
    },
  ],
  usage: USAGE_FIELD,
  service_tier: "default",
});

/** The events of one streamed response, about 250 bytes each, the last one being `[DONE]`. */
export const STREAM_EVENTS: readonly string[] = [
  event(chunk({ role: "assistant", content: "", refusal: null }, false)),
  ...STREAM_PIECES.map((piece, index) => event(chunk({ content: piece }, index === EVENTS_PER_STREAM - 1))),
  event(JSON.stringify({ ...SHARED, object: "chat.completion.chunk", choices: [], usage: USAGE_FIELD })),
  event("[DONE]"),
];

/** The model that every server in the bench forwards. */
export const FORWARDED_MODEL = "bench";

/** The request of every caller in the bench. */
export function requestBody(streamed: boolean, model = FORWARDED_MODEL): string {
  return JSON.stringify({
    model,
    messages: [
      { role: "system", content: "You answer in one short sentence." },
      { role: "user", content: "What does a gateway do with the bytes it was given?" },
    ],
    max_tokens: 256,
    temperature: 0.7,
    ...(streamed ? { stream: true, stream_options: { include_usage: true } } : {}),
  });
}

function chunk(delta: object, isLast: boolean): string {
  return JSON.stringify({
    ...SHARED,
    object: "chat.completion.chunk",
    choices: [
      {
        index: 0,
        delta,
        logprobs: null,
        finish_reason: isLast ? "stop" : null,
      },
    ],
    usage: null,
  });
}

function event(data: string): string {
  return `data: ${data}\n\n`;
}
