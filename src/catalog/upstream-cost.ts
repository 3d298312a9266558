import { PPM } from "../base/money.ts";
import { type Price, type PriceColumns, priceColumns, readPrice } from "./price-columns.ts";

/** What an upstream's vendor bills us for text: its own prices by model, elsewhere the list price times a factor. */
export interface UpstreamCost {
  /** Parts per million of the model's list price, before any group's factor. */
  readonly factorPpm: bigint;
  /** By our name of the model. */
  readonly prices: ReadonlyMap<string, Price>;
}

/** As the database holds it; amounts are text, as in price rows. */
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

/** Whether it says no more than that the list price is billed. */
export function isListPrice({ factorPpm, prices }: UpstreamCost): boolean {
  return factorPpm === PPM && prices.size === 0;
}
