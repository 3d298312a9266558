import { byClass, type TokenUsage, totalInput, totalOutput } from "../../usage/usage.ts";
import type { JsonObject } from "../json.ts";

/** The buckets as chat completions counts: cached and written input inside the prompt, thoughts inside the completion. */
export function encodeUsage(tokens: TokenUsage): JsonObject {
  const input = totalInput(tokens);
  const output = totalOutput(tokens);
  const { cacheRead, cacheWrite5m, cacheWrite1h, outputReasoning } = byClass(tokens);
  const written = sum(cacheWrite5m, cacheWrite1h);
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: {
      cached_tokens: cacheRead ?? 0,
      cache_write_tokens: written,
    },
    completion_tokens_details: { reasoning_tokens: outputReasoning ?? 0 },
    cache_creation:
      cacheWrite1h === undefined
        ? undefined
        : {
            ephemeral_5m_input_tokens: cacheWrite5m ?? 0,
            ephemeral_1h_input_tokens: cacheWrite1h,
          },
  };
}

function sum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
}
