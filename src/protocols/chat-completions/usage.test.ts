import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chatCompletions } from "./codec.ts";
import { encodeUsage } from "./encode-usage.ts";

describe("chat completions usage", () => {
  it("finds cache writes beside the reads, in the words of the vendors that count them there (rule 2)", () => {
    const read = (details: object) =>
      chatCompletions.usage.buckets({
        prompt_tokens: 100,
        completion_tokens: 5,
        total_tokens: 105,
        prompt_tokens_details: { cached_tokens: 20, ...details },
      }).tokens;
    const written = { inputUncached: 30, cacheRead: 20, cacheWrite5m: 50, outputVisible: 5 };
    expect(read({ cache_creation_input_tokens: 50 })).toEqual(written);
    expect(read({ cache_creation_tokens: 50 })).toEqual(written);
    const split = { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 20 };
    const parted = { ...written, cacheWrite5m: 30, cacheWrite1h: 20 };
    expect(read({ cache_creation_input_tokens: 50, cache_creation: split })).toEqual(parted);
    expect(read({ cache_creation_tokens: 50, cache_creation_token_details: split })).toEqual(parted);
  });

  it("believes the field that is filled in, where a server that speaks for several vendors has all of them", () => {
    const read = (usage: object) =>
      chatCompletions.usage.buckets({ prompt_tokens: 100, completion_tokens: 5, total_tokens: 105, ...usage })
        .tokens;
    const none = { cached_tokens: 0, cache_write_tokens: 0 };
    const told = { inputUncached: 20, cacheRead: 80 };
    expect(read({ prompt_tokens_details: none, prompt_cache_hit_tokens: 80 })).toMatchObject(told);
    expect(read({ prompt_tokens_details: { cached_tokens: 80 }, cached_tokens: 0 })).toMatchObject(told);
    const written = { inputUncached: 20, cacheRead: 0, cacheWrite5m: 80 };
    expect(read({ prompt_tokens_details: none, cache_creation_input_tokens: 80 })).toMatchObject(written);
    expect(read({ prompt_tokens_details: none })).toMatchObject({ inputUncached: 100, cacheRead: 0 });
  });

  it("adds cached input to a prompt that the total says to be without it", () => {
    const read = (total: number, details: object) =>
      chatCompletions.usage.buckets({
        prompt_tokens: 479,
        completion_tokens: 373,
        total_tokens: total,
        prompt_tokens_details: { cached_tokens: 13_312 },
        ...details,
      });
    const told = { inputUncached: 479, cacheRead: 13_312, outputVisible: 373 };
    expect(read(14_164, {})).toMatchObject({ tokens: told, hostile: [] });
    expect(read(852, {})).toMatchObject({ tokens: { inputUncached: 479 }, hostile: ["cached_tokens"] });
    const thoughts = { completion_tokens_details: { reasoning_tokens: 13_312 } };
    expect(read(14_164, thoughts).tokens).toMatchObject({ outputReasoning: 13_312, inputUncached: 479 });
  });

  it("lists values that can't be counts by their path, each once", () => {
    const details = { audio_tokens: -1 };
    const { hostile } = chatCompletions.usage.buckets({
      prompt_tokens: 10,
      completion_tokens: 1.5,
      prompt_tokens_details: details,
      completion_tokens_details: { ...details },
    });
    expect(hostile).toEqual([
      "completion_tokens",
      "prompt_tokens_details.audio_tokens",
      "completion_tokens_details.audio_tokens",
    ]);
  });

  it("counts thoughts that the total alone tells of, and sound beside the prompt", () => {
    const read = (usage: object) => chatCompletions.usage.buckets({ ...usage }).tokens;
    // Gemini's OpenAI endpoint.
    expect(read({ prompt_tokens: 20, completion_tokens: 6, total_tokens: 226 })).toEqual({
      inputUncached: 20,
      outputVisible: 6,
      outputReasoning: 200,
    });
    expect(read({ prompt_tokens: 20, completion_tokens: 0, total_tokens: 21 })).toMatchObject({
      outputReasoning: 1,
    });
    // Mistral's Voxtral.
    const heard = { prompt_tokens_details: { audio_tokens: 300, cached_tokens: 0 } };
    expect(read({ prompt_tokens: 8, completion_tokens: 40, total_tokens: 348, ...heard })).toEqual({
      inputUncached: 8,
      cacheRead: 0,
      audioInput: 300,
      outputVisible: 40,
    });
    // The same vendor where it states the seconds alone.
    const seconds = { prompt_audio_seconds: 4, prompt_tokens_details: null };
    expect(read({ prompt_tokens: 8, completion_tokens: 40, total_tokens: 348, ...seconds })).toEqual({
      inputUncached: 308,
      outputVisible: 40,
    });
    for (const silence of [0, null])
      expect(
        read({ prompt_tokens: 8, completion_tokens: 40, total_tokens: 348, prompt_audio_seconds: silence }),
      ).toMatchObject({ inputUncached: 8, outputReasoning: 300 });
    // OpenAI counts it within.
    expect(read({ prompt_tokens: 308, completion_tokens: 40, total_tokens: 348, ...heard })).toMatchObject({
      inputUncached: 8,
      audioInput: 300,
      outputVisible: 40,
    });
  });

  it("shares the total out to disjoint buckets, wherever a vendor counts which part", () => {
    const count = fc.nat(5000);
    const counts = fc.record({ input: count, output: count, read: count, thoughts: count, audio: count });
    const beside = fc.record({ read: fc.boolean(), thoughts: fc.boolean(), audio: fc.boolean() });
    fc.assert(
      fc.property(counts, beside, fc.nat(3000), (all, apart, hidden) => {
        const { input, output, read, thoughts, audio } = all;
        const total =
          input +
          output +
          hidden +
          (apart.read ? read : 0) +
          (apart.thoughts ? thoughts : 0) +
          (apart.audio ? audio : 0);
        const { tokens } = chatCompletions.usage.buckets({
          prompt_tokens: input,
          completion_tokens: output,
          total_tokens: total,
          prompt_tokens_details: { cached_tokens: read, audio_tokens: audio },
          completion_tokens_details: { reasoning_tokens: thoughts },
        });
        const buckets = Object.values(tokens);
        expect(buckets.every((bucket) => bucket >= 0)).toBe(true);
        expect(buckets.reduce((sum, bucket) => sum + bucket, 0)).toBe(total);
        expect(tokens.inputUncached ?? 0).toBeLessThanOrEqual(input + audio);
      }),
    );
  });

  it("counts back to the same buckets (rules 1 and 2)", () => {
    const tokens = {
      inputUncached: 3,
      cacheRead: 5,
      cacheWrite5m: 7,
      cacheWrite1h: 11,
      outputVisible: 13,
      outputReasoning: 17,
    };
    expect(chatCompletions.usage.buckets(encodeUsage(tokens)).tokens).toEqual(tokens);
    expect(encodeUsage(tokens)).toMatchObject({ prompt_tokens: 26, completion_tokens: 30, total_tokens: 56 });
  });
});
