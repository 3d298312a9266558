import type { Catalog, Model } from "../../catalog/catalog.ts";
import type { ProtocolName } from "../../conversation/protocol-name.ts";
import { GatewayError } from "../../errors.ts";
import { readFeatures } from "../../protocols/body-features.ts";
import type { TextRequest } from "../text-request.ts";

/** Extras stay with their protocol: translation into another has no slot for any, and names them as lost. */
export function carriesExtras(request: TextRequest, protocol: ProtocolName): boolean {
  return protocol === request.protocol.name;
}

/**
 * What the request asks for that makes the vendor's price another than the tokens' (a service tier, a
 * tool that the vendor runs and bills by the call), each at the operator's price for such a request.
 * Without a price it is refused, so that nobody pays for it unseen. Undefined = tokens alone: nothing is asked
 * for, or no upstream would be.
 */
export function priceExtras(
  request: TextRequest,
  catalog: Catalog,
  model: Model,
): Readonly<Record<string, bigint>> | undefined {
  const { hostedTools, pricedFields } = readFeatures(request.protocol.forward.hold, request.scan);
  if (hostedTools.length === 0 && pricedFields.length === 0) return undefined;
  const upstreams = catalog.serving(model.id, request.caller.group, request.protocol.name);
  const mayAsk = upstreams.some(({ protocols }) =>
    protocols.some((protocol) => carriesExtras(request, protocol)),
  );
  if (!mayAsk) return undefined;
  const prices = model.price?.extras ?? {};
  const extras: Record<string, bigint> = {};
  const add = (name: string, param: string, what: string): void => {
    const price = Object.hasOwn(prices, name) ? prices[name] : undefined;
    if (price === undefined) {
      throw new GatewayError(
        "invalid_request",
        `${what} has no price on this gateway; leave it out, or ask the operator to set one (price.extras "${name}").`,
        { param },
      );
    }
    extras[name] = price;
  };
  for (const { field, value } of pricedFields) add(`${field}:${value}`, field, `\`${field}\` "${value}"`);
  for (const tool of hostedTools)
    add(tool, "tools", `The tool "${tool}" is run and billed by the vendor and`);
  return extras;
}
