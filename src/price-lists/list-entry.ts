import type { Price } from "../catalog/price-columns.ts";
import type { PriceTable } from "../catalog/price-table.ts";

/** A public list of vendors' prices. */
export interface PriceList {
  /** The list's name with its release, or its file name. */
  readonly name: string;
  /** The day of publication, such as 2026-12-01. */
  readonly date: string;
  /** Returns the vendor's model with this name; undefined = it is not in the list. */
  find(vendor: string, model: string): ListEntry | undefined;
}

/** A text model in a list. */
export interface ListEntry {
  /** The vendor's name in the bundled list: "openai". */
  readonly vendor: string;
  /** The model's name in the list. */
  readonly model: string;
  /** The page on which the vendor states the price, if the list names it. */
  readonly url: string | undefined;
  readonly contextTokens: number | undefined;
  /**
   * Reads its price in the gateway's terms. Lists are long and few of their models are needed, so each is read on
   * demand.
   */
  read(): ListedPrice;
}

/** A listed price as a price table, or the reason why no table can express it. */
export type ListedPrice =
  | { readonly table: PriceTable; readonly leftOut: readonly string[] }
  | { readonly table: undefined; readonly reason: string };

/** A price that no price table can express. The message has the reason. */
export class NotExpressible extends Error {
  override readonly name = "NotExpressible";
}

/** Returns the price that `read` returns, or the reason that it throws. */
export function listedPrice(read: () => Exclude<ListedPrice, { table: undefined }>): ListedPrice {
  try {
    return read();
  } catch (error) {
    if (error instanceof NotExpressible) return { table: undefined, reason: error.message };
    throw error;
  }
}

/** The price of a model that consists of a table only. */
export function priceOf({ base, ...dimensions }: PriceTable): Price {
  return { rates: base, dimensions, media: {} };
}
