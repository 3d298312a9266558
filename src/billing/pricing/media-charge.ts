import { assert } from "../../base/assert.ts";
import type { Nanos } from "../../base/money.ts";
import { NO_DIMENSIONS } from "../../catalog/price-table.ts";
import { type TokenPriceName, tokenPrice } from "../../catalog/token-prices.ts";
import type { MediaUnits } from "../../usage/usage.ts";
import type { FrozenMediaPrice } from "../billing.ts";
import { FRAME_TOKENS, IMAGE_TOKENS } from "./max-cost.ts";
import { EXACT_PER_NANO, FACTOR_SCALE, type PriceLine, price, roundedExact } from "./price.ts";

/** One line of a task's receipt: images of a tier or seconds of a resolution, each at its rate, before the factor. */
export interface MediaChargeLine {
  readonly unit: "image" | "second";
  /** The price book's word: "1k", "720p". */
  readonly word: string;
  readonly count: number;
  readonly nanosEach: bigint;
  /** Exact amount, as of a text line. */
  readonly exact: bigint;
}

/** An image or a video as it is charged: its tokens where the vendor counts them and they have prices, else what was made. */
export interface MediaCharge {
  readonly chargeNanos: Nanos;
  readonly lines: readonly (MediaChargeLine | PriceLine)[];
  /** Sum of the lines before the group's factor. */
  readonly sum: bigint;
  /** Unpriced items, as of a text request. */
  readonly unpriced: readonly string[];
}

/**
 * Computes the charge of images and seconds: count x rate, or tokens by their prices, times the group's factor, rounded once,
 * half up. Throws UnpricedError.
 */
export function mediaCharge(
  units: MediaUnits,
  { rates, factorPpm }: Pick<FrozenMediaPrice, "rates" | "factorPpm">,
): MediaCharge {
  if (units.tokens !== undefined && rates.tokens !== undefined)
    return price({ base: rates.tokens, ...NO_DIMENSIONS }, { passes: [units.tokens] }, { factorPpm });
  const lines = [
    ...linesOf("image", units.images, rates.perImage),
    ...linesOf("second", units.videoSeconds, rates.perSecond),
  ];
  const sum = lines.reduce((total, { exact }) => total + exact, 0n);
  return { lines, sum, chargeNanos: roundedExact(sum, factorPpm), unpriced: [] };
}

/**
 * Computes the hold: the price of the order, which must cover the tokens of the result, plus the tokens of the input if those
 * have prices. Throws UnpricedError.
 */
export function mediaHold(units: MediaUnits, frozen: FrozenMediaPrice, read: MediaInput): Nanos {
  const { sum } = mediaCharge(units, frozen);
  const { tokens } = frozen.rates;
  if (tokens === undefined) return roundedExact(sum, frozen.factorPpm);
  const each = (name: TokenPriceName): bigint => tokenPrice(tokens, name) ?? 0n;
  const exact =
    BigInt(read.textBytes + FRAME_TOKENS) * each("input") +
    BigInt(read.images * IMAGE_TOKENS) * each("imageInput");
  return roundedExact(sum + exact * FACTOR_SCALE, frozen.factorPpm);
}

/** The input of an order. */
export interface MediaInput {
  /** Length of the prompt in UTF-8: no tokenizer makes more than one token of a byte. */
  readonly textBytes: number;
  readonly images: number;
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
