import { z } from "zod";
import type { messagesFields } from "./forward.ts";

const block = z.looseObject({
  type: z.string().describe("`text`, `image`, `document`, `tool_use`, `tool_result` ..."),
  cache_control: z
    .looseObject({ type: z.literal("ephemeral"), ttl: z.enum(["5m", "1h"]).optional() })
    .nullish()
    .describe("Caches the prefix up to here; `1h` needs its beta header"),
});

/** A messages request: the listed fields. Fields that are not listed are passed on. */
export const messagesRequest = z.looseObject({
  model: z.string().describe("Model id"),
  messages: z
    .array(
      z.looseObject({
        role: z.string().describe("`user` and `assistant` alternate"),
        content: z.union([z.string(), z.array(block)]),
      }),
    )
    .describe("Chronological list"),
  max_tokens: z.int().describe("Maximum generated tokens"),
  system: z
    .union([z.string(), z.array(block)])
    .nullish()
    .describe("An array of blocks with `cache_control`"),
  stream: z.boolean().nullish().describe("`true` returns an event stream"),
  temperature: z.number().min(0).max(1).nullish(),
  top_p: z.number().nullish(),
  top_k: z.int().nullish(),
  stop_sequences: z.array(z.string()).nullish(),
  thinking: z
    .looseObject({ type: z.string(), budget_tokens: z.int().optional() })
    .nullish()
    .describe("`budget_tokens` must be less than `max_tokens`"),
  tools: z
    .array(
      z.looseObject({
        name: z.string().optional(),
        description: z.string().optional(),
        input_schema: z.looseObject({}).optional().describe("JSON Schema"),
      }),
    )
    .nullish(),
  tool_choice: z.looseObject({ type: z.string() }).nullish().describe("`auto`, `any`, `tool` or `none`"),
  metadata: z.looseObject({ user_id: z.string().nullish() }).nullish(),
} satisfies Record<keyof typeof messagesFields.listed, z.ZodType>);

/** A plain messages answer. */
export const messagesResponse = z.looseObject({
  id: z.string(),
  type: z.literal("message"),
  role: z.literal("assistant"),
  model: z.string(),
  content: z.array(z.looseObject({ type: z.string() })).describe("`text`, `thinking` and `tool_use` blocks"),
  stop_reason: z
    .string()
    .nullable()
    .describe("`end_turn`, `max_tokens`, `stop_sequence`, `tool_use`, `pause_turn` or `refusal`"),
  stop_sequence: z.string().nullish(),
  usage: z.looseObject({
    input_tokens: z.int().describe("Uncached input"),
    output_tokens: z.int(),
    cache_creation_input_tokens: z.int().nullish(),
    cache_read_input_tokens: z.int().nullish(),
    cache_creation: z
      .looseObject({ ephemeral_5m_input_tokens: z.int(), ephemeral_1h_input_tokens: z.int() })
      .nullish(),
  }),
});
