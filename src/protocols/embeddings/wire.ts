import { z } from "zod";
import type { embeddingsFields } from "./forward.ts";

/** An embeddings request. Fields that are not listed are passed on. */
export const embeddingsRequest = z.looseObject({
  model: z.string().describe("Model id"),
  input: z
    .union([z.string(), z.array(z.unknown())])
    .describe("One text, several texts, or texts as token numbers"),
  encoding_format: z.string().nullish().describe("`float` or `base64`"),
  dimensions: z.int().nullish(),
  user: z.string().nullish(),
} satisfies Record<keyof typeof embeddingsFields.listed, z.ZodType>);

/** An embeddings answer. */
export const embeddingsResponse = z.looseObject({
  object: z.literal("list"),
  data: z.array(
    z.looseObject({
      object: z.literal("embedding"),
      index: z.int(),
      embedding: z.union([z.array(z.number()), z.string()]),
    }),
  ),
  model: z.string(),
  usage: z.looseObject({ prompt_tokens: z.int(), total_tokens: z.int() }).optional(),
});
