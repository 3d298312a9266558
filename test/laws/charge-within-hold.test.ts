import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createBodyScan } from "../../src/base/json/json-scan.ts";
import { chargeOf } from "../../src/billing/pricing/charge.ts";
import { freezePrice } from "../../src/billing/pricing/frozen-price.ts";
import { estimateMaxCost, type RequestBound } from "../../src/billing/pricing/max-cost.ts";
import { inputBuckets, maxRate, outputBuckets } from "../../src/billing/pricing/max-rate.ts";
import { FACTOR_SCALE, roundedExact } from "../../src/billing/pricing/price.ts";
import type { Model } from "../../src/catalog/catalog.ts";
import { NO_DIMENSIONS } from "../../src/catalog/price-table.ts";
import type { TokenPrices } from "../../src/catalog/token-prices.ts";
import type { ChatProtocol } from "../../src/conversation/protocol-name.ts";
import type { ResponseSummary } from "../../src/protocols/protocol.ts";
import { PROTOCOLS } from "../../src/protocols/table.ts";
import { watchOf } from "../../src/relay/admit/watch.ts";
import { estimateMissing } from "../../src/relay/settle/estimate.ts";
import type { TextRequest } from "../../src/relay/text-request.ts";
import { isOutput, TOKEN_BUCKETS, totalInput, totalOutput } from "../../src/usage/usage.ts";

/** What a request holds is what it can cost at most, whatever its vendor reports or leaves out. */

const CONTEXT = 20_000;
const MAX_OUTPUT = 4_000;
const SETTINGS = { maxPasses: 100, holdCalls: 1 };

const text = fc.oneof(
  fc.string({ maxLength: 300, unit: "grapheme" }),
  fc.string({ maxLength: 300, unit: "binary" }),
  fc.constantFrom(
    "",
    "lorem ipsum ".repeat(40),
    "gq".repeat(300),
    "莱茵河".repeat(60),
    "\u0001\u0002".repeat(90),
  ),
);
const limit = fc.oneof(
  fc.integer({ min: 1, max: 9_000 }),
  fc.constantFrom(null, 0, -1, 1.5, 1e9, "7", true),
  fc.constant(undefined),
);
/** Raw JSON, since no JavaScript value writes 1e400. */
const count = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 3_000 }).map(String) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 2_000_000_000 }).map(String) },
  fc.constantFrom(
    "-1",
    "0.5",
    "1e400",
    "9007199254740993",
    '"12"',
    "null",
    "{}",
    "[]",
    "true",
    "19999",
    "4000",
  ),
  fc.constant(undefined),
);
const rate = fc.bigInt({ min: 0n, max: 100_000_000_000n });
const price = fc.record(
  {
    input: rate,
    output: rate,
    reasoning: rate,
    cacheRead: rate,
    cacheWrite: rate,
    cacheWrite30m: rate,
    cacheWrite1h: rate,
    cacheWrite12h: rate,
    audioInput: rate,
    audioOutput: rate,
    imageInput: rate,
    imageOutput: rate,
  },
  { requiredKeys: ["input", "output"] },
);
/** Boundaries of steps, each dearer than the row beneath by a whole multiple. */
const steps = fc.uniqueArray(
  fc.record({ above: fc.integer({ min: 1, max: 6_000 }), times: fc.bigInt({ min: 1n, max: 5n }) }),
  { maxLength: 2, selector: ({ above }) => above },
);
const factor = fc.bigInt({ min: 0n, max: 3_000_000n });

interface Shape {
  readonly body: (text: string, limit: unknown, responses: unknown) => object;
  /** Counts as this protocol's vendors name them: input, output and those that are part of one of them. */
  readonly counts: readonly string[];
  readonly response: (text: string, usage: string) => string;
}

/** `a.b` stands in an object of its own. */
function objectOf(counts: readonly (readonly [string, string])[]): string {
  const inner = new Map<string, string[]>();
  const outer: string[] = [];
  for (const [name, value] of counts) {
    const [first = "", second] = name.split(".");
    if (second === undefined) outer.push(`"${first}":${value}`);
    else inner.set(first, [...(inner.get(first) ?? []), `"${second}":${value}`]);
  }
  return `{${[...outer, ...Array.from(inner, ([name, members]) => `"${name}":{${members.join(",")}}`)].join(",")}}`;
}

