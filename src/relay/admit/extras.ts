import type { FrozenPrice } from "../../billing/billing.ts";
import type { Catalog, Model } from "../../catalog/catalog.ts";
import type { ProtocolName } from "../../conversation/protocol-name.ts";
import { GatewayError } from "../../errors.ts";
import { readFeatures } from "../../protocols/body-features.ts";
import { findTerm, readServiceWord, type ServiceDimension } from "../../usage/service-terms.ts";
import type { TextRequest } from "../text-request.ts";

/** Extras stay with their protocol: translation into another has no slot for any, and names them as lost. */
export function carriesExtras(request: TextRequest, protocol: ProtocolName): boolean {
  return protocol === request.protocol.name;
}

/**
 * What the request asks for that makes the vendor's price another than the tokens': a tier, speed or region by the model's
 * price table, or at the operator's price for such a request, as is a tool that the vendor runs and bills by the call.
 * Without a price it is refused, so that nobody pays for it unseen. Empty = tokens alone: nothing is asked for, or
 * no upstream would be.
 */
export function priceExtras(
  request: TextRequest,
  catalog: Catalog,
  model: Model,
): Pick<FrozenPrice, "extras" | "asked"> {
  const { hostedTools, pricedFields } = readFeatures(request.protocol.forward.hold, request.scan);
  if (hostedTools.length === 0 && pricedFields.length === 0) return {};
  const upstreams = catalog.serving(model.id, request.caller.group, request.protocol.name);
  const mayAsk = upstreams.some(({ protocols }) =>
    protocols.some((protocol) => carriesExtras(request, protocol)),
  );
  if (!mayAsk) return {};
  const prices = model.price?.extras ?? {};
  const extras: Record<string, bigint> = {};
  const add = (name: string, param: string, what: string, also = ""): void => {
    const price = Object.hasOwn(prices, name) ? prices[name] : undefined;
    if (price === undefined) {
      throw new GatewayError(
        "invalid_request",
        `${what} has no price on this gateway; leave it out, or ask the operator to set one (${also}price.extras "${name}").`,
        { param },
      );
    }
    extras[name] = price;
  };
  const asked: Partial<Record<ServiceDimension, string>> = {};
  for (const { dimension, field, value } of pricedFields) {
    const named = nameIn(model, dimension, value);
    if (named === undefined) {
      add(`${field}:${value}`, field, `\`${field}\` "${value}"`, `price.${dimension}s "${value}", or `);
    } else if (asked[dimension] === undefined || asked[dimension] === named) {
      asked[dimension] = named;
    } else {
      // Vendors differ in which of them they take, and the hold is for one.
      throw new GatewayError("invalid_request", `\`${field}\` is given twice, with different values.`, {
        param: field,
      });
    }
  }
  for (const tool of hostedTools)
    add(tool, "tools", `The tool "${tool}" is run and billed by the vendor and`);
  return {
    ...(Object.keys(extras).length > 0 && { extras }),
    ...(Object.keys(asked).length > 0 && { asked }),
  };
}

/** What the model's price table calls it; undefined = it has no price there. */
function nameIn({ price }: Model, dimension: ServiceDimension, value: string): string | undefined {
  const { tiers = {}, speeds = {}, regions = {} } = price?.dimensions ?? {};
  const word = readServiceWord(value);
  const named = { tier: tiers, speed: speeds, region: regions }[dimension];
  return word === undefined ? undefined : findTerm(Object.keys(named), word);
}
