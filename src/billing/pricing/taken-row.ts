import { rowsOf, type TableRows } from "../../catalog/price-table.ts";
import type { TokenPrices } from "../../catalog/token-prices.ts";
import { type TokenUsage, totalInput } from "../../usage/usage.ts";
import type { FrozenPrice } from "../billing.ts";

/**
 * The price with the row that the usage takes: that of the highest step which its input exceeds. Of several requests with the
 * same input each is one pass. The price itself where that is the base row.
 */
export function takenPrice(price: FrozenPrice, usage: TokenUsage, requests = 1): FrozenPrice {
  const steps = stepsOf(price);
  if (steps === undefined) return price;
  const input = totalInput(usage);
  const taken = steps.findLast(({ above }) => input > above * requests);
  return taken === undefined || taken.above < 0 ? price : { ...price, rates: taken.prices, row: taken.name };
}

/** The dearest rate among the rows that a pass of so many tokens of input, or fewer, can take. */
export function dearestOf(
  price: FrozenPrice,
  inputTokens: number,
  rateOf: (rates: TokenPrices) => bigint,
): bigint {
  let dearest = rateOf(price.rates);
  for (const { above, prices } of stepsOf(price) ?? []) {
    const rate = rateOf(prices);
    if (inputTokens > above && rate > dearest) dearest = rate;
  }
  return dearest;
}

/** undefined = none but the base row. */
function stepsOf({ rates, dimensions }: FrozenPrice): TableRows["steps"] | undefined {
  if (dimensions === undefined || dimensions.steps.length === 0) return undefined;
  return rowsOf(rates, dimensions).steps;
}
