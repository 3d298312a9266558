import { assert } from "../../base/assert.ts";
import type { Nanos } from "../../base/money.ts";
import type { MediaRates } from "../../catalog/catalog.ts";
import type { MediaUnits } from "../../usage/usage.ts";
import type { FrozenMediaPrice } from "../billing.ts";
import { EXACT_PER_NANO, roundedExact } from "./price.ts";

/** One line of a task's receipt: images of a tier or seconds of a resolution, each at its rate, before the factor. */
export interface MediaChargeLine {
  readonly unit: "image" | "second";
  /** The price book's word: "1k", "720p". */
  readonly word: string;
  readonly count: number;
  readonly nanosEach: bigint;
  /** As that of a line of text. */
  readonly exact: bigint;
}

/** What images and seconds cost: count x rate, times the group's factor, rounded once, half up. Throws UnpricedError. */
export function mediaCharge(units: MediaUnits, price: FrozenMediaPrice): Nanos {
  const sum = itemiseMedia(units, price.rates).reduce((total, { exact }) => total + exact, 0n);
  return roundedExact(sum, price.factorPpm);
}

/** The same charge line by line. Throws UnpricedError. */
export function itemiseMedia(units: MediaUnits, rates: MediaRates): MediaChargeLine[] {
  return [
    ...linesOf("image", units.images, rates.perImage),
    ...linesOf("second", units.videoSeconds, rates.perSecond),
  ];
}

/** A model has no price for a tier or a resolution. */
export class UnpricedError extends Error {
  override readonly name = "UnpricedError";
}

function linesOf(
  unit: MediaChargeLine["unit"],
  counts: Readonly<Record<string, number>> = {},
  rates: Readonly<Record<string, bigint>> = {},
): MediaChargeLine[] {
  return Object.entries(counts).map(([word, count]) => {
    const nanosEach = Object.hasOwn(rates, word) ? rates[word] : undefined;
    if (nanosEach === undefined) throw new UnpricedError(`there is no price for one ${unit} of ${word}`);
    assert(Number.isSafeInteger(count) && count >= 0, `${count} is no number of ${unit}s`);
    return { unit, word, count, nanosEach, exact: BigInt(count) * nanosEach * EXACT_PER_NANO };
  });
}
