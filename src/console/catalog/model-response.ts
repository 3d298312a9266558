import { isRecord } from "../../base/json/record.ts";
import type { Catalog, Model as CatalogModel } from "../../catalog/catalog.ts";
import { momentText } from "../../catalog/coming-prices.ts";
import type { Price as CatalogPrice } from "../../catalog/price-columns.ts";
import type { UpstreamRecord } from "../../catalog/upstreams-store.ts";
import { encodeModel, encodePrice } from "../../manifest/file/encode-file.ts";
import type { FileRecord, FileValue } from "../../manifest/file/file-value.ts";
import { revisionOf } from "../input.ts";
import type { Model, Price } from "./contract.ts";

interface Beside {
  readonly upstreams: readonly UpstreamRecord[];
  readonly catalog: Catalog;
  readonly priceSince: Date | undefined;
}

/** A model as the wire has it: the fields of the catalog file, none left out. */
export function modelResponse(model: CatalogModel, { upstreams, catalog, priceSince }: Beside): Model {
  const file = encodeModel({ ...model, aliasOf: undefined });
  return {
    id: model.id,
    alias_of: model.aliasOf ?? null,
    family: model.family,
    variant: model.variant,
    owned_by: model.ownedBy,
    created: model.created,
    endpoints: file["endpoints"] as string[],
    groups: model.groups && [...model.groups].sort(),
    context_tokens: model.contextTokens,
    max_output_tokens: model.maxOutputTokens,
    fallbacks: (model.fallbacks ?? []).map(({ model: fallback, on }) => ({ model: fallback, on: [...on] })),
    order: model.order ?? null,
    price: model.price && priceResponse(model.price),
    coming_prices: (model.coming ?? []).map((row) => ({
      from: momentText(row.fromMs ?? 0),
      ...priceResponse(row),
    })),
    quirks: { ...model.quirks },
    price_since: priceSince?.toISOString() ?? null,
    upstreams: upstreams.filter(({ models }) => models.has(model.id)).map(({ name }) => name),
    callable_in: [...catalog.groups.keys()].filter(
      (group) => catalog.endpointsOf(model.id, group).length > 0,
    ),
    revision: modelRevision(model),
  };
}

export function modelRevision(model: CatalogModel): string {
  return revisionOf(encodeModel(model));
}

/** The price as the file has it, every amount and factor as text. */
export function priceResponse(price: CatalogPrice): Price {
  return inText(encodePrice(price)) as Price;
}

function inText(record: FileRecord): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]): [string, unknown][] => {
      if (value === undefined) return [];
      const text = NUMBERS.has(name) ? value : textOf(value);
      return typeof text === "object" && text !== null && Object.keys(text).length === 0
        ? []
        : [[name, text]];
    }),
  );
}

/** Fields that are counts and no amounts. */
const NUMBERS: ReadonlySet<string> = new Set(["above", "days"]);

function textOf(value: FileValue): unknown {
  if (Array.isArray(value)) return value.map(textOf);
  return isRecord(value) ? inText(value) : String(value);
}
