import type { Price } from "./price-columns.ts";

/** A model with the price in force and those that were written ahead, by the moment at which each begins to hold. */
interface Priced {
  readonly price: Price | null;
  readonly coming?: readonly Price[] | undefined;
}

/** The model with the price that holds at this moment, in milliseconds since 1970, and what is still to come then. */
export function pricedAt<Model extends Priced>(model: Model, atMs: number): Model {
  const { coming = [] } = model;
  const begun = coming.findLast((row) => beginOf(row) <= atMs);
  if (begun === undefined) return model;
  return { ...model, price: begun, coming: coming.filter((row) => beginOf(row) > atMs) };
}

/** When the next of these models' coming prices begins to hold; Infinity = none is to come. */
export function nextBeginMs(models: readonly Priced[]): number {
  const begins = models.flatMap(({ coming = [] }) => coming.map(beginOf));
  return begins.reduce((first, begin) => Math.min(first, begin), Number.POSITIVE_INFINITY);
}

/** A row that names no moment holds from its writing. */
function beginOf({ fromMs = Number.NEGATIVE_INFINITY }: Price): number {
  return fromMs;
}

/** As the catalog file writes such a moment. */
export function momentText(ms: number): string {
  return new Date(ms).toISOString().replace(".000Z", "Z");
}
