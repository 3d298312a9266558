import { createLru } from "../base/lru.ts";

/** Keys by models; what is forgotten is learnt anew within one response. */
const MAX_KNOWN = 20_000;

/** Part of a new answer in the figure: a few answers move it, one alone does not decide it. */
const WEIGHT = 0.25;

/** How long the responses are that a key gets from a model, as this process has seen them. */
export interface LearntOutput {
  /** Output tokens of one response; undefined = none was seen yet. */
  of(key: string, model: string): number | undefined;
  /** A response that gave nothing, as it failed or was cut, says nothing about the next. */
  learn(key: string, model: string, output: number): void;
}

export function createLearntOutput(): LearntOutput {
  const known = createLru<string, { tokens: number }>(MAX_KNOWN);
  return {
    of: (key, model) => known.get(`${key} ${model}`)?.tokens,
    learn(key, model, output) {
      if (output <= 0) return;
      const name = `${key} ${model}`;
      const figure = known.get(name);
      if (figure === undefined) known.set(name, { tokens: output });
      else figure.tokens += (output - figure.tokens) * WEIGHT;
    },
  };
}
