import { appendAll } from "../../base/append-all.ts";
import { systemClock } from "../../base/clock.ts";
import { priceOf } from "../../price-lists/list-entry.ts";
import { type PublicEntry, publicList } from "../../price-lists/public-list.ts";
import { json, type Operation } from "../operation.ts";
import { type KnownPrices, knownPrices, knownPricesQuery } from "./contract.ts";
import { priceResponse } from "./model-response.ts";

/** More than anyone reads; who searches for more precise words sees the others. */
const MAX = 100;

/** Public list prices to choose from; they come with the program and are as old as its release. */
export function knownPriceOperations(): readonly Operation[] {
  return [
    json({
      method: "GET",
      path: "/operator/known-prices",
      policy: "operator",
      tag: "catalog",
      summary: "Public list prices of vendors' models",
      query: knownPricesQuery,
      response: knownPrices,
      async run({ query: { search } }) {
        const words = search.toLowerCase().split(/\s+/);
        const matches = ({ vendorName, model, name }: PublicEntry): boolean => {
          const text = `${vendorName} ${model} ${name}`.toLowerCase();
          return words.every((word) => text.includes(word));
        };
        const { entries } = await publicList(systemClock.nowMs());
        const found: Known[] = [];
        for (const entry of entries) {
          if (found.length === MAX) break;
          if (!entry.isDeprecated && matches(entry)) appendAll(found, describe(entry));
        }
        return { data: found, next: null };
      },
    }),
  ];
}

type Known = KnownPrices["data"][number];

/** None where a price table cannot say its price. */
function describe({ vendorName, model, name, contextTokens, read }: PublicEntry): Known[] {
  const { table } = read();
  if (table === undefined) return [];
  return [
    {
      vendor: vendorName,
      model,
      name,
      price: priceResponse(priceOf(table)),
      notes: [],
      context_tokens: contextTokens ?? null,
    },
  ];
}
