import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { casesOf } from "../../../test/support/cases.ts";
import { embeddingsUsage } from "./usage.ts";

const VECTOR = Array.from({ length: 1536 }, (_, index) => index / 7);

function response(vectors: number, usage: string): Buffer {
  const data = Array.from({ length: vectors }, (_, index) => ({
    object: "embedding",
    index,
    embedding: VECTOR,
  }));
  return Buffer.from(`{"object":"list","data":${JSON.stringify(data)},"model":"m","usage": ${usage}}`);
}

describe("usage of embeddings", () => {
  it.each([1, 100])("is read off an answer of %i vectors alike, parsed or not", (vectors) => {
    const facts = embeddingsUsage.readBytes(
      response(vectors, '{"prompt_tokens":7,"details":{"a":1},"total_tokens":7}'),
    );
    expect(facts.usage).toMatchObject({ tokens: { inputUncached: 7, outputVisible: 0 }, hostile: [] });
    expect(facts.hasOutput).toBe(true);
  });

  it("is the total where a server leaves the prompt at 0", () => {
    const { usage } = embeddingsUsage.readBytes(response(1, '{"prompt_tokens":0,"total_tokens":7}'));
    expect(usage?.tokens).toEqual({ inputUncached: 7, outputVisible: 0 });
  });

  it("is missing where a large answer states none", () => {
    expect(embeddingsUsage.readBytes(response(100, "null")).usage).toBeUndefined();
  });

  it.each([
    // https://docs.cohere.com/v2/reference/embed
    [{ meta: { billed_units: { input_tokens: 3, image_tokens: 40 } } }, { inputUncached: 3, imageInput: 40 }],
    [{ meta: { billed_units: { image_tokens: 40, images: 1 } } }, { inputUncached: 0, imageInput: 40 }],
    // https://docs.voyageai.com/reference/multimodal-embeddings-api
    [
      { usage: { text_tokens: 5, image_pixels: 2_000_000, total_tokens: 3_576 } },
      { inputUncached: 5, imageInput: 3_571 },
    ],
    [
      { usage: { text_tokens: 5, image_pixels: 0, video_pixels: 5_600, total_tokens: 15 } },
      { inputUncached: 5, videoInput: 10 },
    ],
    [{ usage: { text_tokens: 5, image_pixels: 0, total_tokens: 5 } }, { inputUncached: 5 }],
    // https://www.alibabacloud.com/help/en/model-studio/multimodal-embedding-api-reference
    [
      { usage: { input_tokens: 90, input_tokens_details: { image_tokens: 80, text_tokens: 10 } } },
      { inputUncached: 10, imageInput: 80 },
    ],
    // https://ai.google.dev/api/embeddings
    [
      {
        usageMetadata: {
          promptTokenCount: 60,
          promptTokensDetails: [
            { modality: "TEXT", tokenCount: 10 },
            { modality: "AUDIO", tokenCount: 50 },
          ],
        },
      },
      { inputUncached: 10, audioInput: 50 },
    ],
    // The same in the vendor's other spelling.
    [
      {
        usage_metadata: {
          prompt_token_count: 60,
          prompt_tokens_details: [
            { modality: "TEXT", token_count: 10 },
            { modality: "AUDIO", token_count: 50 },
          ],
        },
      },
      { inputUncached: 10, audioInput: 50 },
    ],
  ])("tells media apart as the vendor bills them: %j", (stated, tokens) => {
    const { usage } = embeddingsUsage.readPlain({ data: [{ embedding: [1] }], ...stated });
    expect(usage).toMatchObject({ tokens: { ...tokens, outputVisible: 0 }, hostile: [] });
    expect(usage?.units).toBeUndefined();
  });

  it.each([1, 200])("is the sum of what Vertex AI counts of %i texts, parsed or not", (texts) => {
    const predictions = Array.from({ length: texts }, () => ({
      embeddings: { values: VECTOR, statistics: { truncated: false, token_count: 3 } },
    }));
    const facts = embeddingsUsage.readBytes(Buffer.from(JSON.stringify({ predictions })));
    expect(facts.usage).toMatchObject({
      tokens: { inputUncached: 3 * texts, outputVisible: 0 },
      hostile: [],
    });
    expect(facts.hasOutput).toBe(true);
  });

  it("is read off the response of a single text", () => {
    const { usage, hasOutput } = embeddingsUsage.readPlain({
      embedding: { values: [1, 2] },
      usageMetadata: { promptTokenCount: 5 },
    });
    expect(usage?.tokens).toEqual({ inputUncached: 5, outputVisible: 0 });
    expect(hasOutput).toBe(true);
  });

  it("is an image where the vendor bills those and no tokens", () => {
    // https://docs.cohere.com/v2/docs/embeddings: models before v4.
    const { usage, hasOutput } = embeddingsUsage.readPlain({
      embeddings: { float: [[1]] },
      meta: { billed_units: { input_tokens: null, images: 1 } },
    });
    expect(hasOutput).toBe(true);
    expect(usage).toMatchObject({ tokens: { outputVisible: 0 }, units: { image: 1 } });
  });
});

