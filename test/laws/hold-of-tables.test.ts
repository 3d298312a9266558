import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createBodyScan } from "../../src/base/json/json-scan.ts";
import { chargeOf } from "../../src/billing/pricing/charge.ts";
import { freezePrice } from "../../src/billing/pricing/frozen-price.ts";
import { estimateMaxCost } from "../../src/billing/pricing/max-cost.ts";
import { inputBuckets, outputBuckets } from "../../src/billing/pricing/max-rate.ts";
import type { Catalog, Model } from "../../src/catalog/catalog.ts";
import { NO_DIMENSIONS, type PriceTable } from "../../src/catalog/price-table.ts";
import type { ProtocolName } from "../../src/conversation/protocol-name.ts";
import { PROTOCOLS } from "../../src/protocols/table.ts";
import { priceOptions } from "../../src/relay/admit/priced-options.ts";
import { watchOf } from "../../src/relay/admit/watch.ts";
import type { TextRequest } from "../../src/relay/text-request.ts";
import type { CallCount, TokenBucket, TokenUsage } from "../../src/usage/usage.ts";
import { casesOf } from "../support/cases.ts";
import { priceTables } from "../support/price-tables.ts";

/**
 * By generated price tables: whatever step, tier, speed, region and hour applies, and however many calls run of those that the
 * request allows, its hold covers the charge.
 */

const CONTEXT = 900_000;
const MAX_OUTPUT = 64_000;
const TOOL = "web_search";

interface Asked {
  readonly tier: string | undefined;
  readonly speed: string | undefined;
  readonly region: string | undefined;
  readonly output: number;
  /** The calls that the request allows; undefined = it offers no tool. */
  readonly calls: number | undefined;
}

/** The body that asks for this, of a protocol that knows the dimension. */
const BODIES: Readonly<Record<"messages" | "responses", (asked: Asked, text: string) => object>> = {
  messages: ({ tier, speed, region, output, calls }, content) => ({
    model: "m",
    messages: [{ role: "user", content }],
    max_tokens: output,
    service_tier: tier,
    speed,
    inference_geo: region,
    tools: calls === undefined ? [] : [{ type: "web_search_20250305", name: TOOL, max_uses: calls }],
  }),
  responses: ({ tier, output, calls }, input) => ({
    model: "m",
    input,
    max_output_tokens: output,
    service_tier: tier,
    max_tool_calls: calls,
    tools: calls === undefined ? [] : [{ type: TOOL }],
  }),
};

const PLAIN = { mayWriteLong: false, mediaRead: new Set<never>(), requestedMedia: [] };
const INPUT = inputBuckets(PLAIN);
const OUTPUT = outputBuckets(PLAIN).filter((bucket) => !bucket.endsWith("Output"));

const nameIn = (terms: object) => fc.constantFrom(undefined, ...Object.keys(terms));

const cases = priceTables.chain((table) =>
  fc.record({
    table: fc.constant(table),
    asked: fc.record({
      tier: nameIn(table.tiers),
      speed: nameIn(table.speeds),
      region: nameIn(table.regions),
      output: fc.integer({ min: 1, max: MAX_OUTPUT }),
      calls: Object.hasOwn(table.calls, TOOL)
        ? fc.option(fc.nat({ max: 12 }), { nil: undefined })
        : fc.constant(undefined),
    }),
    // In hundreds: with the passes of its calls, the input of some requests exceeds the highest step.
    words: fc.nat({ max: 100 }),
    atMs: fc.integer({ min: 0, max: 7 * 86_400_000 }),
    factorPpm: fc.bigInt({ min: 0n, max: 5_000_000n }),
    // Of what the request is held for, what it used, and whether each dimension was served as it asked.
    used: fc.record({
      input: fc.array(fc.nat({ max: 100 }), { minLength: INPUT.length, maxLength: INPUT.length }),
      output: fc.array(fc.nat({ max: 100 }), { minLength: OUTPUT.length, maxLength: OUTPUT.length }),
      calls: fc.double({ min: 0, max: 1, noNaN: true }),
      tier: fc.boolean(),
      speed: fc.boolean(),
      region: fc.boolean(),
    }),
  }),
);

type Case = typeof cases extends fc.Arbitrary<infer Each> ? Each : never;

