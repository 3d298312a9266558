import { PPM } from "../base/money.ts";
import type { UpstreamCost } from "./catalog.ts";
import { type PriceColumns, priceColumns, readPrice } from "./price-columns.ts";

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
