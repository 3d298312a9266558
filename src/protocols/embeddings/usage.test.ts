import { describe, expect, it } from "vitest";
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
});