/** How vendors spell vectors and counts, each of `texts` vectors. */
const SPELLINGS: Readonly<Record<string, (vector: unknown, texts: number, count: number) => object>> = {
  // https://platform.openai.com/docs/api-reference/embeddings
  openai: (embedding, texts, count) => ({
    data: Array.from({ length: texts }, (_, index) => ({ index, embedding })),
    usage: { prompt_tokens: count, total_tokens: count, prompt_tokens_details: { image_tokens: 1 } },
  }),
  // https://ai.google.dev/api/embeddings
  batchEmbedContents: (values, texts, count) => ({
    embeddings: Array.from({ length: texts }, () => ({ values })),
    usageMetadata: { promptTokenCount: count, promptTokensDetails: [{ modality: "AUDIO", tokenCount: 1 }] },
  }),
  embedContent: (values, _, count) => ({
    usage_metadata: { prompt_token_count: count },
    embedding: { values },
  }),
  // https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api
  predict: (values, texts, count) => ({
    predictions: Array.from({ length: texts }, (_, index) => ({
      embeddings: { statistics: { truncated: false, token_count: count + index }, values },
    })),
    metadata: { billableCharacterCount: 5 },
  }),
  // https://docs.cohere.com/v2/reference/embed
  cohere: (vector, texts, count) => ({
    id: "e_1",
    embeddings: { float: Array.from({ length: texts }, () => vector) },
    texts: Array.from({ length: texts }, () => 'a "text" of {braces} and [lists] \\'),
    meta: { billed_units: { input_tokens: count, image_tokens: 2 }, warnings: [] },
  }),
  // https://docs.voyageai.com/reference/multimodal-embeddings-api
  voyage: (embedding, texts, count) => ({
    usage: { text_tokens: count, image_pixels: 2_000, total_tokens: count + 3 },
    data: Array.from({ length: texts }, () => ({ embedding })),
  }),
  uncounted: (embedding, texts) => ({ data: Array.from({ length: texts }, () => ({ embedding })) }),
  failed: (_, __, count) => ({ error: { message: `It failed ${count} times.`, type: "server_error" } }),
  bare: (embedding) => ({ embedding }),
};

it("large responses are counted as small ones of every spelling", () => {
  const vector = fc.oneof(
    fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 60 }),
    fc.array(fc.integer({ min: -128, max: 127 }), { minLength: 1, maxLength: 60 }),
    fc.base64String({ minLength: 4, maxLength: 400 }),
  );
  const padding = `[${"0.0123456,".repeat(120_000)}1]`;
  const texts = fc.integer({ min: 1, max: 5 });
  fc.assert(
    fc.property(
      fc.constantFrom(...Object.keys(SPELLINGS)),
      vector,
      texts,
      fc.nat({ max: 90_000 }),
      fc.constantFrom(undefined, 2, "\t"),
      fc.boolean(),
      (name, values, length, count, indent, isBehind) => {
        const whole = JSON.stringify(SPELLINGS[name]?.(values, length, count), null, indent);
        const inner = whole.slice(1, -1);
        const large = isBehind ? `{${inner},"more":${padding}}` : `{"more":${padding},${inner}}`;
        const read = (text: string): object => {
          const { outputText: _, ...facts } = embeddingsUsage.readBytes(Buffer.from(text));
          return facts;
        };
        expect(read(large)).toEqual(read(whole));
        expect(read(large.slice(0, -1))).toEqual(read(whole.slice(0, -1)));
      },
    ),
    { numRuns: casesOf(500) },
  );
});
