import { createLru } from "../base/lru.ts";
import type { PromptBytes, TokenRates } from "./token-reserve.ts";

/** Maximum number of pairs of key and model. A forgotten pair is learnt again within a few responses. */
const MAX_KNOWN = 20_000;

/** Initial rates: English has 5 bytes per token beside punctuation; in dense text each byte may be a token. */
const AT_FIRST: TokenRates = { plain: 1 / 5, dense: 1 };

/** A rate learnt from one kind of text applies to others of its class, so no class falls below English. */
const LEAST = AT_FIRST.plain;
/** No tokenizer makes two tokens of one byte. */
const MOST = 1;

/** Weight of a lower rate in the average. One prompt with few tokens per byte must not raise the limit for others. */
const WEIGHT = 0.125;

/** In shorter prompts, much of the count is what the vendor adds around them. */
const LEAST_BYTES = 1_000;

/** Tokens per byte of a key's prompts for a model, as this process has observed them. */
export interface LearntInput {
  of(key: string, model: string): TokenRates;
  /**
   * Learns the rate of the class to which most of the bytes belong. A count above the number of bytes can't be of the
   * body alone, and is ignored.
   */
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

/** Follows a higher rate at once and a lower one slowly. */
function moved(rate: number, seen: number): number {
  const next = Math.min(MOST, Math.max(LEAST, seen));
  return next > rate ? next : rate + (next - rate) * WEIGHT;
}
