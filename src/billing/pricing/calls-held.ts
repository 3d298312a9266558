import type { Nanos } from "../../base/money.ts";
import { NO_DIMENSIONS } from "../../catalog/price-table.ts";
import type { BodyFeatures } from "../../protocols/body-features.ts";
import { BILLED_UNITS, type UnitCounts } from "../../usage/usage.ts";
import type { FrozenPrice } from "../billing.ts";
import { highestSize, maxCallPrice, nanosOfCall } from "./price.ts";
import type { CallBound } from "./usage-bound.ts";

/**
 * Returns the fees of this number of requests: the price of each request, of its priced fields, and of calls that its
 * model makes unasked.
 */
export function feesOf(price: FrozenPrice, requests = 1): Nanos {
  const { dimensions = NO_DIMENSIONS, fees = [], unrequestedCalls = [] } = price;
  const names = new Set([...fees, ...unrequestedCalls]);
  let sum = dimensions.request;
  for (const name of names) sum += priceOf(price, name);
  return sum * BigInt(requests);
}

/** The most that so many calls of the tools that the request offers can cost, whichever of them are called. */
export function callsHeld(price: FrozenPrice, calls: number): Nanos {
  if (calls === 0) return 0n;
  const { dimensions = NO_DIMENSIONS, tools = [] } = price;
  let eachUse = 0n;
  let onceEach = 0n;
  for (const name of tools) {
    const nanos = priceOf(price, name);
    if (dimensions.calls[name]?.per === "request") onceEach += nanos;
    else if (nanos > eachUse) eachUse = nanos;
  }
  return eachUse * BigInt(calls) + onceEach;
}

/** Returns the bound for calls of any priced tool in any size, for requests whose tools are unknown. */
export function anyCallsHeld(price: FrozenPrice, calls: number): Nanos {
  const tools = Object.keys(price.dimensions?.calls ?? {});
  return callsHeld({ ...price, tools, sizes: undefined }, calls);
}

/**
 * The calls that one response can take: of the tools that the request offers, or any of those that its model runs unasked or that come
 * with stored content, as many as the caller allows (undefined = unlimited) or at most `maxPasses`; undefined = none.
 */
export function boundCallsOf(
  { vendorTools, hostedTools, hostedFields, mayBringTools, runsCode }: BodyFeatures,
  allowed: number | undefined,
  { runsByDefault, maxPasses }: { readonly runsByDefault: boolean; readonly maxPasses: number },
): CallBound | undefined {
  if (runsByDefault) return { max: maxPasses, tools: undefined, byDefault: true };
  if (vendorTools.length === 0 && !mayBringTools) return undefined;
  // A field turns a search on, which vendors count by names of their own.
  const isOpen = mayBringTools || hostedFields.length > 0;
  return {
    max: allowed ?? maxPasses,
    tools: isOpen ? undefined : hostedTools.map(({ tool }) => tool),
    runsCode,
  };
}

/** The most that so many units can cost. */
export function unitsHeld({ dimensions = NO_DIMENSIONS }: FrozenPrice, most: UnitCounts): Nanos {
  return BILLED_UNITS.reduce(
    (sum, unit) => sum + BigInt(most[unit] ?? 0) * (dimensions.units[unit] ?? 0n),
    0n,
  );
}

/**
 * The most searches that ranking so many texts of so many tokens can be: one ranks a hundred documents, and a longer
 * one counts once for each part of it. https://docs.cohere.com/docs/how-does-cohere-pricing-work
 */
export function maxSearches(texts: number, tokens: number): number {
  return Math.ceil((texts + tokens / PART_TOKENS) / SEARCH_TEXTS);
}

const SEARCH_TEXTS = 100;
const PART_TOKENS = 500;

/** In the sizes that the request asks for, where it says so, else in whatever size costs most. */
function priceOf({ dimensions = NO_DIMENSIONS, sizes = {} }: FrozenPrice, name: string): Nanos {
  const terms = dimensions.calls[name];
  if (terms === undefined) return 0n;
  const asked = sizes[name];
  return (asked && nanosOfCall(terms, highestSize(terms, asked))) ?? maxCallPrice([terms]);
}
