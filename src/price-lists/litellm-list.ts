import { parseExact } from "../base/json/exact-json.ts";
import { isRecord } from "../base/json/record.ts";
import type { ListEntry, PriceList } from "./list-entry.ts";
import { isTextMode, LITELLM_VENDORS } from "./litellm-fields.ts";
import { type LitellmModel, readLitellmPrice } from "./litellm-price.ts";

/** Thrown for a text that is no list in LiteLLM's format. */
export class ListFormatError extends Error {
  override readonly name = "ListFormatError";
}

/** Entries of the file that are explanations, not models. */
const NO_MODELS: ReadonlySet<string> = new Set(["sample_spec", "fallback_generalizations"]);

/** Reads a list in the format of `model_prices_and_context_window.json`. Throws ListFormatError. */
export function readLitellmList(text: string, { name, date }: Pick<PriceList, "name" | "date">): LitellmList {
  const models = parseModels(text);
  const entries: LitellmEntry[] = Object.entries(models).flatMap(([model, value]) => {
    if (NO_MODELS.has(model) || !isRecord(value) || !isTextMode(value["mode"])) return [];
    const vendor = vendorOf(value["litellm_provider"]);
    return vendor === undefined ? [] : [entryOf(vendor, model, value)];
  });
  if (entries.length === 0) throw new ListFormatError("has no text model of a vendor that is known here");
  const byName = new Map<string, LitellmEntry>();
  for (const entry of entries) {
    // Aliases are added first, so that a model's own name overrides another model's alias.
    for (const alias of entry.aliases) byName.set(`${entry.vendor} ${alias}`, entry);
  }
  for (const entry of entries) byName.set(`${entry.vendor} ${entry.model}`, entry);
  return {
    name,
    date,
    entries,
    find(vendor, model) {
      const prefix = LITELLM_VENDORS[vendor]?.prefix ?? "";
      // Some names without the prefix are of another service of the same vendor.
      return byName.get(`${vendor} ${prefix}${model}`) ?? byName.get(`${vendor} ${model}`);
    },
  };
}

export interface LitellmList extends PriceList {
  readonly entries: readonly ListEntry[];
}

interface LitellmEntry extends ListEntry {
  readonly aliases: readonly string[];
}

function parseModels(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parseExact(text);
  } catch {
    throw new ListFormatError("is not valid JSON");
  }
  if (!isRecord(value)) throw new ListFormatError("is not an object of models by name");
  return value;
}

function vendorOf(provider: unknown): string | undefined {
  return Object.entries(LITELLM_VENDORS).find(([, { providers }]) =>
    providers.some((each) => each === provider),
  )?.[0];
}

function entryOf(vendor: string, model: string, value: LitellmModel): LitellmEntry {
  const { source, max_input_tokens: context, aliases } = value;
  return {
    vendor,
    model,
    url: typeof source === "string" ? source : undefined,
    contextTokens: typeof context === "number" ? context : undefined,
    aliases: Array.isArray(aliases) ? aliases.filter((each): each is string => typeof each === "string") : [],
    read: () => readLitellmPrice(vendor, value),
  };
}
