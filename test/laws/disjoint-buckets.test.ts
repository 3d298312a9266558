import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ChatProtocol } from "../../src/conversation/protocol-name.ts";
import { PROTOCOLS } from "../../src/protocols/table.ts";
import { byClass, totalInput, totalOutput } from "../../src/usage/usage.ts";

/** Whatever a vendor tells apart, in whatever numbers, each token is in one bucket, and their sum is the vendor's whole. */

const part = fc.oneof(fc.nat({ max: 500 }), fc.constantFrom(0, -1, 1.5, null, "7", 2_000_000_000));
const whole = fc.nat({ max: 1_000 });
const media = fc.record({ audio_tokens: part, image_tokens: part, video_tokens: part }, { requiredKeys: [] });
const lists = fc.array(
  fc.record({ modality: fc.constantFrom("TEXT", "AUDIO", "IMAGE", "VIDEO", "DOCUMENT"), tokenCount: part }),
  { maxLength: 4 },
);
const lifetimes = fc.record(
  {
    ttl_30m_tokens: part,
    ttl_12h_tokens: part,
    ephemeral_5m_input_tokens: part,
    ephemeral_1h_input_tokens: part,
  },
  { requiredKeys: [] },
);
const read = fc
  .record(
    {
      cached_tokens: part,
      cached_tokens_details: media,
      cache_write_tokens: part,
      cache_write_tokens_details: lifetimes,
      cache_type: fc.constantFrom("ephemeral", "implicit"),
    },
    { requiredKeys: [] },
  )
  .chain((cache) => media.map((of) => ({ ...cache, ...of })));
const written = fc
  .record({ reasoning_tokens: part }, { requiredKeys: [] })
  .chain((thoughts) => media.map((of) => ({ ...thoughts, ...of })));

interface Told {
  readonly usage: object;
  readonly input: number;
  readonly output: number;
}

const told: Readonly<Record<Exclude<ChatProtocol, "messages">, fc.Arbitrary<Told>>> = {
  "chat-completions": fc.tuple(whole, whole, read, written).map(([input, output, prompt, completion]) => ({
    usage: {
      prompt_tokens: input,
      completion_tokens: output,
      prompt_tokens_details: prompt,
      completion_tokens_details: completion,
    },
    input,
    output,
  })),
  responses: fc.tuple(whole, whole, read, written).map(([input, output, inputDetails, outputDetails]) => ({
    usage: {
      input_tokens: input,
      output_tokens: output,
      input_tokens_details: inputDetails,
      output_tokens_details: outputDetails,
    },
    input,
    output,
  })),
  "generate-content": fc
    .tuple(whole, whole, part, fc.tuple(lists, lists, lists))
    .map(([input, output, cached, [prompt, cache, candidates]]) => ({
      usage: {
        promptTokenCount: input,
        candidatesTokenCount: output,
        cachedContentTokenCount: cached,
        promptTokensDetails: prompt,
        cacheTokensDetails: cache,
        candidatesTokensDetails: candidates,
      },
      input,
      output,
    })),
};

describe.each(Object.keys(told) as (keyof typeof told)[])("the buckets of %s", (name) => {
  it("sum up to what the vendor states, and so do their classes", () => {
    fc.assert(
      fc.property(told[name], ({ usage, input, output }) => {
        const { tokens } = PROTOCOLS[name].usage.buckets(usage as never);
        expect([totalInput(tokens), totalOutput(tokens)]).toEqual([input, output]);
        const classes = byClass(tokens);
        expect([totalInput(classes), totalOutput(classes)]).toEqual([input, output]);
        for (const count of Object.values(tokens)) expect(count).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 1_000 },
    );
  });
});
