import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createBodyScan } from "../../src/base/json/json-scan.ts";
import { chargeOf } from "../../src/billing/pricing/charge.ts";
import { freezePrice } from "../../src/billing/pricing/frozen-price.ts";
import { estimateMaxCost } from "../../src/billing/pricing/max-cost.ts";
import type { Catalog, Model, Upstream } from "../../src/catalog/catalog.ts";
import { NO_DIMENSIONS } from "../../src/catalog/price-table.ts";
import type { ProtocolName } from "../../src/conversation/protocol-name.ts";
import { PROTOCOLS } from "../../src/protocols/table.ts";
import { findAdditionalModels } from "../../src/relay/admit/additional-models.ts";
import { watchOf } from "../../src/relay/admit/watch.ts";
import { ourNameOf, priceAdditional } from "../../src/relay/settle/additional-usage.ts";
import { estimateMissing } from "../../src/relay/settle/estimate.ts";
import type { TextRequest } from "../../src/relay/text-request.ts";
import type { Candidate } from "../../src/upstreams/call.ts";
import { casesOf } from "../support/cases.ts";

/**
 * However many units, or passes of other models, a vendor says that a response took: nobody pays for more of them than the request
 * can have brought. `calls-within-hold.test.ts` says the same of calls.
 */

const MOST_PASSES = 7;
const CONTEXT = 20_000;
const MAX_OUTPUT = 1_000;
const INPUT = 3_000_000_000n;
const OUTPUT = 15_000_000_000n;
/** In nanos, of a response that fills a pass. */
const PASS = (BigInt(CONTEXT) * INPUT + BigInt(MAX_OUTPUT) * OUTPUT) / 1_000_000n;

/** Every model has the same price, so that whose a pass is makes no difference. */
function modelOf(id: string, more: object = {}): Model {
  return {
    id,
    contextTokens: CONTEXT,
    maxOutputTokens: MAX_OUTPUT,
    quirks: {},
    price: { id: 1n, rates: { input: INPUT, output: OUTPUT }, media: {}, ...more },
  } as unknown as Model;
}

/** What the request is held for, and what its response is charged. */
async function settle(name: ProtocolName, models: readonly Model[], given: object, answer: object) {
  const [asked] = models;
  if (asked === undefined) throw new Error("the model that is asked is there");
  const upstream = {
    protocols: [name],
    models: new Map(models.map(({ id }) => [id, `vendor-${id}`])),
    unaskedTiers: [],
    region: null,
  } as unknown as Upstream;
  const catalog = {
    models: new Map(models.map((each) => [each.id, each])),
    groups: new Map([["g", { name: "g", factorPpm: 1_000_000n }]]),
    settings: { maxPasses: MOST_PASSES, holdCalls: 1 },
    serving: () => [upstream],
    callable: (_: unknown, id: string) => models.find((each) => each.id === id),
  } as unknown as Catalog;
  const bytes = Buffer.from(JSON.stringify({ model: asked.id, ...given }));
  const scanner = createBodyScan(watchOf(name));
  scanner.write(bytes);
  const request = {
    protocol: PROTOCOLS[name],
    model: asked.id,
    caller: { group: "g" },
    headers: {},
    body: [bytes],
    scan: scanner.end(),
  } as unknown as TextRequest;
  const price = freezePrice(asked, 1_000_000n, {}, 0);
  const { amountNanos, usage: bound } = estimateMaxCost({
    forward: PROTOCOLS[name].forward,
    model: asked,
    price,
    body: [bytes],
    scan: request.scan,
    settings: catalog.settings,
    additionalModels: findAdditionalModels(request, catalog, asked, 1_000_000n, 0),
  });
  const facts = PROTOCOLS[name].usage.readPlain(answer);
  const accepted = { catalog, request, bound, acceptedMs: 0 };
  const counted = await estimateMissing(request, facts, bound, (model) =>
    ourNameOf(model, upstream, accepted),
  );
  const { additionalUsage: others, implausible } = priceAdditional(
    accepted,
    { upstream, credential: { secret: "" } } as Candidate,
    counted.additionalUsage,
  );
  const { usage, calls, units } = counted;
  const { chargeNanos } = chargeOf(price, { usage, calls, units, additionalUsage: others });
  return { amountNanos, chargeNanos, implausible: [...counted.implausible, ...implausible], facts };
}

const claim = fc.oneof(fc.nat({ max: 12 }), fc.nat({ max: 1_000_000_000 }));

