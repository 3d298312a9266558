import { PPM } from "../base/money.ts";
import type { Model, Upstream } from "./catalog.ts";
import { tokenPrice } from "./token-prices.ts";

/** Tokens of input for each of output, as most requests have more to read than to write. */
const INPUT_TOKENS = 3n;

/**
 * What an upstream bills for a model's usual request, to compare upstreams by: its own prices of the model, else its factor of
 * the list price. Nanos and parts per million of them; of no use as an amount.
 */
export function expectedCost({ id, price }: Model, { cost }: Upstream): bigint {
  const own = cost?.prices.get(id);
  const rates = own?.rates ?? price?.rates ?? {};
  const factor = own === undefined ? (cost?.factorPpm ?? PPM) : PPM;
  const input = tokenPrice(rates, "input") ?? 0n;
  const output = tokenPrice(rates, "output") ?? 0n;
  return (INPUT_TOKENS * input + output) * factor;
}