const words = (said: string): string => JSON.stringify(said);

const SHAPES: Readonly<Record<ChatProtocol, Shape>> = {
  "chat-completions": {
    body: (content, max_tokens, n) => ({ model: "m", messages: [{ role: "user", content }], max_tokens, n }),
    counts: [
      ...["prompt_tokens", "completion_tokens", "total_tokens", "prompt_tokens_details.cached_tokens"],
      ...["completion_tokens_details.reasoning_tokens", "completion_tokens_details.image_tokens"],
      ...["prompt_tokens_details.audio_tokens", "completion_tokens_details.audio_tokens"],
    ],
    response: (said, usage) =>
      `{"choices":[{"index":0,"message":{"role":"assistant","content":${words(said)}},"finish_reason":"stop"}],"usage":${usage}}`,
  },
  responses: {
    body: (input, max_output_tokens) => ({ model: "m", input, max_output_tokens }),
    counts: [
      ...["input_tokens", "output_tokens", "total_tokens", "input_tokens_details.cached_tokens"],
      ...["output_tokens_details.reasoning_tokens", "output_tokens_details.image_tokens"],
      ...["input_tokens_details.cache_write_tokens", "input_tokens_details.image_tokens"],
    ],
    response: (said, usage) =>
      `{"object":"response","status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":${words(said)}}]}],"usage":${usage}}`,
  },
  messages: {
    body: (content, max_tokens) => ({ model: "m", messages: [{ role: "user", content }], max_tokens }),
    counts: [
      ...["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"],
      "cache_creation.ephemeral_5m_input_tokens",
    ],
    response: (said, usage) =>
      `{"type":"message","role":"assistant","stop_reason":"end_turn","content":[{"type":"text","text":${words(said)}}],"usage":${usage}}`,
  },
  "generate-content": {
    body: (said, maxOutputTokens, candidateCount) => ({
      contents: [{ role: "user", parts: [{ text: said }] }],
      generationConfig: { maxOutputTokens, candidateCount },
    }),
    counts: [
      ...["promptTokenCount", "candidatesTokenCount", "totalTokenCount", "cachedContentTokenCount"],
      ...["thoughtsTokenCount", "toolUsePromptTokenCount"],
    ],
    response: (said, usage) =>
      `{"candidates":[{"content":{"role":"model","parts":[{"text":${words(said)}}]},"finishReason":"STOP","index":0}],"usageMetadata":${usage}}`,
  },
};

const NAMES = Object.keys(SHAPES) as ChatProtocol[];

const requests = fc.record({
  prompt: text,
  limit,
  responses: fc.constantFrom(undefined, 1, 3),
  price,
  steps,
  factor,
});

function held(name: ChatProtocol, asked: typeof requests extends fc.Arbitrary<infer Asked> ? Asked : never) {
  const body = Buffer.from(JSON.stringify(SHAPES[name].body(asked.prompt, asked.limit, asked.responses)));
  const scanner = createBodyScan(watchOf(name));
  scanner.write(body);
  const scan = scanner.end();
  let prices: TokenPrices = asked.price;
  const rows = [...asked.steps]
    .sort((one, other) => one.above - other.above)
    .map(({ above, times }) => {
      prices = Object.fromEntries(Object.entries(prices).map(([each, nanos]) => [each, nanos * times]));
      return { above, prices };
    });
  const model = {
    id: "m",
    family: null,
    variant: null,
    ownedBy: "x",
    created: 0,
    endpoints: [name],
    groups: null,
    contextTokens: CONTEXT,
    maxOutputTokens: MAX_OUTPUT,
    quirks: {},
    price: {
      id: 1n,
      rates: asked.price,
      media: {},
      dimensions: { ...NO_DIMENSIONS, steps: rows },
    },
  } as unknown as Model;
  const frozen = freezePrice(model, asked.factor, {}, 0);
  const bound = estimateMaxCost({
    forward: PROTOCOLS[name].forward,
    model,
    price: frozen,
    body: [body],
    scan,
    settings: SETTINGS,
  });
  const request = { protocol: PROTOCOLS[name], body: [body], scan } as unknown as TextRequest;
  return { bound, frozen, request };
}

