import { type TokenUsage, totalOutput } from "../../usage/usage.ts";
import type { JsonObject } from "../json.ts";

/**
 * The buckets as messages counts: cached and written input beside `input_tokens`, thoughts inside
 * `output_tokens` (rules 1 and 2). Streams state the same in `message_delta`, the whole and never an addition.
 */
export function encodeUsage(tokens: TokenUsage): JsonObject {
  const { inputUncached, cacheRead, cacheWrite5m, cacheWrite1h, outputReasoning } = tokens;
  const written = cacheWrite5m !== undefined || cacheWrite1h !== undefined;
  return {
    input_tokens: inputUncached ?? 0,
    cache_creation_input_tokens: written ? (cacheWrite5m ?? 0) + (cacheWrite1h ?? 0) : null,
    cache_read_input_tokens: cacheRead ?? null,
    cache_creation: written
      ? { ephemeral_5m_input_tokens: cacheWrite5m ?? 0, ephemeral_1h_input_tokens: cacheWrite1h ?? 0 }
      : null,
    output_tokens: totalOutput(tokens),
    output_tokens_details: outputReasoning === undefined ? null : { thinking_tokens: outputReasoning },
    server_tool_use: null,
    service_tier: null,
    inference_geo: null,
  };
}
