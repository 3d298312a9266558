import type { Price } from "./price-columns.ts";

/** A model with the price in force and the prices written ahead, sorted by the moment at which each takes effect. */
interface Priced {
  readonly price: Price | null;
  readonly coming?: readonly Price[] | undefined;
}

/** Returns the model with the price in force at this moment, in milliseconds since 1970, and those still to come. */
export function pricedAt<Model extends Priced>(model: Model, atMs: number): Model {
  const { coming = [] } = model;
  const begun = coming.findLast((row) => beginOf(row) <= atMs);
  if (begun === undefined) return model;
  return { ...model, price: begun, coming: coming.filter((row) => beginOf(row) > atMs) };
}

/** Returns the moment at which the next price of these models takes effect; Infinity = none is to come. */
export function nextBeginMs(models: readonly Priced[]): number {
  const begins = models.flatMap(({ coming = [] }) => coming.map(beginOf));
  return begins.reduce((first, begin) => Math.min(first, begin), Number.POSITIVE_INFINITY);
}

/** A row without a moment is in force from the time it was written. */
function beginOf({ fromMs = Number.NEGATIVE_INFINITY }: Price): number {
  return fromMs;
}

/** Formats a moment as the catalog file writes it. */
export function momentText(ms: number): string {
  return new Date(ms).toISOString().replace(".000Z", "Z");
}