/** What the meter reads of a response; one that is no JSON reads as none. */
function factsOf(name: ChatProtocol, response: string): ResponseSummary {
  let parsed: unknown;
  try {
    parsed = JSON.parse(response);
  } catch {
    parsed = undefined;
  }
  return PROTOCOLS[name].usage.readPlain(parsed);
}

/** In which a request of plain text can be billed. */
const PLAIN = { mayWriteLong: false, mediaRead: new Set<never>(), requestedMedia: [] };
const PLAIN_BUCKETS: ReadonlySet<string> = new Set([...inputBuckets(PLAIN), ...outputBuckets(PLAIN)]);

/** All that the model can read and write for this request, at its highest price. */
function most({ usage }: RequestBound, frozen: ReturnType<typeof freezePrice>): bigint {
  const input =
    BigInt(usage.contextTokens * usage.passes) * maxRate(frozen, usage.contextTokens * usage.passes, INPUT);
  const output =
    BigInt(usage.outputTokens * usage.responses * usage.passes) *
    maxRate(frozen, usage.contextTokens * usage.passes, OUTPUT);
  return roundedExact((input + output) * FACTOR_SCALE, frozen.factorPpm);
}

const INPUT = TOKEN_BUCKETS.filter((bucket) => !isOutput(bucket));
const OUTPUT = TOKEN_BUCKETS.filter(isOutput);

describe.each(NAMES)("what a request of %s is charged", (name) => {
  const usages = fc.record(Object.fromEntries(SHAPES[name].counts.map((field) => [field, count])));

  it("is never above what its model can do, whatever is reported, and within the hold as far as that was asked for", async () => {
    let within = 0;
    await fc.assert(
      fc.asyncProperty(requests, text, usages, async (asked, said, reported) => {
        const { bound, frozen, request } = held(name, asked);
        const given = Object.entries(reported).flatMap(([field, value]) =>
          value === undefined ? [] : [[field, value] as const],
        );
        const facts = factsOf(name, SHAPES[name].response(said, objectOf(given)));
        const { usage, estimated } = await estimateMissing(request, facts, bound.usage);
        const { chargeNanos: cost, unpriced } = chargeOf(frozen, { usage });
        expect(cost).toBeLessThanOrEqual(most(bound, frozen));

        const heldInput = inputHeld(name, asked);
        const { statedOutputTokens, responses } = bound.usage;
        const wasAsked =
          totalInput(usage) <= heldInput &&
          totalOutput(usage) <= statedOutputTokens * responses &&
          Object.entries(usage).every(([bucket, tokens]) => tokens === 0 || PLAIN_BUCKETS.has(bucket)) &&
          unpriced.length === 0;
        if (!wasAsked) {
          // Only a vendor's own word can be more than was asked for; an estimate never is.
          expect(facts.usage, JSON.stringify(usage)).toBeDefined();
          return;
        }
        within += 1;
        expect(cost, `${estimated} ${JSON.stringify(usage)}`).toBeLessThanOrEqual(bound.amountNanos);
      }),
      { numRuns: 150 },
    );
    expect(within).toBeGreaterThan(15);
  });

  it("is within the hold where the vendor reports nothing at all, however much it wrote", async () => {
    await fc.assert(
      fc.asyncProperty(requests, text, fc.integer({ min: 1, max: 40 }), async (asked, said, times) => {
        const { bound, frozen, request } = held(name, asked);
        const response = SHAPES[name].response(said.repeat(times), "null");
        const { usage, estimated } = await estimateMissing(request, factsOf(name, response), bound.usage);
        expect(estimated).toBe(true);
        expect(chargeOf(frozen, { usage }).chargeNanos).toBeLessThanOrEqual(bound.amountNanos);
      }),
      { numRuns: 60 },
    );
  });
});

/** In tokens: the hold's input alone, read off a price that makes output free. */
function inputHeld(name: ChatProtocol, asked: Parameters<typeof held>[1]): number {
  const free = { ...asked, price: { input: 1_000_000n, output: 0n }, steps: [], factor: 1_000_000n };
  return Number(held(name, free).bound.amountNanos);
}
