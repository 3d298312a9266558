import type { Price } from "../catalog/price-columns.ts";
import type { PriceTable } from "../catalog/price-table.ts";

/** A public list of vendors' prices. */
export interface PriceList {
  /** What the list calls itself with its release, or the name of its file. */
  readonly name: string;
  /** Day on which it was published, as in 2026-12-01. */
  readonly date: string;
  /** The vendor's model of this name; undefined = the list does not have it. */
  find(vendor: string, model: string): ListEntry | undefined;
}

/** A text model in a list. */
export interface ListEntry {
  /** The bundled list's name of the vendor: "openai". */
  readonly vendor: string;
  /** What the list calls the model. */
  readonly model: string;
  /** Where the vendor states the price, if the list says so. */
  readonly url: string | undefined;
  readonly contextTokens: number | undefined;
  /** Its price in our terms. Lists are long and few of their models are asked for, so that each is read by itself. */
  read(): ListedPrice;
}

/** A listed price as a price table, or why none can say it. */
export type ListedPrice =
  | { readonly table: PriceTable; readonly leftOut: readonly string[] }
  | { readonly table: undefined; readonly reason: string };

/** A price that no table can say. Its message is the reason. */
export class NotExpressible extends Error {
  override readonly name = "NotExpressible";
}

/** What `read` makes of a price, or the reason that it throws. */
export function listedPrice(read: () => Exclude<ListedPrice, { table: undefined }>): ListedPrice {
  try {
    return read();
  } catch (error) {
    if (error instanceof NotExpressible) return { table: undefined, reason: error.message };
    throw error;
  }
}

/** A price of a model that is a table and nothing else. */
export function priceOf({ base, ...dimensions }: PriceTable): Price {
  return { rates: base, dimensions, media: {} };
}
