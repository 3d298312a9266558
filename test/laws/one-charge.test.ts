import fc from "fast-check";
import { expect, it } from "vitest";
import { PROTOCOLS } from "../../src/protocols/table.ts";
import { chargeOfVerdict, verdictOf } from "../support/judged-answer.ts";
import { metersApart } from "../support/metered-alike.ts";
import { TEXT_PROTOCOLS, type TextProtocol } from "../support/text-caller.ts";
import { writtenResponse } from "../support/written-response.ts";

const counts: fc.Arbitrary<number | string | null> = fc.oneof(
  { weight: 8, arbitrary: fc.nat({ max: 400 }) },
  { weight: 1, arbitrary: fc.constantFrom(null, -1, 0.5, 2 ** 60, "7") },
);

const media = fc.record({ audio_tokens: counts, image_tokens: counts }, { requiredKeys: [] });
const lists = fc.array(
  fc.record({ modality: fc.constantFrom("TEXT", "AUDIO", "IMAGE", "VIDEO"), tokenCount: counts }),
  { maxLength: 3 },
);

/** Vendors' usage objects: cached and written tokens, thoughts, what hosted tools used, and values that cannot be. */
const usages: Readonly<Record<TextProtocol, fc.Arbitrary<object>>> = {
  "chat-completions": fc.record(
    {
      prompt_tokens: counts,
      completion_tokens: counts,
      total_tokens: counts,
      prompt_tokens_details: fc.record({ cached_tokens: counts, audio_tokens: counts }, { requiredKeys: [] }),
      completion_tokens_details: fc.record({
        reasoning_tokens: counts,
        audio_tokens: counts,
        image_tokens: counts,
      }),
      server_tool_use: fc.record({ web_search_requests: counts }),
      prompt_cache_hit_tokens: counts,
      num_server_side_tools_used: counts,
    },
    { requiredKeys: [] },
  ),
  responses: fc.record(
    {
      input_tokens: counts,
      output_tokens: counts,
      input_tokens_details: fc.record({
        cached_tokens: counts,
        cached_tokens_details: media,
        cache_write_tokens: counts,
        cache_write_tokens_details: fc.record({ ttl_30m_tokens: counts, ttl_12h_tokens: counts }),
        image_tokens: counts,
      }),
      server_side_tool_usage_details: fc.record({ web_search_calls: counts }),
      output_tokens_details: fc.record({ reasoning_tokens: counts }),
      total_tokens: counts,
    },
    { requiredKeys: [] },
  ),
  messages: fc.record(
    {
      input_tokens: counts,
      output_tokens: counts,
      cache_read_input_tokens: counts,
      cache_creation_input_tokens: counts,
      cache_creation: fc.record({ ephemeral_5m_input_tokens: counts, ephemeral_1h_input_tokens: counts }),
      server_tool_use: fc.record({ web_search_requests: counts }),
      iterations: fc.array(fc.record({ type: fc.constant("compaction"), input_tokens: counts }), {
        maxLength: 2,
      }),
    },
    { requiredKeys: [] },
  ),
  "generate-content": fc.record(
    {
      promptTokenCount: counts,
      candidatesTokenCount: counts,
      thoughtsTokenCount: counts,
      cachedContentTokenCount: counts,
      toolUsePromptTokenCount: counts,
      promptTokensDetails: lists,
      cacheTokensDetails: lists,
      candidatesTokensDetails: lists,
    },
    { requiredKeys: [] },
  ),
};

const frame = (data: object, name?: string): string =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;

/** Where vendors state usage in a stream, in the specification's places and in others. */
const statements: Readonly<Record<TextProtocol, readonly ((usage: object) => string)[]>> = {
  "chat-completions": [
    (usage) => frame({ choices: [], usage }),
    (usage) => frame({ choices: [{ index: 0, delta: {}, usage }] }),
    (usage) => frame({ choices: [{ index: 0, delta: { content: "More." } }], usage }),
    (usage) => frame({ choices: [], x_groq: { usage } }),
    (usage) => `data: {"choices":[],\ndata: "usage":${JSON.stringify(usage)}}\n\n`,
  ],
  responses: [
    (usage) => frame({ type: "response.in_progress", response: { usage } }, "response.in_progress"),
    (usage) =>
      frame({ type: "response.completed", response: { status: "completed", output: [], usage } }, "other"),
    (usage) => frame({ type: "response.output_text.delta", delta: "More.", usage }),
  ],
  messages: [
    (usage) => frame({ type: "message_start", message: { usage } }, "message_start"),
    (usage) => frame({ type: "message_delta", delta: {}, usage }, "message_delta"),
    (usage) => frame({ delta: { stop_reason: "end_turn" }, usage }, "message_delta"),
    (usage) => frame({ type: "content_block_start", index: 7, content_block: { type: "text", usage } }),
  ],
  "generate-content": [
    (usageMetadata) => frame({ usageMetadata }),
    (usageMetadata) =>
      frame({ candidates: [{ content: { parts: [{ text: "More.", thought: true }] } }], usageMetadata }),
    (usageMetadata) => frame({ candidates: [{ finishReason: "STOP" }], usageMetadata }),
  ],
};

/** A stream with usage in up to three further places, and where it is cut. */
const cases = fc
  .constantFrom(...TEXT_PROTOCOLS)
  .chain((upstream) =>
    fc.record({
      upstream: fc.constant(upstream),
      client: fc.constantFrom(...TEXT_PROTOCOLS.filter((name) => name !== upstream)),
      response: fc.record({
        text: fc.constantFrom("", "Hello there."),
        end: fc.constantFrom("stop" as const, "length" as const),
        output: fc.constantFrom(undefined, 0, 3),
      }),
      stated: fc.array(
        fc.tuple(fc.nat({ max: 9 }), fc.constantFrom(...statements[upstream]), usages[upstream]),
        { maxLength: 3 },
      ),
      events: fc.nat({ max: 14 }),
      sizes: fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1 }),
      leaves: fc.boolean(),
    }),
  )
  .map(({ upstream, response, stated, events, sizes, ...rest }) => {
    const frames = writtenResponse(upstream, response).events.split(/(?<=\n\n)/);
    for (const [at, state, usage] of stated) frames.splice(at % (frames.length + 1), 0, state(usage));
    const stream = Buffer.from(frames.slice(0, events < frames.length ? events + 1 : undefined).join(""));
    const pieces: Buffer[] = [];
    for (let from = 0, at = 0; from < stream.length; at += 1) {
      const to = from + (sizes[at % sizes.length] ?? 1);
      pieces.push(stream.subarray(from, to));
      from = to;
    }
    return { upstream, pieces, ...rest };
  });

it("charges the same to the nano for an answer that is forwarded and for one that is translated", async () => {
  await fc.assert(
    fc.asyncProperty(cases, fc.boolean(), async ({ client, ...answer }, streamed) => {
      const { upstream } = answer;
      const forwarded = await verdictOf({ ...answer, streamed, client: upstream });
      const translated = await verdictOf({ ...answer, streamed, client });
      expect(chargeOfVerdict(translated)).toEqual(chargeOfVerdict(forwarded));
    }),
    { numRuns: 100 },
  );
});

it("learns from the events of a decoder what it learns from bytes, after every chunk", () => {
  fc.assert(
    fc.property(cases, ({ upstream, pieces }) => {
      expect(metersApart(PROTOCOLS[upstream].usage, pieces)).toBeUndefined();
    }),
    { numRuns: 200 },
  );
});
