import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { draftOf, termsOf } from "../../dashboard/src/pages/operator-catalog/draft.ts";
import type { Price } from "../../src/catalog/price-columns.ts";
import type { CallPrice } from "../../src/catalog/price-table.ts";
import type { Model } from "../../src/console/catalog/contract.ts";
import { priceResponse } from "../../src/console/catalog/model-response.ts";
import { casesOf } from "../support/cases.ts";
import { callPrices, priceTables } from "../support/price-tables.ts";

const nanos = fc.bigInt({ min: 0n, max: 1_000_000_000_000n });
/** As the catalog file allows them: with spaces, colons and what reads like a price. */
const names = fc
  .stringMatching(/^[a-z0-9_:. -]{1,20}$/)
  .map((name) => name.trim())
  .filter((name) => name !== "");
const byName = fc.dictionary(names, nanos, { minKeys: 1, maxKeys: 4 });

const textPrices: fc.Arbitrary<Price> = fc
  .tuple(priceTables, fc.dictionary(names, callPrices, { maxKeys: 3 }))
  .map(([{ base, ...dimensions }, calls]) => ({
    rates: base,
    dimensions: { ...dimensions, calls: { ...dimensions.calls, ...(calls as Record<string, CallPrice>) } },
    media: {},
  }));
const imagePrices: fc.Arbitrary<Price> = fc
  .tuple(byName, fc.option(fc.tuple(nanos, nanos, nanos)))
  .map(([perImage, tokens]) => {
    const [input, imageInput, imageOutput] = tokens ?? [];
    const rates = tokens === null ? {} : { input, imageInput, imageOutput };
    return { rates: rates as Price["rates"], media: { perImage } };
  });
const videoPrices: fc.Arbitrary<Price> = byName.map((perSecond) => ({ rates: {}, media: { perSecond } }));

const FAMILIES: readonly (readonly [family: string | null, prices: fc.Arbitrary<Price>])[] = [
  [null, textPrices],
  ["imagegen", imagePrices],
  ["videoa", videoPrices],
];

describe("the form of a model's prices", () => {
  it.each(FAMILIES)("sends every price of family %s as it came, current and coming", (family, prices) => {
    fc.assert(
      fc.property(fc.option(prices), fc.array(prices, { maxLength: 2 }), (current, coming) => {
        const price = current && priceResponse(current);
        const coming_prices = coming.map((each, index) => ({
          from: `${2100 + index}-01-01T00:00:00Z`,
          ...priceResponse(each),
        }));
        const shown = {
          id: "m",
          family,
          owned_by: "acme",
          endpoints: [],
          fallbacks: [],
          quirks: {},
          price,
          coming_prices,
        };
        const sent = termsOf(draftOf(shown as unknown as Model));
        expect({ price: sent.price, coming_prices: sent.coming_prices }).toEqual({ price, coming_prices });
      }),
      { numRuns: casesOf(200) },
    );
  });
});
