import { createLru } from "../../base/lru.ts";

/** A request whose input its vendor has counted. */
export interface CountedSample {
  readonly body: Uint8Array;
  readonly reportedTokens: number;
}

/** Beyond these bounds it is the report that is odd, or the request that held more than its body. */
const MIN = 0.8;
const MAX = 2;

/** Each new ratio counts so much, so that one odd request moves it little. */
const WEIGHT = 0.3;

/** Models of which something is kept; each sample has a few KB. */
const MODELS = 500;
const SAMPLES = 4;
const SAMPLE_BYTES = 16 * 1024;

/** Below, what the vendor adds around a prompt is most of its count. */
const MIN_TOKENS = 16;

/**
 * Ratio between a vendor's reported count and that of the local tokenizer, learnt from a few small requests of each
 * model. Samples are kept until something is counted, because counting them occupies a thread.
 */
export class LearntFactor {
  readonly #factors = createLru<string, { readonly value: number }>(MODELS);
  readonly #samples = createLru<string, readonly CountedSample[]>(MODELS);

  /** The factor for a local count; 1 if nothing is known. */
  of(model: string): number {
    return this.#factors.get(model)?.value ?? 1;
  }

  /** Keeps a request to learn from, if it is small enough and there is no newer one in plenty. */
  keep(model: string, body: readonly Uint8Array[], reportedTokens: number): void {
    const bytes = body.reduce((sum, { length }) => sum + length, 0);
    if (bytes > SAMPLE_BYTES || reportedTokens < MIN_TOKENS) return;
    const kept = this.#samples.get(model) ?? [];
    if (kept.length >= SAMPLES) return;
    this.#samples.set(model, [...kept, { body: Buffer.concat(body), reportedTokens }]);
  }

  /** Returns the samples of a model and forgets them. */
  take(model: string): readonly CountedSample[] {
    const kept = this.#samples.get(model) ?? [];
    if (kept.length > 0) this.#samples.set(model, []);
    return kept;
  }

  /** Learns from samples whose local count is now known. */
  learn(model: string, samples: readonly CountedSample[], counted: readonly number[]): void {
    samples.forEach(({ reportedTokens }, index) => {
      const ratio = reportedTokens / Math.max(1, counted[index] ?? reportedTokens);
      const before = this.#factors.get(model)?.value;
      const next = before === undefined ? ratio : before + WEIGHT * (ratio - before);
      this.#factors.set(model, { value: Math.min(MAX, Math.max(MIN, next)) });
    });
  }
}
