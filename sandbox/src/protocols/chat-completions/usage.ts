import type { Exchange } from "../../exchange.ts";
import type { JsonObject } from "../../json.ts";
import { inputTotal, outputTotal } from "../../usage.ts";
import { CACHED_OVER_BY, spoilUsage } from "../../usage-fault.ts";

/** The `usage` object: cached input is part of `prompt_tokens`, reasoning part of `completion_tokens`. */
export function encodeUsage({ usage, usageFault }: Exchange): JsonObject | undefined {
  const prompt = inputTotal(usage);
  const completion = outputTotal(usage);
  const cached = usageFault === "cached_over" ? prompt + CACHED_OVER_BY : usage.cacheRead;
  return spoilUsage(
    {
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: prompt + completion,
      prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
      completion_tokens_details: {
        reasoning_tokens: usage.outputReasoning,
        audio_tokens: 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
    },
    usageFault,
  );
}
