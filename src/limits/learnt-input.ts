import { createLru } from "../base/lru.ts";
import type { PromptBytes, TokenRates } from "./token-reserve.ts";

/** Keys by models; what is forgotten is learnt anew within some responses. */
const MAX_KNOWN = 20_000;

/** English has 5 bytes of text per token beside its signs; of dense text each byte may be a token. */
const AT_FIRST: TokenRates = { plain: 1 / 5, dense: 1 };

/** What is learnt of one kind of text is applied to others of its class, so no class falls below English. */
const LEAST = AT_FIRST.plain;
/** No tokenizer makes two tokens of a byte. */
const MOST = 1;

/** Part of a lower rate in the figure: one prompt that is easy to read does not open the limit for others that are not. */
const WEIGHT = 0.125;

/** Below, what the vendor adds around a prompt is much of its count. */
const LEAST_BYTES = 1_000;

/** How many tokens the bytes of a key's prompts have for a model, as this process has seen them. */
export interface LearntInput {
  of(key: string, model: string): TokenRates;
  /** Learns of the class that most of the bytes have. More tokens than bytes are not those of the body. */
  learn(key: string, model: string, bytes: PromptBytes, tokens: number): void;
}

export function createLearntInput(): LearntInput {
  const known = createLru<string, TokenRates>(MAX_KNOWN);
  const of = (key: string, model: string): TokenRates => known.get(`${key} ${model}`) ?? AT_FIRST;
  return {
    of,
    learn(key, model, { plain, dense }, tokens) {
      if (tokens <= 0 || tokens > plain + dense || plain + dense < LEAST_BYTES) return;
      const rates = of(key, model);
      const learnt =
        dense > plain
          ? { ...rates, dense: moved(rates.dense, (tokens - plain * rates.plain) / dense) }
          : { ...rates, plain: moved(rates.plain, (tokens - dense * rates.dense) / plain) };
      known.set(`${key} ${model}`, learnt);
    },
  };
}

/** Rises at once and falls slowly. */
function moved(rate: number, seen: number): number {
  const next = Math.min(MOST, Math.max(LEAST, seen));
  return next > rate ? next : rate + (next - rate) * WEIGHT;
}
