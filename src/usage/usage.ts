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

/** The place where a request was sent last. */
export interface AskedPlace {
  /** The name of the credential, which is its number where nobody has named it. */
  readonly credential: string;
  readonly reason: PlaceReason;
}

/** Classes of tokens that every vendor knows, and by which statistics are kept. */
export const TOKEN_CLASSES = [
  "inputUncached",
  "cacheRead",
  "cacheWrite5m",
  "cacheWrite1h",
  "outputVisible",
  "outputReasoning",
] as const;

export type TokenClass = (typeof TOKEN_CLASSES)[number];

/** Buckets that some vendors tell apart within a class, since they bill them otherwise. */
const PARTS = {
  cacheReadExplicit: "cacheRead",
  cacheWrite30m: "cacheWrite5m",
  cacheWrite12h: "cacheWrite1h",
  audioInput: "inputUncached",
  audioCacheRead: "cacheRead",
  audioOutput: "outputVisible",
  imageInput: "inputUncached",
  imageCacheRead: "cacheRead",
  imageOutput: "outputVisible",
  videoInput: "inputUncached",
  videoCacheRead: "cacheRead",
  videoOutput: "outputVisible",
} as const satisfies Readonly<Record<string, TokenClass>>;

type TokenPart = keyof typeof PARTS;

const TOKEN_PARTS = Object.keys(PARTS) as TokenPart[];

export type TokenBucket = TokenClass | TokenPart;

/** Every bucket that can have a price of its own. */
export const TOKEN_BUCKETS: readonly TokenBucket[] = [...TOKEN_CLASSES, ...TOKEN_PARTS];

/**
 * The tokens of a request in buckets that never overlap: every token is in exactly one of them (cached audio is
 * `audioCacheRead` and neither `audioInput` nor `cacheRead`), so a price per bucket can never bill a token twice. Undefined
 * means "not reported", which is not 0.
 */
export type TokenUsage = Readonly<Partial<Record<TokenBucket, number>>>;

/** Groups the buckets by class. */
export function byClass(usage: TokenUsage): Readonly<Partial<Record<TokenClass, number>>> {
  let classes: Partial<Record<TokenClass, number>> | undefined;
  for (const part of TOKEN_PARTS) {
    const tokens = usage[part];
    if (tokens === undefined) continue;
    classes ??= Object.fromEntries(
      TOKEN_CLASSES.flatMap((name) => (usage[name] === undefined ? [] : [[name, usage[name]]])),
    );
    const name = PARTS[part];
    classes[name] = Math.min((classes[name] ?? 0) + tokens, MAX_TOKENS_REPORTED);
  }
  return classes ?? usage;
}

/** True if any bucket is one that only some vendors tell apart. */
export function hasParts(usage: TokenUsage): boolean {
  return TOKEN_PARTS.some((part) => usage[part] !== undefined);
}

/** All input tokens, cached or not. */
export function totalInput(usage: TokenUsage): number {
  return totalOf(usage, INPUT_BUCKETS);
}

/** All output tokens, reasoning included. */
export function totalOutput(usage: TokenUsage): number {
  return totalOf(usage, OUTPUT_BUCKETS);
}

/** Input that was read from a cache or written to it. */
export function totalCached(usage: TokenUsage): number {
  return totalOf(usage, CACHE_BUCKETS);
}

/** True if tokens of a bucket were written by the model. */
export function isOutput(bucket: TokenBucket): boolean {
  const name: TokenClass = bucket in PARTS ? PARTS[bucket as TokenPart] : (bucket as TokenClass);
  return name === "outputVisible" || name === "outputReasoning";
}

const INPUT_BUCKETS = TOKEN_BUCKETS.filter((bucket) => !isOutput(bucket));
const OUTPUT_BUCKETS = TOKEN_BUCKETS.filter(isOutput);

const CACHE_BUCKETS = TOKEN_BUCKETS.filter((bucket) => /cache(Read|Write)/i.test(bucket));

function totalOf(usage: TokenUsage, buckets: readonly TokenBucket[]): number {
  let tokens = 0;
  for (const bucket of buckets) tokens += usage[bucket] ?? 0;
  return tokens;
}

