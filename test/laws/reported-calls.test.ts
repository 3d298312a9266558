import fc from "fast-check";
import { expect, it } from "vitest";
import { chargeOf } from "../../src/billing/pricing/charge.ts";
import { PROTOCOLS } from "../../src/protocols/table.ts";
import { estimateMissing } from "../../src/relay/settle/estimate.ts";
import { REPORTING_VENDORS } from "../../src/upstreams/reported-calls.ts";
import { frozenHold, modelWithCalls } from "../support/frozen-hold.ts";

/** Where a vendor serves: one whose chat completions tell the calls of its tools, or one that nobody knows. */
const ADDRESSES = {
  OpenRouter: "https://openrouter.ai/api/v1",
  xAI: "https://api.x.ai/v1",
  Alibaba: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
  Groq: "https://api.groq.com/openai/v1",
  "Z.ai": "https://api.z.ai/api/paas/v4",
  Moonshot: "https://api.moonshot.ai/v1",
};
const UNKNOWN = ["https://vendor.example/v1", "https://api.groq.com.example/v1"];

const EACH = 5_000_000n;
const model = modelWithCalls({ web_search: { per: "use", nanos: EACH } });

/** Offers of a search, by a tool or by a field. */
const OFFERS = [
  { tools: [{ type: "web_search" }] },
  { tools: [{ type: "web_search", web_search: { enable: true } }] },
  { tools: [{ type: "builtin_function", function: { name: "$web_search" } }] },
  { tools: [{ type: "browser_search" }] },
  { web_search_options: {} },
  { enable_search: true },
];

/** What a response says of searches, and how many they are; undefined = it says nothing. */
const TOLD = fc.oneof(
  fc.constant({ message: {}, whole: {}, usage: {}, told: undefined }),
  fc.nat({ max: 5 }).map((count) => ({
    message: {},
    whole: {},
    usage: { server_tool_use: { web_search_requests: count } },
    told: count,
  })),
  fc.integer({ min: 1, max: 5 }).map((count) => ({
    message: { executed_tools: Array.from({ length: count }, (_, index) => ({ index, type: "search" })) },
    whole: {},
    usage: {},
    told: count,
  })),
  fc.integer({ min: 1, max: 5 }).map((found) => ({
    message: {},
    whole: { web_search: Array.from({ length: found }, (_, index) => ({ title: `${index}` })) },
    usage: {},
    told: 1,
  })),
);

it("knows an address of each vendor that tells calls", () => {
  expect(REPORTING_VENDORS.map(({ vendor }) => vendor)).toEqual(Object.keys(ADDRESSES));
  for (const { vendor, at } of REPORTING_VENDORS) {
    expect(at.test(ADDRESSES[vendor as keyof typeof ADDRESSES]), vendor).toBe(true);
    for (const address of UNKNOWN) expect(at.test(address), vendor).toBe(false);
  }
});

it("ends a request that offers a priced tool with a count or an estimate, unless its vendor would have told the call", async () => {
  const addresses = [...Object.values(ADDRESSES), ...UNKNOWN];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...addresses),
      fc.constantFrom(...OFFERS),
      TOLD,
      async (baseUrl, offer, { message, whole, usage, told }) => {
        const body = { model: "m", messages: [{ role: "user", content: "Hi" }], max_tokens: 5, ...offer };
        const bytes = Buffer.from(JSON.stringify(body));
        const { request, price, bound } = frozenHold("chat-completions", bytes, model, 7, false, baseUrl);
        const facts = PROTOCOLS["chat-completions"].usage.readPlain({
          choices: [{ index: 0, message: { content: "Hi", ...message }, finish_reason: "stop" }],
          usage: { prompt_tokens: 5, completion_tokens: 2, ...usage },
          ...whole,
        });
        const { usage: tokens, calls } = await estimateMissing(request, facts, bound);
        const { chargeNanos, isCallEstimated, unpriced } = chargeOf(price, { usage: tokens, calls });
        const isKnown = !UNKNOWN.includes(baseUrl);
        const isField = !("tools" in offer);
        const guessed = isKnown && !isField ? 0 : 1;
        expect(chargeNanos).toBe(EACH * BigInt(told ?? guessed));
        expect(isCallEstimated).toBe(told === undefined && guessed === 1 ? true : undefined);
        expect(unpriced).toEqual([]);
      },
    ),
  );
});
