import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mediaCharge, mediaHold, UnpricedError } from "./media-charge.ts";

const rate = fc.bigInt({ min: 0n, max: 100_000_000_000n });
const prices = fc.record({ input: rate, imageInput: rate, imageOutput: rate });
const tokens = fc.record({
  inputUncached: fc.nat({ max: 128 }),
  imageInput: fc.nat({ max: 10_000 }),
  imageOutput: fc.nat({ max: 10_000 }),
});
const MILLION = 1_000_000n;

describe("what an image is charged", () => {
  it("is its tokens at their prices, times the factor, and within the hold where the price of the image covers what is made", () => {
    fc.assert(
      fc.property(prices, tokens, fc.bigInt({ min: 0n, max: 3n * MILLION }), (named, used, factorPpm) => {
        const rates = { perImage: { "1k": named.imageOutput / 100n + 1n }, tokens: named };
        const frozen = { priceId: 1n, rates, factorPpm };
        const { chargeNanos, unpriced } = mediaCharge({ images: { "1k": 1 }, tokens: used }, frozen);
        const exact =
          BigInt(used.inputUncached) * named.input +
          BigInt(used.imageInput) * named.imageInput +
          BigInt(used.imageOutput) * named.imageOutput;
        expect(chargeNanos).toBe((exact * factorPpm + (MILLION * MILLION) / 2n) / (MILLION * MILLION));
        expect(unpriced).toEqual([]);
        const held = mediaHold({ images: { "1k": 1 } }, frozen, { textBytes: 0, images: 1 });
        expect(chargeNanos).toBeLessThanOrEqual(held);
      }),
    );
  });

  it("is the price of the image where its vendor counts no tokens, or they have no prices", () => {
    const images = { images: { "1k": 1 } };
    const frozen = { priceId: 1n, rates: { perImage: { "1k": 7n } }, factorPpm: MILLION };
    expect(mediaCharge({ ...images, tokens: { imageOutput: 1_000 } }, frozen).chargeNanos).toBe(7n);
    const priced = {
      ...frozen,
      rates: { ...frozen.rates, tokens: { input: MILLION, imageOutput: MILLION } },
    };
    expect(mediaCharge(images, priced).chargeNanos).toBe(7n);
    expect(mediaHold(images, frozen, { textBytes: 500, images: 9 })).toBe(7n);
    expect(() => mediaCharge({ images: { "4k": 1 } }, frozen)).toThrow(UnpricedError);
  });
});