/** Uses of a tool that the vendor runs and bills. */
export interface CallCount {
  /** Name of the tool in price tables: "web_search". */
  readonly tool: string;
  /** Size, if the vendor's price depends on it: "low". */
  readonly size?: string;
  /** 0 = the vendor says that it has not run: then nothing is paid for its offer either. */
  readonly count: number;
}

/** Units that responses count besides tokens: only what a meter reads can have a price. */
export const BILLED_UNITS = ["search", "image"] as const;

export type BilledUnit = (typeof BILLED_UNITS)[number];

export type UnitCounts = Readonly<Partial<Record<BilledUnit, number>>>;

/** Work that a vendor counts besides tokens; absent = none. */
export interface CountedWork {
  readonly calls?: readonly CallCount[] | undefined;
  readonly units?: UnitCounts | undefined;
}

/** Tokens of an additional model. */
export interface ModelTokens {
  /** The vendor's name of the model. */
  readonly model: string;
  readonly tokens: TokenUsage;
  /** It has served the response in the place of the model that was asked. */
  readonly hasServed?: true | undefined;
  /** It has not served the response but worked beside the model that did: how fast that was says nothing of this one. */
  readonly isBeside?: true | undefined;
  /** It is the model of a tool, as a price table calls that: where calls of the tool have a price, they pay for its tokens. */
  readonly tool?: string | undefined;
  /** It is one call of this tool, as a price table calls that: where calls have a price, it is paid beside the tokens. */
  readonly callOf?: string | undefined;
}

/** Usage that a meter read from an upstream's response. */
export interface MeteredUsage extends CountedWork {
  readonly tokens: TokenUsage;
  /** The part of `tokens` that the same model used to summarize the conversation; absent = none. */
  readonly summaries?: TokenUsage | undefined;
  /** The model whose tokens these are, where the response says that another one than was asked has served it. */
  readonly servedBy?: string | undefined;
  /** Usage of additional models, one entry per pass; not part of `tokens`. */
  readonly additionalUsage?: readonly ModelTokens[] | undefined;
  /** The vendor's own usage object(s), as sent. */
  readonly raw?: unknown;
  /** Fields whose reported value was impossible (negative, fraction, above its total ...) and therefore ignored. */
  readonly hostile: readonly string[];
}

/**
 * The usage of several responses as one, bucket by bucket, each at most MAX_TOKENS_REPORTED; what none of them reported
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

/** Sums the work of several responses besides tokens. */
export function sumWork(parts: readonly CountedWork[]): CountedWork {
  const calls: CallCount[] = [];
  for (const call of parts.flatMap((part) => part.calls ?? [])) {
    const at = calls.findIndex(({ tool, size }) => tool === call.tool && size === call.size);
    const before = calls[at];
    if (before === undefined) calls.push(call);
    else calls[at] = { ...before, count: Math.min(before.count + call.count, MAX_TOKENS_REPORTED) };
  }
  const units: Partial<Record<BilledUnit, number>> = {};
  for (const unit of BILLED_UNITS) {
    const counts = parts.flatMap((part) => part.units?.[unit] ?? []);
    const total = counts.reduce((sum, count) => sum + count, 0);
    if (counts.length > 0) units[unit] = Math.min(total, MAX_TOKENS_REPORTED);
  }
  return {
    calls: calls.length === 0 ? undefined : calls,
    units: Object.keys(units).length === 0 ? undefined : units,
  };
}

/** Sums the usage of several responses and keeps the vendors' own objects in order. */
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
 * Units of an image or video, as they are priced. Words are those of the price book in lower case: tiers ("1k", "2k", "4k")
 * and resolutions ("720p", "768p").
 */
export interface MediaUnits {
  /** Images by tier. */
  readonly images?: Readonly<Record<string, number>>;
  /** Whole seconds of video by resolution; parts of a second round up. */
  readonly videoSeconds?: Readonly<Record<string, number>>;
  /** Tokens of the model that made the images, if its vendor counts them. */
  readonly tokens?: TokenUsage;
}
