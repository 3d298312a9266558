import type { ModelInfo, Provider } from "@pydantic/genai-prices";
import { isTextModel, type ListedModel, readGenaiPrice } from "./genai-price.ts";
import type { ListEntry, ListedPrice, PriceList } from "./list-entry.ts";

/** The release of the bundled list; a test holds it to the installed package. */
export const PUBLIC_LIST = { name: "genai-prices 0.1.8", date: "2026-09-23" } as const;

/** Vendors whose prices the list knows; the package cannot list them itself. */
const VENDORS = [
  ...["anthropic", "openai", "google", "deepseek", "mistral", "x-ai", "moonshotai", "zai", "minimax"],
  ...["cohere", "perplexity", "groq", "cerebras", "together", "fireworks", "novita", "azure", "aws"],
  ...["ovhcloud", "avian", "openrouter"],
];

/** A model of the bundled list with what people search it by. */
export interface PublicEntry extends ListEntry {
  readonly vendorName: string;
  readonly name: string;
  readonly isDeprecated: boolean;
}

/** The list that comes with the program, with the prices that hold on one day. */
export interface PublicList extends PriceList {
  /** Every text model with a price. */
  readonly entries: readonly PublicEntry[];
  /** The vendor at this address; undefined = one that the list does not know. */
  vendorAt(baseUrl: string): string | undefined;
}

/** An address of AWS's that the list does not know. */
const MANTLE = /^https:\/\/bedrock-mantle\.[\w-]+\.api\.aws(\/|$)/;

const VERSIONED = /^(.+-v)(\d+)$/;

/** True if the list took a model for an earlier or later one: it looks for a part of the name, whose version may follow. */
function isOtherVersion(model: string, listed: string): boolean {
  const [, stem = "", version] = VERSIONED.exec(listed) ?? [];
  const at = version === undefined ? -1 : model.indexOf(stem);
  if (at === -1) return false;
  const [stated] = /^\d+/.exec(model.slice(at + stem.length)) ?? [];
  return stated !== undefined && stated !== version;
}

let latest: { readonly day: number; readonly list: Promise<PublicList> } | undefined;

/** Loaded at the first look, as it is large and most processes never show it; read anew on each day, as prices have dates. */
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
      // The list itself knows a model's other names, and whose prices a vendor sells at that it has no own ones for.
      const found = calcPrice({}, model, { providerId: vendor, timestamp: day });
      if (found === null || isOtherVersion(model, found.model.id)) return undefined;
      const entry = own.get(found.model);
      return entry?.vendor === found.provider.id ? entry : entryOf(found.provider, found.model)[0];
    },
  };
}
