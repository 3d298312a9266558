import { keysOfTokenPrice, type TokenPriceName } from "../../catalog/token-prices.ts";
import { TOKEN_BUCKETS, type TokenBucket } from "../../usage/usage.ts";

/** The price of each bucket. */
export const PRICE_OF = {
  inputUncached: "input",
  cacheRead: "cacheRead",
  cacheReadExplicit: "cacheReadExplicit",
  cacheWrite5m: "cacheWrite",
  cacheWrite30m: "cacheWrite30m",
  cacheWrite1h: "cacheWrite1h",
  cacheWrite12h: "cacheWrite12h",
  outputVisible: "output",
  outputReasoning: "reasoning",
  audioInput: "audioInput",
  audioCacheRead: "audioCacheRead",
  audioOutput: "audioOutput",
  imageInput: "imageInput",
  imageCacheRead: "imageCacheRead",
  imageOutput: "imageOutput",
  videoInput: "videoInput",
  videoCacheRead: "videoCacheRead",
  videoOutput: "videoOutput",
} as const satisfies Readonly<Record<TokenBucket, TokenPriceName>>;

/** Returns the name under which operators see a bucket without a price, as the catalog file spells it: `audio_input`. */
export function bucketName(bucket: TokenBucket): string {
  return keysOfTokenPrice(PRICE_OF[bucket]).join("_");
}

/** The bucket of such a word; undefined = there is none. */
export function bucketByName(word: string): TokenBucket | undefined {
  return TOKEN_BUCKETS.find((bucket) => bucketName(bucket) === word);
}
