import type { Model } from "../../catalog/catalog.ts";
import { hoursAt } from "../../catalog/price-table.ts";
import { GatewayError } from "../../errors.ts";
import type { FrozenPrice } from "../billing.ts";

/** The price of a model for a group at this moment (ms since 1970), frozen for one request; throws `model_not_priced`. */
export function freezePrice(
  model: Model,
  factorPpm: bigint,
  asked: Pick<FrozenPrice, "asked" | "unasked" | "tools" | "sizes" | "fees" | "unrequestedCalls">,
  atMs: number,
): FrozenPrice {
  if (model.price === null || model.price.rates.input === undefined) throw notPriced(model, "an input price");
  const { id: priceId, rates, dimensions } = model.price;
  const hours = dimensions && hoursAt(dimensions.hours, atMs);
  // Object.assign, because a spread costs a microsecond per request here.
  return Object.assign({ priceId, rates, factorPpm, dimensions, hours }, asked);
}

export function notPriced(model: Model, missing: string): GatewayError {
  return new GatewayError(
    "model_not_priced",
    `The model "${model.id}" can't be used yet: the operator hasn't set ${missing} for it.`,
    { param: "model" },
  );
}
