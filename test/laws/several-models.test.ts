import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createBodyScan } from "../../src/base/json/json-scan.ts";
import { chargeOf } from "../../src/billing/pricing/charge.ts";
import { freezePrice } from "../../src/billing/pricing/frozen-price.ts";
import { estimateMaxCost } from "../../src/billing/pricing/max-cost.ts";
import type { Catalog, Model, Upstream } from "../../src/catalog/catalog.ts";
import { NO_DIMENSIONS } from "../../src/catalog/price-table.ts";
import { PROTOCOLS } from "../../src/protocols/table.ts";
import { findAdditionalModels } from "../../src/relay/admit/additional-models.ts";
import { watchOf } from "../../src/relay/admit/watch.ts";
import { priceAdditional } from "../../src/relay/settle/additional-usage.ts";
import { estimateMissing } from "../../src/relay/settle/estimate.ts";
import type { TextRequest } from "../../src/relay/text-request.ts";
import type { Candidate } from "../../src/upstreams/call.ts";
import { casesOf } from "../support/cases.ts";

/**
 * What several models have used for one response of Anthropic's messages costs what each has used at its own price, however
 * many of them there are, and no more than was held for the request that names them.
 */

const CONTEXT = 50_000;
const MAX_OUTPUT = 4_000;
const NAMES = ["asked", "second", "third", "clever"] as const;
type Name = (typeof NAMES)[number];

/** Nanos per million tokens; above a step of input both double. */
const rates = fc.record({
  input: fc.bigInt({ min: 0n, max: 20_000_000_000n }),
  output: fc.bigInt({ min: 0n, max: 90_000_000_000n }),
  cacheRead: fc.bigInt({ min: 0n, max: 5_000_000_000n }),
  above: fc.integer({ min: 1, max: CONTEXT }),
  fastPpm: fc.bigInt({ min: 1_000_000n, max: 6_000_000n }),
});
const share = fc.double({ min: 0, max: 1, noNaN: true });
const counts = fc.record({ input: share, read: share, output: share });
const part = fc.record({ model: fc.constantFrom(...NAMES), counts });

const answers = fc.record({
  prices: fc.record({ asked: rates, second: rates, third: rates, clever: rates }),
  groupPpm: fc.bigInt({ min: 0n, max: 3_000_000n }),
  // Models that declined before another served the response, all or none of them counted in the totals.
  declined: fc.array(counts, { maxLength: 2 }),
  fallbacks: fc.boolean(),
  areInTotals: fc.boolean(),
  served: counts,
  advice: fc.array(part, { maxLength: 3 }),
  summary: fc.option(counts, { nil: undefined }),
  isFast: fc.boolean(),
  words: fc.integer({ min: 0, max: 400 }),
});

interface Tokens {
  readonly input: number;
  readonly read: number;
  readonly output: number;
}
type Rates = typeof rates extends fc.Arbitrary<infer R> ? R : never;

/** In millionths of a millionth of a nano: tokens by the rates of one pass, times a speed. */
function costOf({ input, read, output }: Tokens, of: Rates, ppm: bigint): bigint {
  const step = input + read > of.above ? 2n : 1n;
  const tokens = BigInt(input) * of.input + BigInt(read) * of.cacheRead + BigInt(output) * of.output;
  return tokens * step * ppm;
}

const add = (all: readonly Tokens[]): Tokens => ({
  input: all.reduce((sum, { input }) => sum + input, 0),
  read: all.reduce((sum, { read }) => sum + read, 0),
  output: all.reduce((sum, { output }) => sum + output, 0),
});

const wire = ({ input, read, output }: Tokens) => ({
  input_tokens: input,
  cache_read_input_tokens: read,
  cache_creation_input_tokens: 0,
  output_tokens: output,
});

function modelOf(id: Name, { above, fastPpm, ...own }: Rates, number: bigint): Model {
  const twice = { input: own.input * 2n, output: own.output * 2n, cacheRead: own.cacheRead * 2n };
  const dimensions = {
    ...NO_DIMENSIONS,
    steps: [{ above, prices: twice }],
    speeds: { fast: fastPpm },
  };
  const price = { id: number, rates: own, dimensions, media: {} };
  return {
    id,
    contextTokens: CONTEXT,
    maxOutputTokens: MAX_OUTPUT,
    price,
    quirks: {},
  } as Partial<Model> as Model;
}

