import { z } from "zod";
import type { rerankFields } from "./forward.ts";

/** A rerank request. Fields that are not listed are passed on. */
export const rerankRequest = z.looseObject({
  model: z.string().describe("Model id"),
  query: z.union([z.string(), z.looseObject({})]),
  documents: z.array(z.union([z.string(), z.looseObject({})])),
  top_n: z.int().nullish().describe("How many results; all by default"),
  return_documents: z.boolean().nullish(),
} satisfies Record<keyof typeof rerankFields.listed, z.ZodType>);

/** A rerank answer. */
export const rerankResponse = z.looseObject({
  results: z.array(
    z.looseObject({
      index: z.int().describe("Index in the request's documents"),
      relevance_score: z.number(),
      document: z.unknown().optional(),
    }),
  ),
  usage: z.looseObject({ total_tokens: z.int() }).optional(),
});
