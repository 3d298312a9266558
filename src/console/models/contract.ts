import { z } from "zod";
import { PROTOCOL_NAMES } from "../../conversation/protocol-name.ts";

const usd = z.string().describe("US dollars as an exact decimal string, including the group's multiplier");

const modelEndpoint = z.enum([...PROTOCOL_NAMES, "images", "videos"]);
export type ModelEndpoint = z.infer<typeof modelEndpoint>;

const tokenPrices = {
  input: usd.nullable(),
  output: usd.nullable(),
  reasoning: usd.nullable().describe("null = as output"),
  cache_read: usd.nullable().describe("null = as input"),
  cache_write: usd.nullable().describe("null = as input"),
  cache_write_1h: usd.nullable().describe("null = as cache_write"),
  other_tokens: z
    .array(z.object({ of: z.string(), usd }))
    .describe("Other token prices, by their keys in the catalog file: audio.input, cache_read_explicit"),
};

const accountModel = z.object({
  id: z.string().describe("Model id to send as `model`"),
  alias_of: z.string().nullable().describe("Target of an alias; null = not an alias"),
  modality: z
    .enum(["text", "embedding", "rerank", "image", "video"])
    .describe("Output type, derived from its endpoints"),
  family: z.string().nullable().describe("Image or video family, as in /v1/capabilities; null = text"),
  owned_by: z.string(),
  created: z.int().describe("Creation time in Unix seconds"),
  endpoints: z.array(modelEndpoint).describe("Endpoints available to the account"),
  context_tokens: z.int().nullable(),
  max_output_tokens: z.int().nullable(),
  price: z
    .object({
      ...tokenPrices,
      steps: z
        .array(z.object({ above: z.int(), ...tokenPrices }))
        .describe(
          "Prices that replace these if the whole input of a request exceeds `above` tokens, in ascending order",
        ),
      tiers: z
        .array(z.object({ tier: z.string(), ...tokenPrices }))
        .describe("Service tiers with their own prices, for any length of input"),
      factors: z
        .array(
          z.object({
            dimension: z.enum(["tier", "speed", "region", "hours"]),
            name: z.string(),
            factor: z.string().describe("Multiplier of all token prices, as a decimal string"),
            utc: z.array(z.string()).describe("Ranges of the day (UTC), for multipliers by hour").optional(),
            days: z
              .array(z.int())
              .describe("Days of the week, for multipliers by hour; 1 = Monday; absent = every day")
              .optional(),
          }),
        )
        .describe("Multipliers of token prices, by speed, region and time of acceptance"),
      per_image: z.array(z.object({ of: z.string(), usd })).describe("US dollars per image, by tier"),
      per_second: z
        .array(z.object({ of: z.string(), usd }))
        .describe("US dollars per second of video, by resolution"),
      calls: z
        .array(z.object({ of: z.string(), per: z.enum(["use", "request"]), usd }))
        .describe(
          "Prices of tools run by the vendor, list prices included; per request = charged at most once",
        ),
      units: z
        .array(z.object({ of: z.string(), usd }))
        .describe("Prices of units other than tokens: search, page ..."),
      request: usd.nullable().describe("Price per request"),
    })
    .describe("Prices; tokens per 1,000,000"),
});
export type AccountModel = z.infer<typeof accountModel>;

const capability = z.object({
  id: z.string(),
  family: z.string(),
  medium: z.enum(["image", "video"]),
  submit: z.string().describe("Path that takes the request"),
  request: z.record(z.string(), z.unknown()).describe("JSON Schema of the request without its model"),
});
export type Capability = z.infer<typeof capability>;

export const accountCapabilities = z.object({ data: z.array(capability) });

export const accountModels = z.object({
  group: z.string().describe("The account's price group"),
  factor: z.string().describe("Its price multiplier as a decimal string, included in the prices below"),
  data: z.array(accountModel).describe("All models, by id"),
});
export type AccountModels = z.infer<typeof accountModels>;
