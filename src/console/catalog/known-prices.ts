import type { ModelPrice, Provider, TieredPrices } from "@pydantic/genai-prices";
import { formatUsd, parseUsd } from "../../base/money.ts";
import { json, type Operation } from "../operation.ts";
import { type KnownPrices, knownPrices, knownPricesQuery, type Price } from "./contract.ts";

/** Vendors whose list prices the public package knows; the package cannot list them itself. */
const VENDORS = [
  ...["anthropic", "openai", "google", "deepseek", "mistral", "x-ai", "moonshotai", "zai", "minimax"],
  ...["cohere", "perplexity", "groq", "cerebras", "together", "fireworks", "novita", "azure", "aws"],
  ...["ovhcloud", "avian", "openrouter"],
];

/** Their names of what we also have a price for. */
const RATES = {
  input: "input_mtok",
  output: "output_mtok",
  cache_read: "cache_read_mtok",
  cache_write: "cache_write_mtok",
  cache_write_1h: "cache_write_1h_mtok",
} as const;

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
        const matches = ({ vendor, model, name }: Known): boolean => {
          const text = `${vendor} ${model} ${name}`.toLowerCase();
          return words.every((word) => text.includes(word));
        };
        return { data: (await readKnown()).filter(matches).slice(0, MAX), next: null };
      },
    }),
  ];
}

type Known = KnownPrices["data"][number];

let known: Promise<readonly Known[]> | undefined;

/** Read at the first look: the list is large, and most processes never show it. */
function readKnown(): Promise<readonly Known[]> {
  known ??= import("@pydantic/genai-prices").then(({ calcPrice, findProvider }) =>
    VENDORS.flatMap((providerId) => {
      const provider = findProvider({ providerId });
      return (provider?.models ?? []).flatMap((model): Known[] => {
        if (provider === undefined || model.deprecated) return [];
        const inForce = calcPrice({ input_tokens: 0 }, model.id, { providerId })?.model_price;
        return inForce === undefined ? [] : describe(provider, model, inForce);
      });
    }),
  );
  return known;
}

function describe(provider: Provider, model: Provider["models"][number], inForce: ModelPrice): Known[] {
  const price: Price = { ...ratesAt(inForce, 0), ...stepsOf(inForce) };
  if (price.input === undefined) return [];
  return [
    {
      vendor: provider.name,
      model: model.id,
      name: model.name ?? model.id,
      price,
      notes: [],
      context_tokens: model.context_window ?? null,
    },
  ];
}

type Rates = Partial<Record<keyof typeof RATES, string>>;

/** What each token costs in a request of so many tokens of input. */
function ratesAt(inForce: ModelPrice, inputTokens: number): Rates {
  const rates: Rates = {};
  for (const [ours, theirs] of Object.entries(RATES)) {
    const rate = inForce[theirs];
    if (rate !== undefined) rates[ours as keyof typeof RATES] = exactUsd(rateAt(rate, inputTokens));
  }
  return rates;
}

function rateAt(rate: number | TieredPrices, inputTokens: number): number {
  if (typeof rate === "number") return rate;
  return rate.tiers.findLast(({ start }) => inputTokens > start)?.price ?? rate.base;
}

/** A row for each boundary of any rate, with all rates that there are. */
function stepsOf(inForce: ModelPrice): Pick<Price, "steps"> {
  const boundaries = Object.values(RATES).flatMap((theirs) => {
    const rate = inForce[theirs];
    return rate === undefined || typeof rate === "number" ? [] : rate.tiers.map(({ start }) => start);
  });
  if (boundaries.length === 0) return {};
  const rising = [...new Set(boundaries)].sort((one, other) => one - other);
  return { steps: rising.map((above) => ({ above, ...ratesAt(inForce, above + 1) })) };
}

/** A rate is a number as a user wrote it; beyond nine places there is none. */
function exactUsd(rate: number): string {
  return formatUsd(parseUsd(Number(rate.toFixed(9))));
}
