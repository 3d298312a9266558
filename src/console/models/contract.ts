import { z } from "zod";
import { PROTOCOL_NAMES } from "../../conversation/protocol-name.ts";

const usd = z.string().describe("US dollars as exact decimal text, the group's factor included");

const modelEndpoint = z.enum([...PROTOCOL_NAMES, "images", "videos"]);
export type ModelEndpoint = z.infer<typeof modelEndpoint>;

const tokenPrices = {
  input: usd.nullable(),
  output: usd.nullable(),
  reasoning: usd.nullable().describe("null = as output"),
  cache_read: usd.nullable().describe("null = as input"),
  cache_write: usd.nullable().describe("null = as input"),
  cache_write_1h: usd.nullable().describe("null = as cache_write"),
};

const accountModel = z.object({
  id: z.string().describe("What a request puts into `model`"),
  modality: z
    .enum(["text", "embedding", "rerank", "image", "video"])
    .describe("What it makes, told by its endpoints"),
  family: z
    .string()
    .nullable()
    .describe("Family of pictures or videos, as /v1/capabilities has it; null = text"),
  owned_by: z.string(),
  created: z.int().describe("Unix seconds"),
  endpoints: z.array(modelEndpoint).describe("On which the account can call it now"),
  context_tokens: z.int().nullable(),
  max_output_tokens: z.int().nullable(),
  price: z
    .object({
      ...tokenPrices,
      steps: z
        .array(z.object({ above: z.int(), ...tokenPrices }))
        .describe(
          "In place of these where all input of a request is more than so many tokens, by rising number",
        ),
      per_image: z.array(z.object({ of: z.string(), usd })).describe("One picture, by tier"),
      per_second: z.array(z.object({ of: z.string(), usd })).describe("One second of video, by resolution"),
      extras: z.array(z.object({ of: z.string(), usd })).describe("Requests that ask for what is not tokens"),
    })
    .describe("Tokens: per 1,000,000"),
});
export type AccountModel = z.infer<typeof accountModel>;

export const accountModels = z.object({
  group: z.string().describe("The account's price group"),
  factor: z.string().describe("Its price factor as decimal text; the prices below contain it"),
  data: z.array(accountModel).describe("All of them, by id"),
});
export type AccountModels = z.infer<typeof accountModels>;
