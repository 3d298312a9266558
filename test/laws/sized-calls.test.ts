import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createBodyScan } from "../../src/base/json/json-scan.ts";
import { chargeOf } from "../../src/billing/pricing/charge.ts";
import { freezePrice } from "../../src/billing/pricing/frozen-price.ts";
import { estimateMaxCost } from "../../src/billing/pricing/max-cost.ts";
import type { Catalog } from "../../src/catalog/catalog.ts";
import type { CallPrice } from "../../src/catalog/price-table.ts";
import type { ChatProtocol } from "../../src/conversation/protocol-name.ts";
import { PROTOCOLS } from "../../src/protocols/table.ts";
import { priceOptions } from "../../src/relay/admit/priced-options.ts";
import { watchOf } from "../../src/relay/admit/watch.ts";
import type { TextRequest } from "../../src/relay/text-request.ts";
import { modelWithCalls } from "../support/frozen-hold.ts";

/** A call whose price goes by its size costs what its size does: as the response says, else as it was asked for, else the vendors' usual one. */

const SIZES = ["low", "medium", "high"] as const;
type Size = (typeof SIZES)[number];

const chat = { model: "m", messages: [{ role: "user", content: "Hello" }] };
const opened = (type: string) => (size?: Size) => ({
  type,
  name: "t",
  parameters: { max_results: 5, search_context_size: size },
});
const openai = (type: string) => (size?: Size) => ({ type, name: "t", search_context_size: size });

/** Where requests say the size of a search, and one that says it of each of these. */
const PLACES: readonly (readonly [
  ChatProtocol,
  where: string,
  body: (sizes: (Size | undefined)[]) => object,
])[] = [
  [
    "chat-completions",
    "web_search_options",
    ([size]) => ({ ...chat, web_search_options: { search_context_size: size } }),
  ],
  ["chat-completions", "a typed tool", (sizes) => ({ ...chat, tools: sizes.map(openai("web_search")) })],
  [
    "chat-completions",
    "a tool of OpenRouter",
    (sizes) => ({ ...chat, tools: sizes.map(opened("openrouter:web_search")) }),
  ],
  [
    "responses",
    "a tool",
    (sizes) => ({ model: "m", input: "Hello", tools: sizes.map(openai("web_search")) }),
  ],
  [
    "responses",
    "a dated tool",
    (sizes) => ({ model: "m", input: "Hello", tools: sizes.map(openai("web_search_preview_2025_03_11")) }),
  ],
  [
    "responses",
    "a tool of an item",
    (sizes) => ({
      model: "m",
      input: [{ type: "additional_tools", tools: sizes.map(openai("web_search")) }],
    }),
  ],
  [
    "messages",
    "a tool of OpenRouter",
    (sizes) => ({ ...chat, max_tokens: 50, tools: sizes.map(opened("openrouter:web_search")) }),
  ],
];

function asked(name: ChatProtocol, body: object, terms: CallPrice, calls: number, tool = "web_search") {
  const model = modelWithCalls({ [tool]: terms });
  const protocol = PROTOCOLS[name];
  const bytes = Buffer.from(JSON.stringify(body));
  const scanner = createBodyScan(watchOf(name));
  scanner.write(bytes);
  const scan = scanner.end();
  const request = { model: "m", protocol, body: [bytes], scan, headers: {}, caller: { group: "g" } };
  const catalog = { serving: () => [{ protocols: [name] }] } as unknown as Catalog;
  const options = priceOptions(request as unknown as TextRequest, catalog, model, () => false);
  const price = freezePrice(model, 1_000_000n, options, 0);
  const { amountNanos } = estimateMaxCost({
    forward: protocol.forward,
    model,
    price,
    body: [bytes],
    scan,
    settings: { maxPasses: 50, holdCalls: calls },
  });
  return { price, held: amountNanos };
}

const prices = fc.record({
  low: fc.bigInt({ min: 1n, max: 50n }),
  medium: fc.bigInt({ min: 1n, max: 50n }),
  high: fc.bigInt({ min: 1n, max: 50n }),
});
const size = fc.option(fc.constantFrom(...SIZES), { nil: undefined });

