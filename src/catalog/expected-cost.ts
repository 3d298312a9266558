import { PPM } from "../base/money.ts";
import type { Model, Upstream } from "./catalog.ts";
import { tokenPrice } from "./token-prices.ts";

/** Tokens of input for each token of output: most requests read more than they write. */
const INPUT_TOKENS = 3n;

/**
 * Estimates what an upstream bills for a typical request to a model, from its own prices of the model or its factor on
 * the list price. The unit is nanos times parts per million, so it serves only to compare upstreams.
 */
export function expectedCost({ id, price }: Model, { cost }: Upstream): bigint {
  const own = cost?.prices.get(id);
  const rates = own?.rates ?? price?.rates ?? {};
  const factor = own === undefined ? (cost?.factorPpm ?? PPM) : PPM;
  const input = tokenPrice(rates, "input") ?? 0n;
  const output = tokenPrice(rates, "output") ?? 0n;
  return (INPUT_TOKENS * input + output) * factor;
}
