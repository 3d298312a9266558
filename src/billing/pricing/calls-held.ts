import type { Nanos } from "../../base/money.ts";
import { NO_DIMENSIONS } from "../../catalog/price-table.ts";
import type { FrozenPrice } from "../billing.ts";
import { dearestCall } from "./price.ts";

/** What every request pays, and what this one pays for a field of it. */
export function feesOf({ dimensions = NO_DIMENSIONS, fees = [] }: FrozenPrice): Nanos {
  return fees.reduce((sum, name) => sum + priceOf(dimensions, name), dimensions.request);
}

/** The most that so many calls of the tools that the request offers can cost, whichever of them are called. */
export function callsHeld({ dimensions = NO_DIMENSIONS, tools = [] }: FrozenPrice, calls: number): Nanos {
  if (calls === 0) return 0n;
  let eachUse = 0n;
  let onceEach = 0n;
  for (const name of tools) {
    const nanos = priceOf(dimensions, name);
    if (dimensions.calls[name]?.per === "request") onceEach += nanos;
    else if (nanos > eachUse) eachUse = nanos;
  }
  return eachUse * BigInt(calls) + onceEach;
}

/**
 * The most that ranking so many texts of so many tokens can cost by the search: one ranks a hundred documents, and a longer
 * one counts once for each part of it. https://docs.cohere.com/docs/how-does-cohere-pricing-work
 */
export function searchesHeld(
  { dimensions = NO_DIMENSIONS }: FrozenPrice,
  texts: number,
  tokens: number,
): Nanos {
  const searches = Math.ceil((texts + tokens / PART_TOKENS) / SEARCH_TEXTS);
  return BigInt(searches) * (dimensions.units.search ?? 0n);
}

const SEARCH_TEXTS = 100;
const PART_TOKENS = 500;

function priceOf({ calls }: NonNullable<FrozenPrice["dimensions"]>, name: string): Nanos {
  const terms = calls[name];
  return terms === undefined ? 0n : dearestCall([terms]);
}
