import { byClass, type TokenUsage, totalInput, totalOutput } from "../../usage/usage.ts";
import type { JsonObject } from "../json.ts";

/**
 * The buckets as generateContent counts: cached input inside the prompt, thoughts beside the candidates
 * (rule 3). Cache writes have no count of their own; they are input like any other.
 */
export function encodeUsage(tokens: TokenUsage): JsonObject {
  const input = totalInput(tokens);
  const { cacheRead, outputVisible = 0, outputReasoning } = byClass(tokens);
  return {
    promptTokenCount: input,
    candidatesTokenCount: outputVisible,
    totalTokenCount: input + totalOutput(tokens),
    cachedContentTokenCount: cacheRead,
    thoughtsTokenCount: outputReasoning,
  };
}
