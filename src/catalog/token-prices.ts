/** True if tokens went into the model or came out of it. */
export type Side = "input" | "output";

interface TokenPriceFacts {
  readonly side: Side;
  /** Keys under which a price table writes it, the outermost first. */
  readonly keys: readonly string[];
  /** Whose price holds where this one is not named: the first of these that is. None = the tokens have no price. */
  readonly otherwise: readonly string[];
}

/**
 * Every price of tokens that a table may name. Images and videos that a model reads cost as its text unless they have a
 * price, as most vendors count them so; sound that it reads and media that it makes cost many times that, so that they have
 * no price where none is named.
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

/** The prices that are named, in nanos per 1,000,000 tokens. */
export type TokenPrices = Readonly<Partial<Record<TokenPriceName, bigint>>>;

export function sideOf(name: TokenPriceName): Side {
  return FACTS[name].side;
}

/** The keys under which the catalog file writes it: `["audio", "input"]`. */
export function keysOfTokenPrice(name: TokenPriceName): readonly string[] {
  return FACTS[name].keys;
}

/** What such a token costs by these prices; undefined where they name neither its price nor one that stands in for it. */
export function tokenPrice(prices: TokenPrices, name: TokenPriceName): bigint | undefined {
  const own = prices[name];
  if (own !== undefined) return own;
  for (const other of FACTS[name].otherwise) {
    const price = prices[other];
    if (price !== undefined) return price;
  }
  return undefined;
}
