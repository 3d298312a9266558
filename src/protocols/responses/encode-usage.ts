import { byClass, type TokenUsage, totalInput, totalOutput } from "../../usage/usage.ts";
import type { JsonObject } from "../json.ts";

/** The buckets as responses counts: all cached input inside the input, thoughts inside the output; both details always (rule 7). */
export function encodeUsage(tokens: TokenUsage): JsonObject {
  const input = totalInput(tokens);
  const output = totalOutput(tokens);
  const { cacheRead = 0, cacheWrite5m = 0, cacheWrite1h = 0, outputReasoning = 0 } = byClass(tokens);
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: cacheRead,
      cache_write_tokens: cacheWrite5m + cacheWrite1h,
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: outputReasoning },
    total_tokens: input + output,
  };
}
