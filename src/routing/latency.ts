/** Weight of the latest stream in the average; after ten more streams, it hardly counts. */
const LATEST_SHARE = 0.2;

/** Exponent: an upstream that takes twice as long gets a sixteenth of the share. */
const STEEPNESS = 4;

/** The least part of its weight that a slow place keeps, so that one that has become quick is found. */
const MIN_FACTOR = 0.05;

/** How long a model's streams take to begin at one upstream: a moving average, in this process. */
export class Latency {
  #ms: number | undefined;

  learn(ms: number): void {
    const before = this.#ms ?? ms;
    this.#ms = Math.max(1, before + LATEST_SHARE * (ms - before));
  }

  /** Undefined = none has begun yet. */
  get ms(): number | undefined {
    return this.#ms;
  }
}

/** The part of its weight that a place keeps beside the quickest; all of it while one of them is not known. */
export function latencyFactor(latency: Latency | undefined, quickestMs: number | undefined): number {
  if (latency?.ms === undefined || quickestMs === undefined) return 1;
  return Math.max(MIN_FACTOR, (quickestMs / latency.ms) ** STEEPNESS);
}

/** Undefined = the model's upstreams are not preferred by latency, or none of these is known yet. */
export function quickestOf(
  upstreams: readonly { readonly latency: Latency | undefined }[],
): number | undefined {
  let quickestMs: number | undefined;
  for (const { latency } of upstreams) {
    if (latency?.ms !== undefined) quickestMs = Math.min(latency.ms, quickestMs ?? latency.ms);
  }
  return quickestMs;
}
