import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { casesOf } from "../support/cases.ts";
import { changedAt, INSTEAD, placesIn } from "../support/changed-answers.ts";
import { chargeOfVerdict, type JudgedAnswer, verdictOf } from "../support/judged-answer.ts";
import { TEXT_PROTOCOLS, type TextProtocol } from "../support/text-caller.ts";

const PNG = Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1").toString("base64");
const PNG_URL = `data:image/png;base64,${PNG}`;

/** Responses with all that the protocol can hold, each of which is one. */
const ANSWERS: Readonly<Record<TextProtocol, readonly object[]>> = {
  "chat-completions": [
    {
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1,
      model: "m",
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: [
              { type: "text", text: "Hello." },
              { type: "image_url", image_url: { url: PNG_URL } },
            ],
            refusal: null,
            reasoning_content: "Hm.",
            reasoning_details: [{ type: "reasoning.text", text: "Hm." }],
            annotations: [
              { type: "url_citation", url_citation: { url: "https://a.example", start_index: 0 } },
            ],
            images: [{ type: "image_url", image_url: { url: PNG_URL } }],
            audio: { id: "audio_1", data: "AAAA", transcript: "Hello." },
            tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: '{"a":1}' } }],
          },
          finish_reason: "tool_calls",
          logprobs: null,
        },
      ],
      usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
      citations: ["https://a.example"],
    },
    {
      id: "chatcmpl-2",
      choices: [{ index: 0, message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }],
      usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
    },
    {
      id: "chatcmpl-3",
      choices: [{ index: 0, message: { role: "assistant", content: "" }, finish_reason: "length" }],
      usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
    },
  ],
  responses: [
    {
      id: "resp_1",
      object: "response",
      created_at: 1,
      status: "completed",
      incomplete_details: null,
      model: "m",
      output: [
        {
          id: "rs_1",
          type: "reasoning",
          summary: [{ type: "summary_text", text: "Hm." }],
          encrypted_content: "abc",
        },
        {
          id: "msg_1",
          type: "message",
          role: "assistant",
          status: "completed",
          content: [
            {
              type: "output_text",
              text: "Hello.",
              annotations: [{ type: "url_citation", url: "https://a.example", title: "A" }],
            },
            { type: "refusal", refusal: "No." },
          ],
        },
        { id: "fc_1", type: "function_call", call_id: "c1", name: "f", arguments: '{"a":1}' },
        { id: "ct_1", type: "custom_tool_call", call_id: "c2", name: "g", input: "x" },
        { id: "ws_1", type: "web_search_call", status: "completed", action: { type: "search", query: "q" } },
        { id: "ig_1", type: "image_generation_call", status: "completed", result: PNG },
      ],
      usage: { input_tokens: 7, output_tokens: 3, total_tokens: 10 },
    },
    {
      id: "resp_2",
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      output: [],
      usage: { input_tokens: 7, output_tokens: 3, total_tokens: 10 },
    },
  ],
  messages: [
    {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m",
      content: [
        { type: "thinking", thinking: "Hm.", signature: "c2lnbmF0dXJl" },
        { type: "redacted_thinking", data: "abc" },
        {
          type: "text",
          text: "Hello.",
          citations: [{ type: "web_search_result_location", url: "https://a.example", title: "A" }],
        },
        { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "q" } },
        { type: "web_search_tool_result", tool_use_id: "s1", content: [{ type: "web_search_result" }] },
        { type: "tool_use", id: "c1", name: "f", input: { a: 1 } },
      ],
      stop_reason: "tool_use",
      stop_sequence: null,
      usage: { input_tokens: 7, output_tokens: 3 },
    },
    {
      id: "msg_2",
      type: "message",
      role: "assistant",
      content: [],
      stop_reason: "max_tokens",
      usage: { input_tokens: 7, output_tokens: 3 },
    },
  ],
  "generate-content": [
    {
      responseId: "r1",
      modelVersion: "m",
      candidates: [
        {
          index: 0,
          content: {
            role: "model",
            parts: [
              { text: "Hm.", thought: true },
              { text: "Hello." },
              { inlineData: { mimeType: "image/png", data: PNG } },
              { fileData: { mimeType: "image/png", fileUri: "https://a.example/b.png" } },
              { executableCode: { language: "PYTHON", code: "1" } },
              { functionCall: { id: "c1", name: "f", args: { a: 1 } }, thoughtSignature: "c2ln" },
            ],
          },
          finishReason: "STOP",
          groundingMetadata: {
            webSearchQueries: ["q"],
            groundingChunks: [{ web: { uri: "https://a.example", title: "A" } }],
            groundingSupports: [{ segment: { startIndex: 0, endIndex: 5 }, groundingChunkIndices: [0] }],
          },
        },
      ],
      usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 10 },
    },
    {
      candidates: [
        {
          content: { role: "model", parts: [{ inline_data: { mime_type: "image/png", data: PNG } }] },
          finishReason: "STOP",
        },
      ],
      usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 10 },
    },
    {
      promptFeedback: { blockReason: "SAFETY" },
      usageMetadata: { promptTokenCount: 7, totalTokenCount: 7 },
    },
    {
      candidates: [{ content: { role: "model" }, finishReason: "MAX_TOKENS" }],
      usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 10 },
    },
  ],
};

type Path = Pick<JudgedAnswer, "client" | "streamed">;

/** How the response is judged and charged for a caller. */
async function judged(answer: unknown, upstream: TextProtocol, path: Path): Promise<object> {
  return chargeOfVerdict(await verdictOf({ ...path, upstream, pieces: [JSON.stringify(answer)] }));
}

describe.each(TEXT_PROTOCOLS)("a plain answer of %s", (upstream) => {
  const forwarded: Path = { client: upstream, streamed: false };
  /** On which it is decoded. */
  const paths = TEXT_PROTOCOLS.map((client): Path => ({ client, streamed: client === upstream }));

  it("is taken as it is", async () => {
    for (const answer of ANSWERS[upstream]) {
      const { reason } = await verdictOf({ ...forwarded, upstream, pieces: [JSON.stringify(answer)] });
      expect(reason).toMatch(/^(completed|empty_answer)$/);
    }
  });

  it.each(Object.keys(INSTEAD))(
    "with %s at a place of it is judged and charged as its decoder reads it",
    async (name) => {
      for (const answer of ANSWERS[upstream]) {
        for (const [number, place] of placesIn(answer).entries()) {
          const changed = changedAt(answer, place, INSTEAD[name]);
          const path = paths[number % paths.length] ?? forwarded;
          const where = `${place.join(".")} ${JSON.stringify(path)}`;
          expect(await judged(changed, upstream, forwarded), where).toEqual(
            await judged(changed, upstream, path),
          );
        }
      }
    },
  );

  it("with something else at several places of it is judged and charged as its decoder reads it", async () => {
    const change = fc.record({ at: fc.nat(), instead: fc.constantFrom(...Object.values(INSTEAD)) });
    const cases = fc.record({
      answer: fc.constantFrom(...ANSWERS[upstream]),
      changes: fc.array(change, { minLength: 2, maxLength: 4 }),
      path: fc.constantFrom(...paths),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ answer, changes, path }) => {
        const changed = changes.reduce<unknown>((value, { at, instead }) => {
          const places = placesIn(value);
          return changedAt(value, places[at % places.length] ?? [], instead);
        }, answer);
        expect(await judged(changed, upstream, forwarded)).toEqual(await judged(changed, upstream, path));
      }),
      { numRuns: casesOf(500) },
    );
  });
});
