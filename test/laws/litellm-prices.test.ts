import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PPM } from "../../src/base/money.ts";
import { price } from "../../src/billing/pricing/price.ts";
import { readLitellmList } from "../../src/price-lists/litellm-list.ts";

/** Fields of the format and the bucket of tokens that each prices. */
const FIELDS = {
  input_cost_per_token: "inputUncached",
  output_cost_per_token: "outputVisible",
  cache_read_input_token_cost: "cacheRead",
  cache_creation_input_token_cost: "cacheWrite5m",
  input_cost_per_audio_token: "audioInput",
  output_cost_per_audio_token: "audioOutput",
} as const;
type Field = keyof typeof FIELDS;
const NAMES = Object.keys(FIELDS) as Field[];
const TIERS = { priority: "priority", flex: "flex", batches: "batch" } as const;

/** Billionths of a dollar per million tokens: the file has them per token, in exponents. */
const rate = fc.integer({ min: 0, max: 90_000_000 });
const written = (units: number): string => `${units}e-12`;

const entries = fc.record({
  named: fc.subarray(NAMES, { minLength: 2 }),
  base: fc.array(rate, { minLength: 6, maxLength: 6 }),
  step: fc.option(fc.constantFrom(128, 200, 272), { nil: undefined }),
  stepFactor: fc.constantFrom(1, 2, 3),
  tier: fc.option(fc.constantFrom("priority", "flex", "batches" as const), { nil: undefined }),
  tierFactors: fc.oneof(
    fc.constantFrom(1, 2, 4).map((each) => [each, each]),
    fc.tuple(fc.constantFrom(1, 2), fc.constantFrom(2, 4)),
  ),
  omitted: fc.option(fc.constantFrom(...NAMES), { nil: undefined }),
});

interface Rate {
  readonly field: Field;
  readonly above: number;
  readonly tier: string | undefined;
  readonly units: number;
}

/** Every price that the entry writes; the one of its last row of `omitted` is left out. */
function ratesOf(entry: typeof entries extends fc.Arbitrary<infer T> ? T : never): Rate[] {
  const { named, base, step, stepFactor, tier, tierFactors, omitted } = entry;
  const lengths = step === undefined ? [0] : [0, step * 1_000];
  const rates = [undefined, ...(tier === undefined ? [] : [tier])].flatMap((of) =>
    lengths.flatMap((above) =>
      named.map((field, index): Rate => {
        const plain = (base[index] ?? 0) * (above === 0 ? 1 : stepFactor);
        const factor = of === undefined ? 1 : (tierFactors[index % 2] ?? 1);
        return { field, above, tier: of, units: plain * factor };
      }),
    ),
  );
  const last = rates.findLastIndex(({ field }) => field === omitted);
  return rates.filter((_, index) => index !== last);
}

function fieldOf({ field, above, tier }: Rate): string {
  return `${field}${above === 0 ? "" : `_above_${above / 1_000}k_tokens`}${tier === undefined ? "" : `_${tier}`}`;
}

const tokens = fc.array(fc.nat({ max: 150_000 }), { minLength: 6, maxLength: 6 });

describe("generated models of LiteLLM's format", () => {
  it("cost what their fields say, at every length and tier, or are named with the reason", () => {
    let expressed = 0;
    fc.assert(
      fc.property(entries, tokens, (entry, counts) => {
        const rates = ratesOf(entry);
        const prices = rates.map((each) => `"${fieldOf(each)}": ${written(each.units)}`);
        const text = `{"m": {"litellm_provider": "openai", ${prices.join(", ")}}}`;
        const [model] = readLitellmList(text, { name: "f", date: "2026-12-01" }).entries;
        const read = model?.read();
        if (read?.table === undefined) {
          expect(read?.reason).not.toBe("");
          return;
        }
        const { table, leftOut } = read;
        const { tier } = entry;
        for (const asked of tier === undefined ? [undefined] : [undefined, tier]) {
          const served = asked === undefined ? undefined : TIERS[asked];
          if (served !== undefined && leftOut.some((each) => each.startsWith(`tiers.${served}:`))) continue;
          const own = rates.filter(({ tier: of }) => of === asked);
          const used = entry.named.filter((field) => own.some((each) => each.field === field));
          const pass = Object.fromEntries(
            used.map((field) => [FIELDS[field], counts[NAMES.indexOf(field)] ?? 0]),
          );
          const input = used
            .filter((field) => !field.startsWith("output"))
            .reduce((sum, field) => sum + (pass[FIELDS[field]] ?? 0), 0);
          const row = own.filter(({ above }) => input > above || above === 0);
          const top = Math.max(...row.map(({ above }) => above));
          const exact = used.reduce((sum, field) => {
            const units = row.find((each) => each.field === field && each.above === top)?.units;
            // A length without a price of its own has been left out or named.
            expect(units, `${field} above ${top}`).toBeDefined();
            return sum + BigInt(units ?? 0) * BigInt(pass[FIELDS[field]] ?? 0);
          }, 0n);
          const cost = price(
            table,
            { passes: [pass] },
            served === undefined ? { factorPpm: PPM } : { factorPpm: PPM, tier: served },
          );
          // A unit is 10^-12 dollars per token: a thousand of them are a nano, half up.
          expect(cost.chargeNanos).toBe((exact + 500n) / 1_000n);
          expressed += 1;
        }
      }),
      { numRuns: 1_000 },
    );
    expect(expressed).toBeGreaterThan(300);
  });
});
