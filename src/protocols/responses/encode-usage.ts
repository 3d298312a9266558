import { type TokenUsage, totalInput, totalOutput } from "../../usage/usage.ts";
import type { JsonObject } from "../json.ts";

/** The buckets as responses counts: all cached input inside the input, thoughts inside the output; both details always (rule 7). */
export function encodeUsage(tokens: TokenUsage): JsonObject {
  const input = totalInput(tokens);
  const output = totalOutput(tokens);
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: tokens.cacheRead ?? 0,
      cache_write_tokens: (tokens.cacheWrite5m ?? 0) + (tokens.cacheWrite1h ?? 0),
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: tokens.outputReasoning ?? 0 },
    total_tokens: input + output,
  };
}
