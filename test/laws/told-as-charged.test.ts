import fc from "fast-check";
import { expect, it } from "vitest";
import { createBodyScan } from "../../src/base/json/json-scan.ts";
import type { UsageBound } from "../../src/billing/pricing/usage-bound.ts";
import { PROTOCOLS } from "../../src/protocols/table.ts";
import { watchOf } from "../../src/relay/admit/watch.ts";
import { reportedUsage } from "../../src/relay/mode/response-conversion.ts";
import { estimateMissing } from "../../src/relay/settle/estimate.ts";
import type { TextRequest } from "../../src/relay/text-request.ts";
import { sumTokens } from "../../src/usage/usage.ts";
import { casesOf } from "../support/cases.ts";

/**
 * Whatever a vendor reports, and whatever a request allows: the caller of a translated response reads the tokens for which it is
 * charged. `claims-within-bound.test.ts` says how many those may be.
 */

const count = fc.oneof(fc.nat({ max: 900 }), fc.nat({ max: 30_000 }), fc.nat({ max: 1_000_000_000 }));
const model = fc.constantFrom(undefined, "asked", "second", "unknown");
const counts = { input_tokens: count, output_tokens: count, cache_read_input_tokens: count };
const iteration = fc.record({
  type: fc.constantFrom("compaction", "compaction", "message", "fallback_message", "advisor_message"),
  model,
  ...counts,
});

/** Every kind of pass that messages report, and what the other protocols report beside their totals. */
const usages = fc.oneof(
  fc.record({
    protocol: fc.constant("messages" as const),
    usage: fc.record({ ...counts, iterations: fc.array(iteration, { maxLength: 4 }) }),
  }),
  fc.record({
    protocol: fc.constant("responses" as const),
    usage: fc.record({
      input_tokens: count,
      output_tokens: count,
      input_tokens_details: fc.record({ cached_tokens: count }),
      output_tokens_details: fc.record({ reasoning_tokens: count }),
    }),
  }),
  fc.record({
    protocol: fc.constant("chat-completions" as const),
    usage: fc.record({
      prompt_tokens: count,
      completion_tokens: count,
      completion_tokens_details: fc.record({ reasoning_tokens: count }),
    }),
  }),
);

const bounds: fc.Arbitrary<UsageBound> = fc.record({
  contextTokens: fc.integer({ min: 1_000, max: 40_000 }),
  outputTokens: fc.integer({ min: 1_000, max: 4_000 }),
  statedOutputTokens: fc.integer({ min: 1, max: 1_000 }),
  responses: fc.constant(1),
  passes: fc.constantFrom(1, 2),
  maxPassesWithTools: fc.constantFrom(undefined, 5),
  additionalModels: fc.constantFrom(
    undefined,
    [{ model: "second", byCall: false }],
    [{ model: "second", byCall: true }],
  ),
});

const body = Buffer.from(JSON.stringify({ messages: [{ role: "user", content: "Hello" }] }));

it("callers of translated responses read the tokens that they are charged for", async () => {
  await fc.assert(
    fc.asyncProperty(usages, bounds, fc.boolean(), async ({ protocol: name, usage }, bound, compacts) => {
      const protocol = PROTOCOLS[name];
      const scanner = createBodyScan(watchOf(name));
      scanner.write(body);
      const request = {
        protocol,
        model: "asked",
        compacts: compacts ? "block" : undefined,
        body: [body],
        scan: scanner.end(),
      } as unknown as TextRequest;
      const summary = protocol.usage.readPlain({ ...WHOLE[name], model: "asked", usage });
      const charge = await estimateMissing(request, summary, bound, (found) => found);
      const { tokens } = reportedUsage(summary.usage, charge);
      const served = (charge.additionalUsage ?? []).filter(({ hasServed }) => hasServed === true);
      expect(tokens).toEqual(sumTokens([charge.usage, ...served.map((each) => each.tokens)]));
    }),
    { numRuns: casesOf(5_000) },
  );
});

const WHOLE = {
  messages: { type: "message", content: [{ type: "text", text: "Hi" }], stop_reason: "end_turn" },
  responses: {
    object: "response",
    status: "completed",
    output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Hi" }] }],
  },
  "chat-completions": {
    choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
  },
};
