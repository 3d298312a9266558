import { z } from "zod";
import type { chatCompletionsFields } from "./forward.ts";

/** A chat completions request: the listed fields. Fields that are not listed are passed on. */
export const chatCompletionsRequest = z.looseObject({
  model: z.string().describe("Model id"),
  messages: z
    .array(
      z.looseObject({
        role: z.enum(["system", "developer", "user", "assistant", "tool"]),
        content: z
          .union([
            z.string(),
            z.array(
              z.looseObject({
                type: z.string().describe("`text` or `image_url`"),
                text: z.string().optional(),
                image_url: z.looseObject({ url: z.string() }).optional(),
              }),
            ),
          ])
          .nullish()
          .describe("Plain text, or parts for multimodal input; optional with `tool_calls`"),
        name: z.string().nullish().describe("Participant name"),
        tool_calls: z
          .array(z.looseObject({}))
          .nullish()
          .describe("On assistant messages, sent back unchanged"),
        tool_call_id: z.string().nullish().describe("On tool messages"),
      }),
    )
    .describe("Chronological list"),
  stream: z.boolean().nullish().describe("`true` returns an event stream"),
  stream_options: z
    .looseObject({ include_usage: z.boolean().nullish() })
    .nullish()
    .describe("Effective only when `stream` is true"),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  max_tokens: z.int().nullish().describe("Maximum generated tokens"),
  max_completion_tokens: z.int().nullish().describe("Maximum generated tokens, including reasoning"),
  reasoning_effort: z.string().nullish().describe("Usually `low`, `medium` or `high`"),
  stop: z
    .union([z.string(), z.array(z.string()).max(4)])
    .nullish()
    .describe("At most 4 stop sequences"),
  n: z.int().nullish().describe("Number of choices, default 1"),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  seed: z.int().nullish().describe("Best-effort reproducibility"),
  tools: z
    .array(
      z.looseObject({
        type: z.string(),
        function: z
          .looseObject({
            name: z.string(),
            description: z.string().optional(),
            parameters: z.looseObject({}).optional().describe("JSON Schema"),
          })
          .optional(),
      }),
    )
    .nullish(),
  tool_choice: z
    .union([z.string(), z.looseObject({ type: z.string() })])
    .nullish()
    .describe("`none`, `auto`, `required` or one function"),
  parallel_tool_calls: z.boolean().nullish(),
  response_format: z
    .looseObject({ type: z.string() })
    .nullish()
    .describe("`json_object`, or `json_schema` with a schema"),
  user: z.string().nullish().describe("End-user identifier for the upstream's abuse monitoring"),
} satisfies Record<keyof typeof chatCompletionsFields.listed, z.ZodType>);

/** A plain chat completions answer. */
export const chatCompletionsResponse = z.looseObject({
  id: z.string(),
  object: z.literal("chat.completion"),
  created: z.int().describe("Unix time"),
  model: z.string().describe("Model actually used"),
  choices: z.array(
    z.looseObject({
      index: z.int(),
      message: z.looseObject({
        role: z.literal("assistant"),
        content: z.string().nullish(),
        reasoning_content: z.string().nullish().describe("Reasoning"),
        tool_calls: z.array(z.looseObject({})).optional(),
      }),
      finish_reason: z.string().nullable().describe("`stop`, `length`, `tool_calls` or `content_filter`"),
    }),
  ),
  usage: z
    .looseObject({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() })
    .optional(),
});
