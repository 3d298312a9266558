import { findTool } from "../usage/tool-names.ts";
import type { Model, Upstream } from "./catalog.ts";
import { type CallPrice, NO_DIMENSIONS } from "./price-table.ts";

/** What a vendor asks for a call of its own tool, by the vendor's public list. */
export interface ListedTool {
  readonly tool: string;
  readonly price: Extract<CallPrice, { readonly nanos: bigint }>;
  /** Models that it holds for, by the vendor's name; absent = all. */
  readonly models?: RegExp;
  /** Base URLs that it holds for, where a kind of upstream stands for many vendors. */
  readonly at?: RegExp;
}

/**
 * The model with the list prices of its vendors' tools, beside those that its own price names: an own price of a tool stands for
 * its whole family. Where vendors ask different prices the dearest holds, as who answers is not known when a price is frozen.
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
      if (before === undefined || before.nanos < row.price.nanos) listed[row.tool] = row.price;
    }
  }
  if (Object.keys(listed).length === 0) return model;
  return { ...model, price: { ...price, dimensions: { ...others, calls: { ...listed, ...calls } } } };
}

const ANY = /(?:)/;
