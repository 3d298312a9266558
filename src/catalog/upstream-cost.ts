import { PPM } from "../base/money.ts";
import type { Model, Upstream, UpstreamCost } from "./catalog.ts";
import { type PriceColumns, priceColumns, readPrice } from "./price-columns.ts";
import { tokenPrice } from "./token-prices.ts";

/** The form in the database; amounts are text, as in price rows. */
export interface StoredCost {
  readonly factor: string;
  readonly prices: Readonly<Record<string, PriceColumns>>;
}

export function readUpstreamCost({ factor, prices }: StoredCost): UpstreamCost {
  return {
    factorPpm: BigInt(factor),
    prices: new Map(Object.entries(prices).map(([model, columns]) => [model, readPrice(columns)])),
  };
}

export function storedCost({ factorPpm, prices }: UpstreamCost): StoredCost {
  return {
    factor: String(factorPpm),
    prices: Object.fromEntries([...prices].map(([model, price]) => [model, priceColumns(price)])),
  };
}

/** True if the vendor bills the plain list price. */
export function isListPrice({ factorPpm, prices }: UpstreamCost): boolean {
  return factorPpm === PPM && prices.size === 0;
}

/** Tokens of input for each token of output: most requests read more than they write. */
const INPUT_TOKENS = 3n;

/**
 * Estimates what an upstream bills for a typical request to a model, from its own prices of the model or its factor on
 * the list price. The unit is nanos times parts per million, so it serves only to compare upstreams.
 */
export function expectedCost({ id, price }: Model, { cost }: Upstream): bigint {
  const own = cost?.prices.get(id);
  const rates = own?.rates ?? price?.rates ?? {};
  const factor = own === undefined ? (cost?.factorPpm ?? PPM) : PPM;
  const input = tokenPrice(rates, "input") ?? 0n;
  const output = tokenPrice(rates, "output") ?? 0n;
  return (INPUT_TOKENS * input + output) * factor;
}
