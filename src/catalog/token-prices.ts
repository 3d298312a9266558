/** Direction of tokens: into the model or out of it. */
export type Side = "input" | "output";

interface TokenPriceFacts {
  readonly side: Side;
  /** Keys of the price in a price table, the outermost first. */
  readonly keys: readonly string[];
  /** Prices that apply if this one is not named; the first that is named counts. [] = the tokens have no price then. */
  readonly otherwise: readonly string[];
}

/**
 * All token prices that a table may name. Images and videos that a model reads are charged as text unless they have a
 * price, as most vendors do. Audio that it reads and media that it generates cost many times that, so without a named
 * price they have none.
 */
const FACTS = {
  input: { side: "input", keys: ["input"], otherwise: [] },
  output: { side: "output", keys: ["output"], otherwise: [] },
  reasoning: { side: "output", keys: ["reasoning"], otherwise: ["output"] },
  cacheRead: { side: "input", keys: ["cache_read"], otherwise: ["input"] },
  cacheReadExplicit: {
    side: "input",
    keys: ["cache_read_explicit"],
    otherwise: ["cacheRead", "input"],
  },
  cacheWrite: { side: "input", keys: ["cache_write"], otherwise: ["input"] },
  cacheWrite30m: { side: "input", keys: ["cache_write_30m"], otherwise: ["cacheWrite", "input"] },
  cacheWrite1h: { side: "input", keys: ["cache_write_1h"], otherwise: ["cacheWrite", "input"] },
  cacheWrite12h: { side: "input", keys: ["cache_write_12h"], otherwise: ["cacheWrite", "input"] },
  audioInput: { side: "input", keys: ["audio", "input"], otherwise: [] },
  audioCacheRead: { side: "input", keys: ["audio", "cache_read"], otherwise: ["audioInput"] },
  audioOutput: { side: "output", keys: ["audio", "output"], otherwise: [] },
  imageInput: { side: "input", keys: ["image", "input"], otherwise: ["input"] },
  imageCacheRead: {
    side: "input",
    keys: ["image", "cache_read"],
    otherwise: ["imageInput", "cacheRead", "input"],
  },
  imageOutput: { side: "output", keys: ["image", "output"], otherwise: [] },
  videoInput: { side: "input", keys: ["video", "input"], otherwise: ["input"] },
  videoCacheRead: {
    side: "input",
    keys: ["video", "cache_read"],
    otherwise: ["videoInput", "cacheRead", "input"],
  },
  videoOutput: { side: "output", keys: ["video", "output"], otherwise: [] },
} as const satisfies Readonly<Record<string, TokenPriceFacts>>;

export type TokenPriceName = keyof typeof FACTS;

export const TOKEN_PRICE_NAMES = Object.keys(FACTS) as TokenPriceName[];

/** The named prices, in nanos per 1,000,000 tokens. */
export type TokenPrices = Readonly<Partial<Record<TokenPriceName, bigint>>>;

export function sideOf(name: TokenPriceName): Side {
  return FACTS[name].side;
}

/** Keys of a price in the catalog file, such as `["audio", "input"]`. */
export function keysOfTokenPrice(name: TokenPriceName): readonly string[] {
  return FACTS[name].keys;
}

/** Returns the price of such a token; undefined if neither its price nor one that stands in for it is named. */
export function tokenPrice(prices: TokenPrices, name: TokenPriceName): bigint | undefined {
  const own = prices[name];
  if (own !== undefined) return own;
  for (const other of FACTS[name].otherwise) {
    const price = prices[other];
    if (price !== undefined) return price;
  }
  return undefined;
}
