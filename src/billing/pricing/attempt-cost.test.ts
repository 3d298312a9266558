import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { completed } from "../../../test/support/billing.ts";
import { NO_DIMENSIONS } from "../../catalog/price-table.ts";
import type { AttemptUse, FrozenPrice, Outcome } from "../billing.ts";
import { costOf } from "./attempt-cost.ts";
import { chargeOf } from "./charge.ts";
import { statedCost } from "./stated-cost.ts";

/** 2.5 and 15 dollars per million, at twice the price for the group. */
const PRICE: FrozenPrice = {
  priceId: 1n,
  rates: { input: 2_500_000_000n, output: 15_000_000_000n },
  factorPpm: 2_000_000n,
};
const ORDER = { price: PRICE, model: "text" };
const OWN = {
  factorPpm: 1_000_000n,
  prices: new Map([["text", { rates: { input: 1_000_000_000n, output: 4_000_000_000n }, media: {} }]]),
};
const DISCOUNT = { factorPpm: 800_000n, prices: new Map() };
const PLACE = { upstream: "main", upstreamModel: "theirs", credential: "1" };

function costs(uses: Outcome["attemptUses"], changes: Partial<Outcome> = {}) {
  const outcome: Outcome = {
    ...completed(0),
    usage: { inputUncached: 1_000, outputVisible: 100 },
    raw: undefined,
    ...(uses && { attemptUses: uses }),
    ...changes,
  };
  return costOf(ORDER, 0, outcome, chargeOf(PRICE, outcome));
}

const charged = (cost: AttemptUse["cost"]): AttemptUse => ({ ...PLACE, cost, used: "charged" });

