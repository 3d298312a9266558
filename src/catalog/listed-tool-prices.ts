import { findTool } from "../usage/tool-names.ts";
import type { Model, Upstream } from "./catalog.ts";
import { type CallPrice, NO_DIMENSIONS } from "./price-table.ts";

/** The list price of a call of a vendor's own tool. */
export interface ListedTool {
  readonly tool: string;
  readonly price: CallPrice;
  /** The models to which it applies, by the vendor's name; absent = all. */
  readonly models?: RegExp;
  /** The base URLs to which it applies, where one kind of upstream serves many vendors. */
  readonly at?: RegExp;
}

/**
 * The model with the list prices of its vendors' tools added to the prices of tools that it states itself; a stated price
 * covers the tool's whole family. If vendors have different prices, the highest applies, because the price is frozen before
 * the vendor is chosen.
 */
export function withListedTools(
  model: Model,
  upstreams: readonly Pick<Upstream, "kind" | "baseUrl" | "models">[],
  toolsOf: (kind: string) => readonly ListedTool[],
): Model {
  const { price } = model;
  if (price === null) return model;
  const { calls, ...others } = price.dimensions ?? NO_DIMENSIONS;
  const own = Object.keys(calls);
  const listed: Record<string, ListedTool["price"]> = {};
  for (const { kind, baseUrl, models } of upstreams) {
    const name = models.get(model.id) ?? model.id;
    const rows = toolsOf(kind).filter(({ models = ANY, at = ANY }) => models.test(name) && at.test(baseUrl));
    for (const row of rows) {
      if (findTool(own, row.tool) !== undefined) continue;
      const before = listed[row.tool];
      if (before === undefined || highestOf(before) < highestOf(row.price)) listed[row.tool] = row.price;
    }
  }
  if (Object.keys(listed).length === 0) return model;
  return { ...model, price: { ...price, dimensions: { ...others, calls: { ...listed, ...calls } } } };
}

function highestOf(price: CallPrice): bigint {
  const all = "nanos" in price ? [price.nanos] : Object.values(price.sizes);
  return all.reduce((highest, nanos) => (nanos > highest ? nanos : highest), 0n);
}

const ANY = /(?:)/;
