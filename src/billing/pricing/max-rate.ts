import { appendAll } from "../../base/append-all.ts";
import { PPM } from "../../base/money.ts";
import { NO_DIMENSIONS, rowsOf, type WholeRow } from "../../catalog/price-table.ts";
import { type TokenPrices, tokenPrice } from "../../catalog/token-prices.ts";
import type { BodyFeatures } from "../../protocols/body-features.ts";
import type { Medium } from "../../protocols/media.ts";
import type { TokenBucket } from "../../usage/usage.ts";
import type { FrozenPrice } from "../billing.ts";
import { PRICE_OF } from "./bucket-price.ts";
import { FACTOR_SCALE } from "./price.ts";

type MediaFeatures = Pick<BodyFeatures, "mayWriteLong" | "mediaRead" | "requestedMedia">;

/** The buckets in which vendors may bill input tokens of a request with these features. */
export function inputBuckets({ mayWriteLong, mediaRead }: MediaFeatures): readonly TokenBucket[] {
  const buckets = [...ALWAYS_READ];
  if (mayWriteLong) buckets.push("cacheWrite1h", "cacheWrite12h");
  for (const medium of mediaRead) appendAll(buckets, MEDIUM_READ[medium]);
  return buckets;
}

/**
 * Returns the output buckets that a response may use. Models that make images may do so unasked, but they speak only if the
 * request asks for audio.
 */
export function outputBuckets({ requestedMedia }: MediaFeatures): readonly TokenBucket[] {
  return requestedMedia.length > 0 ? [...ALWAYS_WRITTEN, "audioOutput"] : ALWAYS_WRITTEN;
}

const ALWAYS_READ: readonly TokenBucket[] = [
  "inputUncached",
  "cacheRead",
  "cacheReadExplicit",
  "cacheWrite5m",
  "cacheWrite30m",
];

const MEDIUM_READ: Readonly<Record<Medium, readonly TokenBucket[]>> = {
  audio: ["audioInput", "audioCacheRead"],
  image: ["imageInput", "imageCacheRead"],
  video: ["videoInput", "videoCacheRead"],
};

const ALWAYS_WRITTEN: readonly TokenBucket[] = [
  "outputVisible",
  "outputReasoning",
  "imageOutput",
  "videoOutput",
];

/**
 * The highest rate, rounded up, at which a token of one of these buckets can be charged in a pass with at most this much
 * input. It covers the tier, speed and region that the request asks for, those that its upstreams may apply unasked, and
 * plain service.
 */
export function maxRate(
  { rates, dimensions = NO_DIMENSIONS, asked = NOTHING, unasked, hours }: FrozenPrice,
  inputTokens: number,
  buckets: readonly TokenBucket[],
): bigint {
  // Most requests end here: prices of calls don't apply to tokens.
  if (dimensions.steps.length === 0 && asked === NOTHING && unasked === undefined && hours === undefined)
    return maxRateIn(rates, buckets);
  const rows = rowsOf(rates, dimensions);
  const reached = rows.steps.filter(({ above }) => inputTokens > above || above < 0);
  const plain = reached.map((row): Candidate => ({ row, factorPpm: PPM }));
  const tiers = [asked.tier ?? [], unasked?.tiers ?? []].flat();
  const inTiers = tiers.flatMap((name): Candidate[] => {
    const tier = dimensions.tiers[name];
    if (tier !== undefined && "factor" in tier)
      return reached.map((row) => ({ row, factorPpm: tier.factor }));
    const own = rows.tiers.get(name);
    return own === undefined ? [] : [{ row: own, factorPpm: PPM }];
  });
  const candidates = [...plain, ...inTiers];
  const speed = atLeast1(dimensions.speeds[asked.speed ?? ""]);
  const regions = [asked.region ?? [], unasked?.regions ?? []].flat();
  const region = regions.map((name) => dimensions.regions[name] ?? PPM).reduce(larger, PPM);
  const shared = speed * region * (hours?.factor ?? PPM);
  let highest = 0n;
  for (const { row, factorPpm } of candidates) {
    const rate = maxRateIn(row.prices, buckets) * factorPpm * shared;
    if (rate > highest) highest = rate;
  }
  return (highest + FACTOR_SCALE - 1n) / FACTOR_SCALE;
}

const NOTHING: NonNullable<FrozenPrice["asked"]> = Object.freeze({});

/** A row, and the factor of the tier by which the request may be charged at it. */
interface Candidate {
  readonly row: WholeRow;
  readonly factorPpm: bigint;
}

function maxRateIn(prices: TokenPrices, buckets: readonly TokenBucket[]): bigint {
  let highest = 0n;
  for (const bucket of buckets) {
    const rate = tokenPrice(prices, PRICE_OF[bucket]) ?? 0n;
    if (rate > highest) highest = rate;
  }
  return highest;
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

/** A vendor may serve a request with plain service whatever it asks for, so a discount can't lower the bound. */
function atLeast1(factorPpm = PPM): bigint {
  return larger(factorPpm, PPM);
}
