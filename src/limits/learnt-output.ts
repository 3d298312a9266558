import { createLru } from "../base/lru.ts";

/** Maximum number of pairs of key and model. A forgotten pair is learnt again with one response. */
const MAX_KNOWN = 20_000;

/** Weight of a new response in the average: a few responses change it, a single one does not decide it. */
const WEIGHT = 0.25;

/** Usual length of the responses that a key gets from a model, as this process has observed them. */
export interface LearntOutput {
  /** Output tokens of one response; undefined = none was observed yet. */
  of(key: string, model: string): number | undefined;
  /** A response without output (failed or cancelled) says nothing about the next and is ignored. */
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
