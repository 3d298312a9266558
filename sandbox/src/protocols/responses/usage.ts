import type { Exchange } from "../../exchange.ts";
import type { JsonObject } from "../../json.ts";
import { inputTotal, outputTotal } from "../../usage.ts";
import { CACHED_OVER_BY, spoilUsage } from "../../usage-fault.ts";

/** The `usage` object: both detail objects are always there, even when zero. */
export function encodeUsage({ usage, usageFault }: Exchange): JsonObject | undefined {
  const input = inputTotal(usage);
  const output = outputTotal(usage);
  const cached = usageFault === "cached_over" ? input + CACHED_OVER_BY : usage.cacheRead;
  return spoilUsage(
    {
      input_tokens: input,
      input_tokens_details: { cached_tokens: cached, cache_write_tokens: 0 },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: usage.outputReasoning },
      total_tokens: input + output,
    },
    usageFault,
  );
}