describe("a call that is priced by its size", () => {
  it.each(PLACES)("costs the size that was asked for, of %s by %s", (name, where, body) => {
    const most = where === "web_search_options" ? 1 : 3;
    fc.assert(
      fc.property(
        prices,
        fc.array(size, { minLength: 1, maxLength: most }),
        fc.integer({ min: 1, max: 9 }),
        (sizes, wanted, count) => {
          const { price, held } = asked(name, body(wanted), { per: "use", sizes }, count);
          const charge = chargeOf(price, { usage: {}, calls: [{ tool: "web_search", count }] });
          const each = wanted
            .map((one) => sizes[one ?? "medium"])
            .reduce((dearest, nanos) => (nanos > dearest ? nanos : dearest));
          expect([charge.chargeNanos, charge.unpriced]).toEqual([each * BigInt(count), []]);
          expect(held).toBeGreaterThanOrEqual(charge.chargeNanos);
          // No more is held than the dearest size that it may come to, and the call of which a response may say nothing.
          const unreported = price.fees?.length ?? 0;
          if (wanted.every((one) => one !== undefined) && most > 1)
            expect(held).toBe(each * BigInt(count + unreported));
        },
      ),
    );
  });

  it.each(PLACES)("costs the size that the response states, of %s by %s", (name, _, body) => {
    fc.assert(
      fc.property(prices, size, fc.constantFrom(...SIZES), (sizes, wanted, stated) => {
        const { price } = asked(name, body([wanted]), { per: "use", sizes }, 1);
        const calls = [{ tool: "web_search", size: stated, count: 2 }];
        const charge = chargeOf(price, { usage: {}, calls });
        expect([charge.chargeNanos, charge.unpriced]).toEqual([2n * sizes[stated], []]);
      }),
    );
  });

  it.each(PLACES)("is refused in a size that has no price, of %s by %s", (name, _, body) => {
    const sizes = { low: 5n, medium: 8n };
    expect(() => asked(name, body(["high"]), { per: "use", sizes }, 1)).toThrow(
      /search_context_size` "high" has no price .*price\.calls "web_search"/,
    );
    expect(asked(name, body(["high"]), { per: "use", nanos: 5n }, 1).held).toBeGreaterThan(0n);
  });
});

describe("a container that code runs in", () => {
  const MEMORY = ["1g", "4g", "16g", "64g"] as const;
  const sizes = { "1g": 30n, "4g": 120n, "16g": 480n, "64g": 1_920n };
  const tool = "code_container";
  const offered = {
    code_interpreter: (memory_limit?: string) => ({
      type: "code_interpreter",
      container: { type: "auto", memory_limit },
    }),
    shell: (memory_limit?: string) => ({
      type: "shell",
      environment: { type: "container_auto", memory_limit },
    }),
  };
  const made = (price: Parameters<typeof chargeOf>[0]) =>
    chargeOf(price, { usage: {}, calls: [{ tool, count: 1 }] });
  const ask = (tools: readonly object[], terms: CallPrice = { per: "use", sizes }) =>
    asked("responses", { model: "m", input: "Hello", tools }, terms, 1, tool);

  it.each(Object.entries(offered))("costs the memory that %s asks for, by default 1 GB", (_, offer) => {
    for (const memory of [...MEMORY, undefined]) {
      const { price, held } = ask([offer(memory)]);
      expect([made(price).chargeNanos, made(price).unpriced]).toEqual([sizes[memory ?? "1g"], []]);
      expect(held).toBeGreaterThanOrEqual(sizes[memory ?? "1g"]);
    }
    expect(() => ask([offer("128g")])).toThrow(/memory_limit` "128g" has no price/);
    expect(made(ask([offer("64g")], { per: "use", nanos: 5n }).price).chargeNanos).toBe(5n);
  });

  it("costs the dearest of several that are offered", () => {
    const { price } = ask([offered.code_interpreter("4g"), offered.shell("16g")]);
    expect(made(price).chargeNanos).toBe(480n);
  });

  it.each([
    { type: "code_interpreter", container: "cntr_1" },
    { type: "shell", environment: { type: "container_reference", container_id: "cntr_1" } },
  ])("of unknown size costs the largest, marked as unpriced: %j", (reused) => {
    for (const tools of [[reused], [reused, offered.shell("1g")]]) {
      const { price, held } = ask(tools);
      const { chargeNanos, unpriced } = made(price);
      expect([chargeNanos, unpriced, held >= 1_920n]).toEqual([1_920n, ["call code_container reused"], true]);
    }
  });
});
