import { TOKEN_BUCKETS } from "./usage.ts";

/**
 * Every bucket of tokens that can have a price of its own. As those of TokenUsage they never overlap: cached sound is
 * `audioCacheRead` and neither `audioInput` nor `cacheRead`.
 */
export const PRICED_BUCKETS = [
  ...TOKEN_BUCKETS,
  "cacheReadExplicit",
  "cacheWrite30m",
  "cacheWrite12h",
  "audioInput",
  "audioCacheRead",
  "audioOutput",
  "imageInput",
  "imageCacheRead",
  "imageOutput",
  "videoInput",
  "videoCacheRead",
  "videoOutput",
] as const;

export type PricedBucket = (typeof PRICED_BUCKETS)[number];

/** Tokens of one pass over a conversation; a TokenUsage is one. */
export type PassUsage = Readonly<Partial<Record<PricedBucket, number>>>;

/** Uses of a tool that the vendor runs and bills. */
export interface CallCount {
  /** As a price table calls it: "web_search". */
  readonly tool: string;
  /** Where the vendor's price goes by size: "low". */
  readonly size?: string;
  readonly count: number;
}

/** What vendors count beside tokens. */
export const PRICED_UNITS = ["search", "page", "audio_second", "video_second", "image", "character"] as const;

export type PricedUnit = (typeof PRICED_UNITS)[number];

/** All that one request is charged for. */
export interface PricedUsage {
  /** One, unless the vendor ran tools and says what each pass used: prices by length go by the input of one pass. */
  readonly passes: readonly PassUsage[];
  readonly calls?: readonly CallCount[];
  readonly units?: Readonly<Partial<Record<PricedUnit, number>>>;
}
