import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pricedRequests } from "../../../test/support/price-tables.ts";
import { NO_DIMENSIONS } from "../../catalog/price-table.ts";
import type { FrozenPrice } from "../billing.ts";
import { chargeOf } from "./charge.ts";
import { maxRate } from "./max-rate.ts";
import { unrequestedTerms } from "./unrequested-terms.ts";

const PRICE: FrozenPrice = {
  priceId: 1n,
  rates: { input: 1_000_000n, output: 2_000_000n },
  factorPpm: 1_000_000n,
  dimensions: {
    ...NO_DIMENSIONS,
    tiers: { priority: { factor: 2_000_000n }, Fast: { factor: 3_000_000n } },
    regions: { us: 1_100_000n, eu: 900_000n },
  },
};
const USAGE = { inputUncached: 1_000_000 };

function charged(price: FrozenPrice, response: Parameters<typeof chargeOf>[1]) {
  const { chargeNanos, terms, unpriced } = chargeOf(price, response);
  return { chargeNanos, terms: terms.map(({ name, from }) => `${name} ${from}`), unpriced };
}

describe("the region of an upstream", () => {
  it("is charged where neither the response nor the request names one, and told as the upstream's", () => {
    expect(charged(PRICE, { usage: USAGE, region: "us" })).toEqual({
      chargeNanos: 1_100_000n,
      terms: ["us upstream"],
      unpriced: [],
    });
  });

  it.each<[string, FrozenPrice["asked"], object | undefined, bigint, string[]]>([
    ["the response's", { region: "us" }, { region: "eu" }, 900_000n, ["eu response"]],
    ["the response's plain one", undefined, { region: "standard" }, 1_000_000n, []],
    ["the request's", { region: "eu" }, undefined, 900_000n, ["eu asked"]],
    [
      "none of a response that names a tier alone",
      undefined,
      { tier: "priority" },
      2_200_000n,
      ["priority response", "us upstream"],
    ],
  ])("gives way to %s", (_, asked, served, chargeNanos, terms) => {
    expect(charged({ ...PRICE, asked }, { usage: USAGE, region: "us", served })).toEqual({
      chargeNanos,
      terms,
      unpriced: [],
    });
  });

  it("makes no difference to a model whose prices don't know it", () => {
    expect(charged(PRICE, { usage: USAGE, region: "mars" })).toEqual({
      chargeNanos: 1_000_000n,
      terms: [],
      unpriced: [],
    });
  });
});

it("reads what upstreams declare as the price table calls it, and leaves out what it lacks", () => {
  const model = { price: { id: 1n, rates: PRICE.rates, dimensions: PRICE.dimensions, media: {} } } as never;
  const of = (...upstreams: Parameters<typeof unrequestedTerms>[1]) => unrequestedTerms(model, upstreams);
  expect(of({ unaskedTiers: [], region: null })).toBeUndefined();
  expect(of({ unaskedTiers: ["turbo"], region: "mars" })).toBeUndefined();
  expect(
    of({ unaskedTiers: ["fast", "priority"], region: "us" }, { unaskedTiers: ["priority"], region: null }),
  ).toEqual({
    tiers: ["Fast", "priority"],
    regions: ["us"],
  });
});

it("is held for whole: no token costs more than the highest rate in a tier or region that an upstream declares", () => {
  fc.assert(
    fc.property(
      pricedRequests,
      fc.nat({ max: 1_000_000 }),
      fc.nat(),
      fc.nat(),
      ({ frozen }, tokens, tierIndex, regionIndex) => {
        const { tiers, regions } = frozen.dimensions ?? NO_DIMENSIONS;
        const [allTiers, allRegions] = [Object.keys(tiers), Object.keys(regions)];
        const tier = allTiers[tierIndex % (allTiers.length + 1)];
        const region = allRegions[regionIndex % (allRegions.length + 1)];
        const held = { ...frozen, factorPpm: 1_000_000n, unasked: { tiers: allTiers, regions: allRegions } };
        const usage = { inputUncached: tokens, outputVisible: 7 };
        const { sum, lines } = chargeOf(held, {
          usage,
          region,
          served: tier === undefined ? undefined : { tier },
        });
        const ofTokens = lines.filter(({ kind }) => kind === "tokens");
        expect(ofTokens.length).toBeGreaterThan(0);
        const most =
          BigInt(tokens) * maxRate(held, tokens, ["inputUncached"]) +
          7n * maxRate(held, tokens, ["outputVisible"]);
        const exact = ofTokens.reduce((total, line) => total + line.exact, 0n);
        expect(exact <= most * 10n ** 24n).toBe(true);
        expect(sum >= exact).toBe(true);
      },
    ),
  );
});
