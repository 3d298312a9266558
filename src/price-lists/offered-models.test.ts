import { describe, expect, it } from "vitest";
import { listedVendorOf } from "../upstreams/vendor-presets.ts";
import { describeOffered, type OfferedModel } from "./offered-models.ts";
import { publicList } from "./public-list.ts";

const BEDROCK = "https://bedrock-runtime.us-east-1.amazonaws.com";
const VERTEX = "https://europe-west1-aiplatform.googleapis.com";

async function offered(baseUrl: string, id: string): Promise<OfferedModel> {
  const list = await publicList(Date.parse("2026-11-27T00:00:00Z"));
  const model = { id, contextTokens: undefined, maxOutputTokens: undefined, inputMedia: undefined };
  return describeOffered(model, { preset: null, baseUrl, models: new Map() }, list, listedVendorOf);
}

describe("a model that a cloud offers", () => {
  it.each([
    [BEDROCK, "global.anthropic.claude-sonnet-4-5-20250929-v1:0", 3_000_000_000n],
    [BEDROCK, "us.meta.llama4-maverick-17b-instruct-v1:0", 240_000_000n],
    [BEDROCK, "openai.gpt-oss-120b-1:0", 150_000_000n],
    ["https://bedrock-mantle.us-east-2.api.aws", "openai.gpt-oss-120b-1:0", 150_000_000n],
    [VERTEX, "claude-sonnet-4-5@20250929", 3_000_000_000n],
    [VERTEX, "gemini-2.5-flash", 300_000_000n],
    ["https://acme.openai.azure.com", "gpt-4o-2024-08-06", 2_500_000_000n],
    ["https://acme.services.ai.azure.com", "claude-sonnet-4-5", 3_000_000_000n],
  ])("has the price of the list at that cloud: %s %s", async (baseUrl, id, input) => {
    expect(await offered(baseUrl, id)).toMatchObject({ input, unpricedReason: undefined });
  });

  it.each(["us.anthropic.claude-haiku-4-5-20251001-v1:0", "anthropic.claude-haiku-4-5-20251001-v1:0"])(
    "that the list has at its own vendor alone gets its context, and no price: %s",
    async (id) => {
      const model = await offered(BEDROCK, id);
      expect(model).toMatchObject({ contextTokens: 200_000, price: undefined, input: undefined });
      expect(model.unpricedReason).toMatch(/anthropic itself sells claude-haiku-4-5 for 1 and 5, and/);
    },
  );

  it("under a name of the operator's own is unknown", async () => {
    const model = await offered("https://acme.openai.azure.com", "our-deployment");
    expect(model).toMatchObject({ price: undefined, unpricedReason: "no list states it" });
  });
});

describe("the public list", () => {
  it.each([
    ["amazon.titan-embed-text-v1", "amazon.titan-embed-text-v1"],
    ["amazon.titan-embed-text-v2:0", undefined],
    ["amazon.titan-embed-text-v10", undefined],
    ["amazon.titan-text-lite-v1:0:4k", "amazon.titan-text-lite-v1"],
  ])("never takes a model for another version of it: %s", async (model, listed) => {
    const list = await publicList(Date.now());
    expect(list.find("aws", model)?.model).toBe(listed);
  });
});
