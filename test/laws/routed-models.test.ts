import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createBodyScan } from "../../src/base/json/json-scan.ts";
import { chargeOf } from "../../src/billing/pricing/charge.ts";
import { freezePrice } from "../../src/billing/pricing/frozen-price.ts";
import { estimateMaxCost } from "../../src/billing/pricing/max-cost.ts";
import type { Catalog, Model, Upstream } from "../../src/catalog/catalog.ts";
import { PROTOCOLS } from "../../src/protocols/table.ts";
import { findAdditionalModels } from "../../src/relay/admit/additional-models.ts";
import { watchOf } from "../../src/relay/admit/watch.ts";
import { ourNameOf, priceAdditional } from "../../src/relay/settle/additional-usage.ts";
import { estimateMissing } from "../../src/relay/settle/estimate.ts";
import type { TextRequest } from "../../src/relay/text-request.ts";
import type { Candidate } from "../../src/upstreams/call.ts";
import { casesOf } from "../support/cases.ts";

/**
 * A request may list models in `models` or as a gateway's `fallbacks`, of which the vendor bills the one that answers. The response costs what that model has
 * used at its own price, and no more than is held; a name that is none of them costs what the model that was asked does at its
 * highest price, and is told as unpriced. Without a list no name in a response changes its price.
 */

const NAMES = ["asked", "second", "third", "other"] as const;
type Name = (typeof NAMES)[number];

const settings = fc.record({
  input: fc.bigInt({ min: 0n, max: 20_000_000_000n }),
  output: fc.bigInt({ min: 0n, max: 90_000_000_000n }),
  context: fc.integer({ min: 2_000, max: 50_000 }),
  maxOutput: fc.integer({ min: 100, max: 4_000 }),
});
type Settings = typeof settings extends fc.Arbitrary<infer S> ? S : never;

const share = fc.double({ min: 0, max: 1, noNaN: true });
const cases = fc.record({
  models: fc.record({ asked: settings, second: settings, third: settings, other: settings }),
  protocol: fc.constantFrom("chat-completions" as const, "responses" as const, "messages" as const),
  isStream: fc.boolean(),
  listed: fc.option(fc.subarray(["vendor/second", "third", "vendor/asked"]), { nil: undefined }),
  field: fc.constantFrom("models" as const, "fallbacks" as const),
  server: fc.constantFrom<Name>(...NAMES),
  spelling: fc.constantFrom("", "-2026-03-01", "-20260301", ":nitro", "-20260301:free"),
  isNamed: fc.boolean(),
  isUnknown: fc.boolean(),
  limit: fc.option(fc.integer({ min: 50, max: 6_000 }), { nil: undefined }),
  answers: fc.integer({ min: 1, max: 3 }),
  input: share,
  output: share,
  words: fc.integer({ min: 0, max: 400 }),
});

function modelOf(id: Name, { input, output, context, maxOutput }: Settings, number: bigint): Model {
  const price = { id: number, rates: { input, output }, media: {} };
  return {
    id,
    contextTokens: context,
    maxOutputTokens: maxOutput,
    price,
    quirks: {},
  } as Partial<Model> as Model;
}

const PATHS = {
  "chat-completions": {
    body: (limit: number | undefined, n: number) => ({
      messages: [],
      n,
      ...(limit === undefined ? {} : { max_tokens: limit }),
    }),
    answer: (model: string | undefined, input: number, output: number) => ({
      id: "chatcmpl-1",
      model,
      choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
      usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
    }),
    events: (model: string | undefined, input: number, output: number) => [
      { id: "chatcmpl-1", model, choices: [{ index: 0, delta: { role: "assistant", content: "Hi" } }] },
      { id: "chatcmpl-1", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
      {
        id: "chatcmpl-1",
        choices: [],
        usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
      },
    ],
  },
  responses: {
    body: (limit: number | undefined) => ({
      input: "Hello",
      ...(limit === undefined ? {} : { max_output_tokens: limit }),
    }),
    answer: (model: string | undefined, input: number, output: number) => ({
      id: "resp_1",
      object: "response",
      status: "completed",
      model,
      output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Hi" }] }],
      usage: { input_tokens: input, output_tokens: output },
    }),
    events: (model: string | undefined, input: number, output: number) => [
      { type: "response.created", response: { id: "resp_1", model, status: "in_progress", output: [] } },
      { type: "response.output_text.delta", delta: "Hi", output_index: 0, content_index: 0, item_id: "m" },
      {
        type: "response.completed",
        response: {
          id: "resp_1",
          status: "completed",
          output: [],
          usage: { input_tokens: input, output_tokens: output },
        },
      },
    ],
  },
  messages: {
    body: (limit: number | undefined) => ({ messages: [], max_tokens: limit ?? 700 }),
    answer: (model: string | undefined, input: number, output: number) => ({
      id: "msg_1",
      type: "message",
      model,
      content: [{ type: "text", text: "Hi" }],
      stop_reason: "end_turn",
      usage: { input_tokens: input, output_tokens: output },
    }),
    events: (model: string | undefined, input: number, output: number) => [
      {
        type: "message_start",
        message: { id: "msg_1", model, content: [], usage: { input_tokens: input, output_tokens: 1 } },
      },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: output } },
      { type: "message_stop" },
    ],
  },
};

