import { createBodyScan } from "../../src/base/json/json-scan.ts";
import { freezePrice } from "../../src/billing/pricing/frozen-price.ts";
import { estimateMaxCost } from "../../src/billing/pricing/max-cost.ts";
import type { Catalog, Model } from "../../src/catalog/catalog.ts";
import { type CallPrice, NO_DIMENSIONS } from "../../src/catalog/price-table.ts";
import type { ChatProtocol } from "../../src/conversation/protocol-name.ts";
import { PROTOCOLS } from "../../src/protocols/table.ts";
import { priceOptions } from "../../src/relay/admit/priced-options.ts";
import { watchOf } from "../../src/relay/admit/watch.ts";
import type { TextRequest } from "../../src/relay/text-request.ts";

/** A model whose tokens cost nothing, so that the charge is that of the calls. */
export function modelWithCalls(calls: Readonly<Record<string, CallPrice>>): Model {
  return {
    id: "m",
    contextTokens: 20_000,
    maxOutputTokens: 4_000,
    quirks: {},
    price: {
      id: 1n,
      rates: { input: 0n, output: 0n },
      media: {},
      dimensions: { ...NO_DIMENSIONS, calls },
    },
  } as unknown as Model;
}

/** A request of these bytes with its frozen price, its hold and the bound of its usage, as the relay admits it. */
export function frozenHold(
  name: ChatProtocol,
  bytes: Buffer,
  model: Model,
  maxPasses: number,
  runsByDefault = false,
  baseUrl = "https://vendor.example/v1",
) {
  const scanner = createBodyScan(watchOf(name));
  scanner.write(bytes);
  const scan = scanner.end();
  const request = {
    protocol: PROTOCOLS[name],
    model: model.id,
    body: [bytes],
    scan,
    caller: { group: "g" },
  } as unknown as TextRequest;
  const catalog = { serving: () => [{ protocols: [name], baseUrl }] } as unknown as Catalog;
  const options = priceOptions(request, catalog, model, () => false);
  const price = freezePrice(model, 1_000_000n, options, 0);
  const { amountNanos, usage: bound } = estimateMaxCost({
    forward: PROTOCOLS[name].forward,
    model,
    price,
    body: [bytes],
    scan,
    settings: { maxPasses, holdCalls: 1 },
    runsByDefault,
  });
  return { request, price, amountNanos, bound };
}
