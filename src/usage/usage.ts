/** Why a request was sent to the place that it was last sent to, as receipts say it. */
export const PLACE_REASONS = [
  /** It is the own place of the request's conversation. */
  "affinity",
  /** The request belongs to no conversation: any place by weight. */
  "first_choice",
  /** The conversation was answered there before, though it is not its own place. */
  "moved",
  /** The request names by an id what is kept there. */
  "pinned",
  /** It has made the state that the request carries. */
  "state",
  /** The own place was full or not well, or has failed the request. */
  "failover",
] as const;

export type PlaceReason = (typeof PLACE_REASONS)[number];

/** Where a request was sent last. */
export interface AskedPlace {
  /** The name of the credential, which is its number where nobody has named it. */
  readonly credential: string;
  readonly reason: PlaceReason;
}

/**
 * What a request consumed, in buckets that never overlap: every token stands in exactly one of them,
 * so a price per bucket can never bill a token twice. Undefined means "not reported", which is not 0.
 */
export interface TokenUsage {
  readonly inputUncached?: number;
  readonly cacheRead?: number;
  readonly cacheWrite5m?: number;
  readonly cacheWrite1h?: number;
  readonly outputVisible?: number;
  readonly outputReasoning?: number;
}

export const TOKEN_BUCKETS = [
  "inputUncached",
  "cacheRead",
  "cacheWrite5m",
  "cacheWrite1h",
  "outputVisible",
  "outputReasoning",
] as const satisfies readonly (keyof TokenUsage)[];

export type TokenBucket = (typeof TOKEN_BUCKETS)[number];

/** All input tokens, cached or not. */
export function totalInput(usage: TokenUsage): number {
  return (
    (usage.inputUncached ?? 0) +
    (usage.cacheRead ?? 0) +
    (usage.cacheWrite5m ?? 0) +
    (usage.cacheWrite1h ?? 0)
  );
}

/** All output tokens, reasoning included. */
export function totalOutput(usage: TokenUsage): number {
  return (usage.outputVisible ?? 0) + (usage.outputReasoning ?? 0);
}

/** What a meter read off an upstream's answer. */
export interface MeteredUsage {
  readonly tokens: TokenUsage;
  /** The vendor's own usage object(s), as sent. */
  readonly raw?: unknown;
  /** Fields whose reported value was impossible (negative, fraction, above its total ...) and therefore ignored. */
  readonly hostile: readonly string[];
}

/**
 * The usage of several answers as one, bucket by bucket, each at most MAX_TOKENS_REPORTED; what none of them reported
 * stays unreported.
 */
export function sumTokens(parts: readonly TokenUsage[]): TokenUsage {
  const sum: Partial<Record<TokenBucket, number>> = {};
  for (const bucket of TOKEN_BUCKETS) {
    const counts = parts.flatMap((part) => part[bucket] ?? []);
    const total = counts.reduce((sumSoFar, count) => sumSoFar + count, 0);
    if (counts.length > 0) sum[bucket] = Math.min(total, MAX_TOKENS_REPORTED);
  }
  return sum;
}

/** The same with the vendors' own objects, in order. */
export function sumUsage(parts: readonly MeteredUsage[]): MeteredUsage {
  return {
    tokens: sumTokens(parts.map(({ tokens }) => tokens)),
    raw: parts.map(({ raw }) => raw ?? null),
    hostile: [...new Set(parts.flatMap(({ hostile }) => hostile))],
  };
}

/** A count above this is no real answer but an attack or a bug; no context window comes near it. */
export const MAX_TOKENS_REPORTED = 1_000_000_000;

/** A token count as a vendor may state it: a whole number from 0 to MAX_TOKENS_REPORTED, else undefined. */
export function readCount(value: unknown): number | undefined {
  return typeof value === "number" &&
    Number.isSafeInteger(value) &&
    value >= 0 &&
    value <= MAX_TOKENS_REPORTED
    ? value
    : undefined;
}

/**
 * What an image or video consumed, in the units it is priced by. Words are those of the price book in
 * lower case: tiers ("1k", "2k", "4k") and resolutions ("720p", "768p").
 */
export interface MediaUnits {
  /** Images by tier. */
  readonly images?: Readonly<Record<string, number>>;
  /** Whole seconds of video by resolution; parts of a second round up. */
  readonly videoSeconds?: Readonly<Record<string, number>>;
}