describe("an answer of several models", () => {
  it("costs what each has used at its own price, and no more than is held", async () => {
    await fc.assert(
      fc.asyncProperty(answers, async (answer) => {
        const { prices, groupPpm, declined, fallbacks, areInTotals, advice, summary, isFast, words } = answer;
        const models = new Map(
          NAMES.map((name, index) => [name as string, modelOf(name, prices[name], BigInt(index))]),
        );
        const upstream = {
          protocols: ["messages"],
          models: new Map(NAMES.map((name) => [name, `vendor-${name}`])),
          unaskedTiers: [],
          region: null,
        } as unknown as Upstream;
        const catalog = {
          models,
          groups: new Map([["g", { name: "g", factorPpm: groupPpm }]]),
          settings: { maxPasses: 100, holdCalls: 1 },
          serving: () => [upstream],
          callable: (_: unknown, id: string) => models.get(id),
        } as unknown as Catalog;
        const body = {
          model: "asked",
          max_tokens: 900,
          messages: [{ role: "user", content: "word ".repeat(words) }],
          ...(isFast ? { speed: "fast" } : {}),
          ...(summary === undefined ? {} : { context_management: { edits: [{ type: "compact_20260112" }] } }),
          fallbacks: ["second", "third"].map((model) => ({
            model: `vendor-${model}`,
            max_tokens: 700,
            ...(isFast ? { speed: "fast" } : {}),
          })),
          tools: advice.map((_, index) => ({
            type: "advisor_20260301",
            name: `advisor_${index}`,
            model: "vendor-clever",
            max_uses: 1,
          })),
        };
        const bytes = Buffer.from(JSON.stringify(body));
        const scanner = createBodyScan(watchOf("messages"));
        scanner.write(bytes);
        const request = {
          protocol: PROTOCOLS.messages,
          model: "asked",
          caller: { group: "g" },
          headers: {},
          body: [bytes],
          scan: scanner.end(),
        } as unknown as TextRequest;

        // What the vendor counts, within what the request allows.
        const prompt = advice.length > 0 ? CONTEXT : Math.min(bytes.length, CONTEXT);
        const sized = ({ input, read, output }: Tokens, most: number, mostOutput: number): Tokens => {
          const whole = Math.floor(input * most);
          const cached = Math.floor(read * whole);
          return { input: whole - cached, read: cached, output: Math.floor(output * mostOutput) };
        };
        const before = fallbacks ? declined.map((each) => sized(each, prompt, 700)) : [];
        const order: readonly Name[] = ["asked", "second", "third"];
        const last = order[before.length] ?? "third";
        const own = sized(answer.served, prompt, last === "asked" ? 900 : 700);
        const totals = areInTotals ? add([...before, own]) : own;
        const summed = summary && sized(summary, prompt, MAX_OUTPUT);
        const advised = advice.map((each) => ({ tokens: sized(each.counts, CONTEXT, MAX_OUTPUT) }));
        const usage = {
          ...wire(totals),
          speed: isFast ? "fast" : "standard",
          iterations: [
            ...(summed === undefined ? [] : [{ type: "compaction", ...wire(summed) }]),
            ...before.map((each, index) => ({
              type: "message",
              model: `vendor-${order[index]}`,
              ...wire(each),
            })),
            {
              type: last === "asked" ? "message" : "fallback_message",
              model: `vendor-${last}`,
              ...wire(own),
            },
            ...advised.map(({ tokens }) => ({
              type: "advisor_message",
              model: "vendor-clever",
              ...wire(tokens),
            })),
          ],
        };

        // By hand: each model's tokens by its own prices. A summary is of the model that has served the response.
        const speed = (name: Name): bigint => (isFast ? prices[name].fastPpm : 1_000_000n);
        const parts = areInTotals ? before : [];
        const exact =
          costOf(add([own, ...(summed ? [summed] : [])]), prices[last], speed(last)) +
          parts.reduce((sum, each, index) => {
            const name = order[index] ?? "asked";
            return sum + costOf(each, prices[name], speed(name));
          }, 0n) +
          advised.reduce((sum, { tokens }) => sum + costOf(tokens, prices.clever, 1_000_000n), 0n);
        const scale = 1_000_000n * 1_000_000n * 1_000_000n;
        const expected = (2n * exact * groupPpm + scale) / (2n * scale);

        const asked = models.get("asked");
        if (asked === undefined) throw new Error("the model that is asked is there");
        const price = freezePrice(asked, groupPpm, isFast ? { asked: { speed: "fast" } } : {}, 0);
        const { amountNanos, usage: bound } = estimateMaxCost({
          forward: PROTOCOLS.messages.forward,
          model: asked,
          price,
          body: request.body,
          scan: request.scan,
          settings: catalog.settings,
          additionalModels: findAdditionalModels(request, catalog, asked, groupPpm, 0),
        });
        const facts = PROTOCOLS.messages.usage.readPlain({
          id: "msg_1",
          type: "message",
          content: [{ type: "text", text: "Hi" }],
          stop_reason: "end_turn",
          usage,
        });
        const told = await estimateMissing(request, facts, bound);
        const accepted = { catalog, request, bound, acceptedMs: 0 };
        const { additionalUsage: others, implausible } = priceAdditional(
          accepted,
          { upstream, credential: { secret: "" } } as Candidate,
          told.additionalUsage,
        );
        expect([...told.implausible, ...implausible].filter(({ charged }) => !charged)).toEqual([]);
        const charge = chargeOf(price, { usage: told.usage, additionalUsage: others, served: facts.served });
        expect(charge.unpriced).toEqual([]);
        expect(charge.chargeNanos).toBe(expected);
        expect(charge.chargeNanos).toBeLessThanOrEqual(amountNanos);
      }),
      { numRuns: casesOf(20_000) },
    );
  });
});