/** All of these tokens, parted by the drawn shares. */
function parted(buckets: readonly TokenBucket[], shares: readonly number[], tokens: number): TokenUsage {
  const whole = Math.max(
    100,
    shares.reduce((sum, share) => sum + share, 0),
  );
  return Object.fromEntries(
    buckets.map((bucket, index) => [bucket, Math.floor((tokens * (shares[index] ?? 0)) / whole)]),
  );
}

function held(
  name: ProtocolName,
  { base, ...dimensions }: PriceTable,
  body: object,
  { atMs, factorPpm }: Pick<Case, "atMs" | "factorPpm">,
) {
  const bytes = Buffer.from(JSON.stringify(body));
  const scanner = createBodyScan(watchOf(name));
  scanner.write(bytes);
  const scan = scanner.end();
  const protocol = PROTOCOLS[name];
  const model = {
    id: "m",
    contextTokens: CONTEXT,
    maxOutputTokens: MAX_OUTPUT,
    quirks: {},
    price: { id: 1n, rates: base, media: {}, dimensions },
  } as unknown as Model;
  const request = { protocol, body: [bytes], scan, caller: { group: "g" } } as unknown as TextRequest;
  const catalog = { serving: () => [{ protocols: [name] }] } as unknown as Catalog;
  const price = freezePrice(
    model,
    factorPpm,
    priceOptions(request, catalog, model, () => false),
    atMs,
  );
  const { amountNanos } = estimateMaxCost({
    forward: protocol.forward,
    model,
    price,
    body: [bytes],
    scan,
    settings: { maxPasses: 100, holdCalls: 1 },
  });
  return { price, amountNanos };
}

/** A table by which an input token costs a nano and nothing else costs anything, with the same names. */
function inputAlone({ tiers, speeds, regions, calls }: PriceTable): PriceTable {
  const same = (terms: object) => Object.fromEntries(Object.keys(terms).map((each) => [each, 1_000_000n]));
  return {
    ...NO_DIMENSIONS,
    base: { input: 1_000_000n, output: 0n },
    tiers: Object.fromEntries(Object.keys(tiers).map((each) => [each, { factor: 1_000_000n }])),
    speeds: same(speeds),
    regions: same(regions),
    calls: Object.fromEntries(Object.keys(calls).map((each) => [each, { per: "use", nanos: 0n }])),
  };
}

describe.each(["messages", "responses"] as const)("the hold of a request of %s", (name) => {
  it("is never below the charge, at every step, tier, speed, region, hour and number of calls", () => {
    let [stepped, tiered, called] = [0, 0, 0];
    fc.assert(
      fc.property(cases, ({ table, asked, words, used, atMs, factorPpm }) => {
        const body = BODIES[name](asked, "word ".repeat(words * 100));
        const { price, amountNanos } = held(name, table, body, { atMs, factorPpm });
        const tokens = held(name, inputAlone(table), body, { atMs, factorPpm: 1_000_000n }).amountNanos;
        const usage = {
          ...parted(INPUT, used.input, Number(tokens)),
          ...parted(OUTPUT, used.output, asked.output),
        };
        const terms = table.calls[TOOL];
        const [size] = terms !== undefined && "sizes" in terms ? Object.keys(terms.sizes) : [];
        const count = Math.round((asked.calls ?? 0) * used.calls);
        const calls: CallCount[] =
          count === 0 ? [] : [Object.assign({ tool: TOOL, count }, size && { size })];
        const served = Object.fromEntries(
          (["tier", "speed", "region"] as const).flatMap((dimension) =>
            used[dimension] && price.asked?.[dimension] !== undefined
              ? [[dimension, price.asked[dimension]]]
              : [],
          ),
        );
        const { chargeNanos, unpriced } = chargeOf(price, { usage, calls, served });
        if (table.steps.some(({ above }) => Number(tokens) > above)) stepped += 1;
        if (served["tier"] !== undefined) tiered += 1;
        if (count > 1) called += 1;
        if (chargeNanos > amountNanos || unpriced.length > 0)
          expect({ chargeNanos, unpriced }).toEqual({ chargeNanos: amountNanos, unpriced: [] });
      }),
      { numRuns: casesOf(5_000) },
    );
    expect(Math.min(stepped, tiered, called)).toBeGreaterThan(20);
  });
});