describe("an answer of one of several models that a request lists", () => {
  it("costs what the model that it names has used at its own price, and no more than is held", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (drawn) => {
        const { protocol: name, listed, field, server, spelling, isNamed, isUnknown, limit } = drawn;
        const paths = PATHS[name];
        const models = new Map(
          NAMES.map((id, at) => [id as string, modelOf(id, drawn.models[id], BigInt(at))]),
        );
        const upstream = {
          protocols: [name],
          models: new Map(NAMES.map((id) => [id, `vendor/${id}`])),
          unaskedTiers: [],
          region: null,
        } as unknown as Upstream;
        const catalog = {
          models,
          groups: new Map([["g", { name: "g", factorPpm: 1_000_000n }]]),
          settings: { maxPasses: 100, holdCalls: 1 },
          serving: () => [upstream],
          callable: (_: unknown, id: string) => models.get(id),
        } as unknown as Catalog;
        const answers = name === "chat-completions" ? drawn.answers : 1;
        const body = {
          ...paths.body(limit, answers),
          model: "asked",
          user: "word ".repeat(drawn.words),
          // Those of messages are its vendor's, which bills declined ones too.
          ...(listed === undefined ? {} : { [name === "messages" ? "models" : field]: listed }),
        };
        const bytes = Buffer.from(JSON.stringify(body));
        const scanner = createBodyScan(watchOf(name));
        scanner.write(bytes);
        const protocol = PROTOCOLS[name];
        const request = {
          protocol,
          model: "asked",
          caller: { group: "g" },
          headers: {},
          body: [bytes],
          scan: scanner.end(),
        } as unknown as TextRequest;

        const isListed = (listed ?? []).some((each) => each === server || each === `vendor/${server}`);
        const isListing = (listed ?? []).length > 0;
        const isOurs = !isListing || !isNamed || (!isUnknown && (server === "asked" || isListed));
        const payer: Name = isOurs && isListing && isNamed ? server : "asked";
        const { context, maxOutput, ...rates } = drawn.models[payer];
        const prompt = Math.min(bytes.length, context);
        const input = Math.floor(drawn.input * prompt);
        const allowed = Math.min(limit ?? (name === "messages" ? 700 : maxOutput), maxOutput) * answers;
        const output = Math.max(1, Math.floor(drawn.output * allowed));
        const told = isUnknown ? `else/model${spelling}` : `vendor/${server}${spelling}`;

        const asked = models.get("asked");
        if (asked === undefined) throw new Error("the model that is asked is there");
        const price = freezePrice(asked, 1_000_000n, {}, 0);
        const { amountNanos, usage: bound } = estimateMaxCost({
          forward: protocol.forward,
          model: asked,
          price,
          body: request.body,
          scan: request.scan,
          settings: catalog.settings,
          additionalModels: findAdditionalModels(request, catalog, asked, 1_000_000n, 0),
        });
        const facts = factsOf(name, drawn.isStream, isNamed ? told : undefined, input, output);
        const accepted = { catalog, request, bound, acceptedMs: 0 };
        const counted = await estimateMissing(request, facts, bound, (model) =>
          ourNameOf(model, upstream, accepted),
        );
        const { additionalUsage: others, implausible } = priceAdditional(
          accepted,
          { upstream, credential: { secret: "" } } as Candidate,
          counted.additionalUsage,
        );
        const charge = chargeOf(price, { usage: counted.usage, additionalUsage: others });
        const exact = BigInt(input) * rates.input + BigInt(output) * rates.output;
        expect([...counted.implausible, ...implausible].filter(({ charged }) => !charged)).toEqual([]);
        expect(charge.chargeNanos).toBe((2n * exact + 1_000_000n) / 2_000_000n);
        expect(charge.unpriced).toEqual(isOurs ? [] : [`model ${told}`]);
        expect(charge.chargeNanos).toBeLessThanOrEqual(amountNanos);
        const named = charge.lines.flatMap((line) => (line.kind === "tokens" && line.model) || []);
        if (payer !== "asked") expect(new Set(named)).toEqual(new Set([payer]));
        else if (isOurs) expect(named).toEqual([]);
      }),
      { numRuns: casesOf(20_000) },
    );
  });
});

function factsOf(
  name: keyof typeof PATHS,
  isStream: boolean,
  model: string | undefined,
  input: number,
  output: number,
) {
  const { usage } = PROTOCOLS[name];
  const paths = PATHS[name];
  if (!isStream) return usage.readPlain(paths.answer(model, input, output));
  const meter = usage.openStream();
  for (const event of paths.events(model, input, output)) {
    const type = "type" in event ? `event: ${event.type}\n` : "";
    meter.write(Buffer.from(`${type}data: ${JSON.stringify(event)}\n\n`));
  }
  meter.end();
  return meter.summary();
}
