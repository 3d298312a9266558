import { byClass, type TokenUsage, totalOutput } from "../../usage/usage.ts";
import type { JsonObject } from "../json.ts";

/**
 * The buckets as messages counts: cached and written input beside `input_tokens`, thoughts inside
 * `output_tokens` (rules 1 and 2). Streams state the same in `message_delta`, the whole and never an addition.
 * Callers add the three counts of input up, so that what was not reported is 0 and never null.
 */
export function encodeUsage(tokens: TokenUsage): JsonObject {
  const {
    inputUncached = 0,
    cacheRead = 0,
    cacheWrite5m = 0,
    cacheWrite1h = 0,
    outputReasoning,
  } = byClass(tokens);
  return {
    input_tokens: inputUncached,
    cache_creation_input_tokens: cacheWrite5m + cacheWrite1h,
    cache_read_input_tokens: cacheRead,
    cache_creation: { ephemeral_5m_input_tokens: cacheWrite5m, ephemeral_1h_input_tokens: cacheWrite1h },
    output_tokens: totalOutput(tokens),
    output_tokens_details: outputReasoning === undefined ? null : { thinking_tokens: outputReasoning },
    server_tool_use: null,
    service_tier: null,
    inference_geo: null,
  };
}
