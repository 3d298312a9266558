import type { Exchange } from "../../exchange.ts";
import type { JsonObject } from "../../json.ts";
import { servedPlace, servedTier } from "../../service.ts";
import { outputTotal } from "../../usage.ts";
import { CACHED_OVER_BY, spoilUsage } from "../../usage-fault.ts";

/** The output count of `message_start`: only its opening tokens are known by then. */
const OPENING_OUTPUT_TOKENS = 1;

/** The `usage` of a whole message; `input_tokens` is only what no cache read or wrote. */
export function encodeUsage(exchange: Exchange): JsonObject | undefined {
  return spoilUsage(
    fullUsage(exchange, outputTotal(exchange.usage), exchange.usage.outputReasoning),
    exchange.usageFault,
  );
}

export function encodeOpeningUsage(exchange: Exchange): JsonObject | undefined {
  const output = Math.min(OPENING_OUTPUT_TOKENS, outputTotal(exchange.usage));
  return spoilUsage(fullUsage(exchange, output, 0), exchange.usageFault);
}

/** The cumulative `usage` of `message_delta`. */
export function encodeClosingUsage(exchange: Exchange): JsonObject | undefined {
  const {
    cache_creation: _,
    service_tier: _tier,
    inference_geo: _geo,
    speed: _speed,
    ...closing
  } = fullUsage(exchange, outputTotal(exchange.usage), exchange.usage.outputReasoning);
  return spoilUsage(closing, exchange.usageFault);
}

function fullUsage(exchange: Exchange, output: number, thinking: number): JsonObject {
  const { usage, usageFault } = exchange;
  const over = usageFault === "cached_over" ? CACHED_OVER_BY : 0;
  return {
    input_tokens: usage.inputUncached,
    cache_creation_input_tokens: usage.cacheWrite5m + usage.cacheWrite1h,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation: {
      // `cached_over` here: the split says more than the sum, the only contradiction this form allows.
      ephemeral_5m_input_tokens: usage.cacheWrite5m + over,
      ephemeral_1h_input_tokens: usage.cacheWrite1h,
    },
    output_tokens: output,
    output_tokens_details: { thinking_tokens: thinking },
    server_tool_use: null,
    service_tier: servedTier(exchange, "standard"),
    ...servedPlace(exchange),
  };
}
