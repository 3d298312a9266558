import type { ModelInfo, Provider } from "@pydantic/genai-prices";
import { isTextModel, type ListedModel, readGenaiPrice } from "./genai-price.ts";
import type { ListEntry, ListedPrice, PriceList } from "./list-entry.ts";

/** The release of the bundled list; a test holds it to the installed package. */
export const PUBLIC_LIST = { name: "genai-prices 0.1.8", date: "2026-09-23" } as const;

/** Vendors whose prices the list has; the package itself cannot enumerate them. */
const VENDORS = [
  ...["anthropic", "openai", "google", "deepseek", "mistral", "x-ai", "moonshotai", "zai", "minimax"],
  ...["cohere", "perplexity", "groq", "cerebras", "together", "fireworks", "novita", "azure", "aws"],
  ...["ovhcloud", "avian", "openrouter"],
];

/** A model of the bundled list, with the names by which people search for it. */
export interface PublicEntry extends ListEntry {
  readonly vendorName: string;
  readonly name: string;
  readonly isDeprecated: boolean;
}

/** The list that comes with the program, with the prices of one day. */
export interface PublicList extends PriceList {
  /** All text models with a price. */
  readonly entries: readonly PublicEntry[];
  /** Returns the vendor at this URL; undefined = the list does not know it. */
  vendorAt(baseUrl: string): string | undefined;
}

/** A host name of AWS's that the list does not know. */
const MANTLE = /^https:\/\/bedrock-mantle\.[\w-]+\.api\.aws(\/|$)/;

const VERSIONED = /^(.+-v)(\d+)$/;

/**
 * True if the list confused two versions of a model. It searches for a part of the name, which a version may follow.
 */
function isOtherVersion(model: string, listed: string): boolean {
  const [, stem = "", version] = VERSIONED.exec(listed) ?? [];
  const at = version === undefined ? -1 : model.indexOf(stem);
  if (at === -1) return false;
  const [stated] = /^\d+/.exec(model.slice(at + stem.length)) ?? [];
  return stated !== undefined && stated !== version;
}

let latest: { readonly day: number; readonly list: Promise<PublicList> } | undefined;

/**
 * Loads the list on first use, because it is large and most processes never need it. Its prices depend on the date, so
 * it is read anew each day.
 */
export function publicList(nowMs: number): Promise<PublicList> {
  const day = Math.floor(nowMs / MS_PER_DAY);
  if (latest?.day !== day) latest = { day, list: loadList(new Date(day * MS_PER_DAY)) };
  return latest.list;
}

const MS_PER_DAY = 86_400_000;

async function loadList(day: Date): Promise<PublicList> {
  const { calcPrice, findProvider } = await import("@pydantic/genai-prices");
  const owners = new Map<ModelInfo, string>();
  const entryOf = (provider: Provider, model: ModelInfo): PublicEntry[] => {
    const listed: ListedModel = {
      vendor: owners.get(model) ?? provider.id,
      prices: model.prices,
      priceAt: (timestamp) => calcPrice({}, model.id, { providerId: provider.id, timestamp })?.model_price,
    };
    if (!isTextModel(listed, day)) return [];
    let price: ListedPrice | undefined;
    return [
      {
        vendor: provider.id,
        vendorName: provider.name,
        model: model.id,
        name: model.name ?? model.id,
        isDeprecated: model.deprecated === true,
        url: provider.pricing_urls?.[0],
        contextTokens: model.context_window,
        read: () => {
          price ??= readGenaiPrice(listed, day);
          return price;
        },
      },
    ];
  };
  const own = new Map<ModelInfo, PublicEntry>();
  const entries = VENDORS.flatMap((providerId) => {
    const provider = findProvider({ providerId });
    for (const model of provider?.models ?? []) owners.set(model, providerId);
    return (provider?.models ?? []).flatMap((model) => {
      const [entry] = provider === undefined ? [] : entryOf(provider, model);
      if (entry !== undefined) own.set(model, entry);
      return entry ?? [];
    });
  });
  return {
    ...PUBLIC_LIST,
    entries,
    vendorAt: (baseUrl) => (MANTLE.test(baseUrl) ? "aws" : findProvider({ providerApiUrl: baseUrl })?.id),
    find(vendor, model) {
      // The list itself knows a model's other names, and the vendor whose prices apply if a vendor has none of its own.
      const found = calcPrice({}, model, { providerId: vendor, timestamp: day });
      if (found === null || isOtherVersion(model, found.model.id)) return undefined;
      const entry = own.get(found.model);
      return entry?.vendor === found.provider.id ? entry : entryOf(found.provider, found.model)[0];
    },
  };
}