describe("what an attempt costs", () => {
  it("is the list price without the group's factor, and needs no record of its own", () => {
    // 1,000 x 2.5 + 100 x 15 dollars per million.
    expect(costs([charged(null)])).toEqual({ nanos: 4_000_000n, attempts: undefined });
    expect(costs(undefined)).toEqual({ nanos: 4_000_000n, attempts: undefined });
  });

  it("is the list price times the upstream's factor, or the upstream's own prices", () => {
    expect(costs([charged(DISCOUNT)])).toEqual({
      nanos: 3_200_000n,
      attempts: [{ nanos: "3200000", factor: "800000" }],
    });
    const own = costs([charged(OWN)]);
    expect(own.nanos).toBe(1_400_000n);
    expect(own.attempts?.[0]?.charge?.lines).toHaveLength(2);
  });

  it("is billed by the steps of the upstream's own prices where the model has none", () => {
    const steps = [{ above: 500, prices: { input: 2_000_000_000n, output: 8_000_000_000n } }];
    const rates = { input: 1_000_000_000n, output: 4_000_000_000n };
    const own = { rates, dimensions: { ...NO_DIMENSIONS, steps }, media: {} };
    const { nanos, attempts } = costs([charged({ factorPpm: 1_000_000n, prices: new Map([["text", own]]) })]);
    expect(nanos).toBe(2_800_000n);
    expect(attempts?.[0]?.charge?.row).toBe("above 500");
  });

  it("counts for attempts that failed or were empty, whom nobody is charged for", () => {
    const failed: AttemptUse = {
      ...PLACE,
      upstream: "first",
      cost: null,
      used: { usage: { inputUncached: 1_000 } },
    };
    const unsent: AttemptUse = { ...PLACE, upstream: "busy", cost: null, used: "nothing" };
    const lost: AttemptUse = { ...PLACE, upstream: "lost", cost: null, used: "unknown" };
    const { nanos, attempts } = costs([failed, unsent, lost, charged(null)]);
    expect(nanos).toBe(2_500_000n + 4_000_000n);
    expect(attempts?.map(({ upstream, nanos: each, used }) => [upstream, each, used])).toEqual([
      ["first", "2500000", undefined],
      ["busy", "0", "nothing"],
      ["lost", "0", "unknown"],
      [undefined, "4000000", undefined],
    ]);
    const empty: AttemptUse = { ...PLACE, cost: null, used: { usage: { inputUncached: 1_000 } } };
    expect(costs([empty], { reason: "empty_answer", usage: {} }).nanos).toBe(2_500_000n);
  });

  it("counts each model of an answer at the upstream's own price for it, else at its list price times the factor", () => {
    const advisor = { inputUncached: 1_000, outputVisible: 100 };
    const listed = { rates: { input: 10_000_000_000n, output: 50_000_000_000n } };
    const additionalUsage = [
      { model: "advisor", usage: advisor, price: { ...PRICE, ...listed } },
      { model: "other", usage: { inputUncached: 2_000 }, price: { ...PRICE, ...listed } },
    ];
    const own = (input: bigint, output: bigint) => ({ rates: { input, output }, media: {} });
    const factorPpm = 500_000n;
    const usage = { inputUncached: 1_000 };
    const told = (prices: ReadonlyMap<string, ReturnType<typeof own>>) =>
      costs([charged({ factorPpm, prices })], { usage, additionalUsage }).nanos;
    // By hand, in nanos: the asked model's 1,000 at 2.5, the advisor's 1,000 at 10 and 100 at 50, the other's 2,000 at 10.
    expect(told(new Map())).toBe((2_500_000n + 15_000_000n + 20_000_000n) / 2n);
    const advisorOwn = ["advisor", own(4_000_000_000n, 7_000_000_000n)] as const;
    expect(told(new Map([advisorOwn]))).toBe(1_250_000n + 4_700_000n + 10_000_000n);
    const askedOwn = [ORDER.model, own(1_000_000_000n, 1n)] as const;
    expect(told(new Map([askedOwn]))).toBe(1_000_000n + 7_500_000n + 10_000_000n);
    expect(told(new Map([askedOwn, advisorOwn]))).toBe(1_000_000n + 4_700_000n + 10_000_000n);
  });

  it("is at most a million dollars, as an absurd one must not keep the charge from being posted", () => {
    const absurd = charged({ factorPpm: 10n ** 18n, prices: new Map() });
    expect(costs([absurd]).nanos).toBe(10n ** 15n);
  });

  it("sums up to the request's cost, whatever was used, at one price and factor as computed by hand", () => {
    const count = fc.nat({ max: 1_000_000 });
    const usage = fc.record({ inputUncached: count, outputVisible: count });
    const factor = fc.bigInt({ min: 0n, max: 3_000_000n });
    fc.assert(
      fc.property(fc.array(fc.record({ usage, factor }), { minLength: 1, maxLength: 4 }), (attempts) => {
        const uses = attempts.map(
          ({ usage: used, factor: factorPpm }): AttemptUse => ({
            ...PLACE,
            cost: { factorPpm, prices: new Map() },
            used: { usage: used },
          }),
        );
        const found = costs(uses);
        const byHand = attempts.map(({ usage: used, factor: factorPpm }) => {
          const millionths =
            BigInt(used.inputUncached) * 2_500_000_000n + BigInt(used.outputVisible) * 15_000_000_000n;
          return (millionths * factorPpm + 500_000_000_000n) / 1_000_000_000_000n;
        });
        expect(found.attempts?.map(({ nanos }) => BigInt(nanos))).toEqual(byHand);
        expect(found.nanos).toBe(byHand.reduce((sum, each) => sum + each, 0n));
      }),
    );
  });
});

describe("the vendor's own word on its cost", () => {
  it.each([
    [{ cost: 0.00014 }, 140_000n],
    [{ cost: 1.5e-7, cost_details: { upstream_inference_cost: 2 } }, 150n],
    [{ cost_in_usd_ticks: 37_756_000 }, 3_775_600n],
    [{ cost_in_usd_ticks: 5 }, 1n],
    [{ cost: { total_cost: 0.0086, request_cost: 0.006 } }, 8_600_000n],
    [{ estimated_cost: 0.00000375 }, 3_750n],
    [[{ cost: 0.1 }, { cost: 0.2 }], 300_000_000n],
    [{ cost: 1e300 }, 10n ** 15n],
  ])("of %j is read to the nano", (raw, nanos) => {
    expect(statedCost(raw)).toBe(nanos);
  });

  it.each([
    [undefined],
    [{ prompt_tokens: 1 }],
    [{ cost: -5 }],
    [{ cost: "free" }],
    [{ cost: null }],
    [[]],
    [[{ cost: 0.1 }, {}]],
  ])("of %j is none", (raw) => {
    expect(statedCost(raw)).toBeUndefined();
  });

  it("stands beside what our prices make of it", () => {
    expect(costs([charged(null)], { raw: { cost: 0.005 } })).toEqual({
      nanos: 4_000_000n,
      attempts: [{ nanos: "4000000", stated: "5000000" }],
    });
  });
});
