import { z } from "zod";
import type { responsesFields } from "./forward.ts";

/** A responses request: the listed fields. Fields that are not listed are passed on. */
export const responsesRequest = z.looseObject({
  model: z.string().describe("Model id"),
  input: z
    .union([z.string(), z.array(z.looseObject({}))])
    .describe("A string equals one user message; an array holds messages and items"),
  instructions: z.string().nullish().describe("Acts like a system message"),
  stream: z.boolean().nullish().describe("`true` returns an event stream"),
  max_output_tokens: z.int().nullish().describe("Includes reasoning tokens"),
  reasoning: z
    .looseObject({
      effort: z.string().nullish().describe("`minimal`, `low`, `medium` or `high`, depending on the model"),
      summary: z.string().nullish().describe("`auto`, `concise` or `detailed`"),
    })
    .nullish(),
  tools: z
    .array(
      z.looseObject({
        type: z.string().describe("`function`, or `mcp` with a server"),
        name: z.string().optional(),
        description: z.string().nullish(),
        parameters: z.looseObject({}).nullish().describe("JSON Schema"),
      }),
    )
    .nullish(),
  tool_choice: z
    .union([z.string(), z.looseObject({ type: z.string() })])
    .nullish()
    .describe("`auto`, `none`, `required` or one function"),
  text: z
    .looseObject({ format: z.looseObject({ type: z.string() }).optional() })
    .nullish()
    .describe("Structured output"),
  temperature: z.number().nullish().describe("Reasoning models usually do not support it"),
  previous_response_id: z.string().nullish().describe("Works only if the upstream stored that response"),
  store: z.boolean().nullish().describe("Ask the upstream to store the response"),
} satisfies Record<keyof typeof responsesFields.listed, z.ZodType>);

/** A plain responses answer. */
export const responsesResponse = z.looseObject({
  id: z.string(),
  object: z.literal("response"),
  created_at: z.number().describe("Unix time"),
  status: z.string().describe("`completed`, `incomplete`, `failed` or `in_progress`"),
  model: z.string(),
  output: z
    .array(z.looseObject({ type: z.string() }))
    .describe("`message`, `reasoning` and `function_call` items in the order of generation"),
  usage: z
    .looseObject({
      input_tokens: z.int(),
      input_tokens_details: z.looseObject({ cached_tokens: z.int() }),
      output_tokens: z.int().describe("Includes reasoning tokens"),
      output_tokens_details: z.looseObject({ reasoning_tokens: z.int() }),
      total_tokens: z.int(),
    })
    .nullish(),
});
