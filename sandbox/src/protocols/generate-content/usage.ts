import type { Exchange } from "../../exchange.ts";
import type { JsonObject } from "../../json.ts";
import { servedTier } from "../../service.ts";
import { inputTotal } from "../../usage.ts";
import { CACHED_OVER_BY, spoilUsage } from "../../usage-fault.ts";

/**
 * `usageMetadata` with the given output so far: every chunk of a stream carries it, cumulative.
 * Thoughts stand beside candidates; counters that are zero are left out, as the vendor does.
 */
export function encodeUsage(
  exchange: Exchange,
  candidates: number,
  thoughts: number,
): JsonObject | undefined {
  const prompt = inputTotal(exchange.usage);
  const cached = exchange.usageFault === "cached_over" ? prompt + CACHED_OVER_BY : exchange.usage.cacheRead;
  return spoilUsage(
    {
      promptTokenCount: prompt,
      cachedContentTokenCount: cached || undefined,
      candidatesTokenCount: candidates || undefined,
      totalTokenCount: prompt + candidates + thoughts,
      promptTokensDetails: [{ modality: "TEXT", tokenCount: prompt }],
      cacheTokensDetails: cached ? [{ modality: "TEXT", tokenCount: cached }] : undefined,
      thoughtsTokenCount: thoughts || undefined,
      serviceTier: servedTier(exchange, "standard"),
    },
    exchange.usageFault,
  );
}
