import { createBodyScan } from "../../src/base/json/json-scan.ts";
import { freezePrice } from "../../src/billing/pricing/frozen-price.ts";
import { estimateMaxCost } from "../../src/billing/pricing/max-cost.ts";
import type { Catalog, Model } from "../../src/catalog/catalog.ts";
import type { ChatProtocol } from "../../src/conversation/protocol-name.ts";
import { PROTOCOLS } from "../../src/protocols/table.ts";
import { priceOptions } from "../../src/relay/admit/priced-options.ts";
import { watchOf } from "../../src/relay/admit/watch.ts";
import type { TextRequest } from "../../src/relay/text-request.ts";

/** A request of these bytes with its frozen price, its hold and the bound of its usage, as the relay admits it. */
export function frozenHold(
  name: ChatProtocol,
  bytes: Buffer,
  model: Model,
  maxPasses: number,
  runsByDefault = false,
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
  const catalog = { serving: () => [{ protocols: [name] }] } as unknown as Catalog;
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
