import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createBodyScan } from "../../base/json/json-scan.ts";
import { compileWatch } from "../../base/json/json-watch.ts";
import type { Model } from "../../catalog/catalog.ts";
import { holdPaths } from "../../protocols/body-features.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import { freezePrice } from "./frozen-price.ts";
import { type CostEstimateInput, estimateMaxCost } from "./max-cost.ts";
import { limitOutput } from "./output-limit.ts";

const LIMITS = ["max_tokens", "max_completion_tokens"];
const DOLLAR = 1_000_000_000n;

interface Terms {
  readonly input?: bigint;
  readonly output?: bigint;
  readonly reasoning?: bigint;
  readonly factorPpm?: bigint;
}

/** A request of a model that writes 128,000 tokens, at $1 and $10 a million where nothing else is said. */
function questionOf(fields: object, { factorPpm = 1_000_000n, ...rates }: Terms = {}): CostEstimateInput {
  const body = Buffer.from(JSON.stringify({ messages: [{ role: "user", content: "Hello" }], ...fields }));
  const { hold } = PROTOCOLS["chat-completions"].forward;
  const scanner = createBodyScan(compileWatch([...holdPaths(hold), ...LIMITS, "n", "tools"]));
  scanner.write(body);
  const price = {
    id: 1n,
    rates: { input: DOLLAR, output: 10n * DOLLAR, ...rates },
    extras: {},
    media: {},
  };
  const model = {
    id: "m",
    contextTokens: 200_000,
    maxOutputTokens: 128_000,
    price,
    quirks: {},
  } as unknown as Model;
  return {
    forward: { hold, outputLimits: LIMITS, responseCounts: ["n"] },
    model,
    price: freezePrice(model, factorPpm, {}, 0),
    body: [body],
    scan: scanner.end(),
    settings: { maxPasses: 100, holdCalls: 1 },
  };
}

const rate = fc.bigInt({ min: 1n, max: 1_000n * DOLLAR });
const terms = fc.record({
  input: rate,
  output: rate,
  reasoning: rate,
  factorPpm: fc.bigInt({ min: 1n, max: 5_000_000n }),
});
const money = fc.bigInt({ min: 0n, max: 10n * DOLLAR });

describe("an output limit that the gateway writes", () => {
  it("keeps input and output within a quarter of the money, and leaves less than a token and a nano of it", () => {
    fc.assert(
      fc.property(terms, money, (of, funds) => {
        const question = questionOf({}, of);
        const limited = limitOutput(question, funds);
        // Input is rounded alone before, and with the output in the end: a nano may lie between.
        const nearlyAll = funds / 4n - 1n;
        if (limited === undefined) {
          const least = estimateMaxCost({ ...question, outputLimit: 256 }).amountNanos;
          expect(least).toBeGreaterThanOrEqual(nearlyAll);
          return;
        }
        const { outputLimit, amountNanos, usage } = limited;
        expect(amountNanos).toBeLessThanOrEqual(funds / 4n);
        expect(outputLimit).toBeGreaterThanOrEqual(256);
        expect(outputLimit).toBeLessThanOrEqual(128_000);
        expect(usage).toMatchObject({ statedOutputTokens: outputLimit, outputTokens: 128_000 });
        if (outputLimit === 128_000) return;
        const more = estimateMaxCost({ ...question, outputLimit: outputLimit + 1 }).amountNanos;
        expect(more).toBeGreaterThanOrEqual(nearlyAll);
      }),
    );
  });

  it("grows with the money", () => {
    fc.assert(
      fc.property(terms, money, money, (of, one, other) => {
        const [less, more] = one < other ? [one, other] : [other, one];
        const limit = (funds: bigint): number => limitOutput(questionOf({}, of), funds)?.outputLimit ?? 0;
        expect(limit(less)).toBeLessThanOrEqual(limit(more));
      }),
    );
  });

  it("is what a quarter of ten cents buys beside a short prompt, at ten dollars a million", () => {
    const question = questionOf({ max_tokens: null });
    const inputTokens = Number(estimateMaxCost({ ...question, outputLimit: 0 }).amountNanos) / 1_000;
    expect(limitOutput(question, DOLLAR / 10n)?.outputLimit).toBe(
      Math.floor((25_000 - inputTokens) / 10 - 0.0001),
    );
  });

  it.each([
    ["a limit in one spelling", { max_tokens: 5 }],
    ["a limit in the other", { max_completion_tokens: 100_000 }],
    ["a limit that is no number", { max_tokens: "many" }],
    ["two answers", { n: 2 }],
    ["a tool that the vendor runs", { web_search_options: {} }],
  ])("is not written where the caller asks for %s", (_, fields) => {
    expect(limitOutput(questionOf(fields), DOLLAR)).toBeUndefined();
  });

  it("is not written where output costs nothing, as it would save nothing", () => {
    expect(limitOutput(questionOf({}, { output: 0n }), 100n)).toBeUndefined();
  });
});