describe("units that a vendor reports", () => {
  const EACH = 2_000_000n;
  const units = { search: EACH, image: EACH };
  const dimensions = { ...NO_DIMENSIONS, units };
  const priced = modelOf("asked", { rates: { input: 0n }, dimensions });

  it("cost no more searches than the documents of a rerank request can take", async () => {
    await fc.assert(
      fc.asyncProperty(claim, fc.integer({ min: 1, max: 250 }), async (searches, documents) => {
        const body = { query: "q", documents: Array.from({ length: documents }, () => "d") };
        const answer = { results: [{ index: 0 }], meta: { billed_units: { search_units: searches } } };
        const { amountNanos, chargeNanos, implausible } = await settle("rerank", [priced], body, answer);
        const possible = Number(amountNanos / EACH);
        // A search ranks a hundred short documents, and what is around them may count as another.
        expect(possible).toBeLessThanOrEqual(Math.ceil(documents / 100) + 1);
        expect(chargeNanos).toBe(BigInt(Math.min(searches, possible)) * EACH);
        const told = searches > possible ? [{ field: "search", reported: searches, most: possible }] : [];
        expect(implausible).toEqual(told);
      }),
      { numRuns: casesOf(1_000) },
    );
  });

  it("cost no more images than a request for embeddings has", async () => {
    await fc.assert(
      fc.asyncProperty(claim, fc.nat({ max: 5 }), async (images, given) => {
        const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
        const body = { input: ["text", ...Array.from({ length: given }, () => image)] };
        const answer = { data: [{ embedding: [0.5] }], meta: { billed_units: { images } } };
        const { amountNanos, chargeNanos } = await settle("embeddings", [priced], body, answer);
        expect(chargeNanos).toBe(BigInt(Math.min(images, given)) * EACH);
        expect(chargeNanos).toBeLessThanOrEqual(amountNanos);
      }),
      { numRuns: casesOf(1_000) },
    );
  });
});

describe("passes of other models that a vendor reports", () => {
  const models = ["asked", "clever", "second", "other"].map((id) => modelOf(id));
  const count = fc.oneof(fc.nat({ max: 3_000 }), fc.nat({ max: CONTEXT }), fc.nat({ max: 1_000_000_000 }));
  const part = fc.record({
    model: fc.constantFrom("clever", "second", "other", "asked", "unknown", undefined),
    type: fc.constantFrom("advisor_message", "advisor_message", "message", "compaction"),
    input: count,
    output: count,
  });
  const wire = (input: number, output: number) => ({ input_tokens: input, output_tokens: output });
  const answerOf = (own: object, iterations: readonly object[]): object => ({
    type: "message",
    model: "vendor-asked",
    content: [{ type: "text", text: "Hi" }],
    stop_reason: "end_turn",
    usage: { ...own, iterations },
  });
  const said = { max_tokens: MAX_OUTPUT, messages: [{ role: "user", content: "Hello" }] };
  const advisor = (uses: number | undefined) => ({
    tools: [{ type: "advisor_20260301", name: "advisor", model: "vendor-clever", max_uses: uses }],
  });

  it("cost no more of an advisor than it may be asked, and none that is not named", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { maxLength: 40 }),
        fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
        fc.boolean(),
        async (parts, uses, offers) => {
          const iterations = parts.map(({ model, type, input, output }) => ({
            type,
            model: model === undefined ? undefined : `vendor-${model}`,
            ...wire(input, output),
          }));
          const answer = answerOf(wire(10, 5), iterations);
          const body = { ...said, ...(offers ? advisor(uses) : {}) };
          const { amountNanos, chargeNanos } = await settle("messages", models, body, answer);
          const own = (10n * INPUT + 5n * OUTPUT) / 1_000_000n;
          const allowed = offers ? BigInt(uses ?? MOST_PASSES) : 0n;
          // No summary was asked for, whether it names a model or is the asked one's.
          expect(chargeNanos).toBeLessThanOrEqual(own + allowed * PASS);
          if (!offers || uses !== undefined) expect(chargeNanos).toBeLessThanOrEqual(amountNanos);
        },
      ),
      { numRuns: casesOf(2_000) },
    );
  });

  it("cost no more of models that declined than may have answered before the one that did", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ input: fc.nat({ max: CONTEXT }), output: fc.nat({ max: MAX_OUTPUT }) }), {
          maxLength: 40,
        }),
        async (declined) => {
          const served = { input: 10, output: 5 };
          const all = [...declined, served];
          const totals = wire(
            all.reduce((sum, { input }) => sum + input, 0),
            all.reduce((sum, { output }) => sum + output, 0),
          );
          const iterations = [
            ...declined.map(({ input, output }) => ({
              type: "message",
              model: "vendor-asked",
              ...wire(input, output),
            })),
            { type: "fallback_message", model: "vendor-second", ...wire(served.input, served.output) },
          ];
          const body = { ...said, fallbacks: [{ model: "vendor-second" }] };
          const { chargeNanos } = await settle("messages", models, body, answerOf(totals, iterations));
          // The asked model and one fallback: two passes.
          expect(chargeNanos).toBeLessThanOrEqual(2n * PASS);
        },
      ),
      { numRuns: casesOf(2_000) },
    );
  });
});
