import { assert } from "../base/assert.ts";
import { systemClock } from "../base/clock.ts";
import type { Model, Upstream } from "../catalog/catalog.ts";
import { type ListedTool, withListedTools } from "../catalog/listed-tool-prices.ts";
import { readModels } from "../catalog/models-store.ts";
import type { Queryable } from "../storage/database.ts";
import type { AuditNote } from "../users/audit-store.ts";
import { setPrice, sourceOf } from "./accept.ts";
import { type Compared, vendorOf } from "./compare.ts";
import { type ListEntry, type PriceList, priceOf } from "./list-entry.ts";
import { isUnpriced, type MissingPrice, missingPrices, withPrices } from "./missing-price.ts";
import { publicList } from "./public-list.ts";
import { readUnpricedUsage, type UnpricedUsage } from "./unpriced-store.ts";

/** Usage for which the model still has no price, with the prices that would cover it. */
export interface Unpriced extends UnpricedUsage {
  readonly prices: readonly MissingPrice[];
  /** Source of the listed amounts; undefined = no list has any. */
  readonly source: PriceSource | undefined;
}

interface PriceSource {
  readonly list: PriceList;
  readonly entry: ListEntry;
}

interface Prices extends Pick<Compared, "models" | "lists" | "vendorAt" | "listedAs"> {
  readonly upstreams: readonly Pick<Upstream, "name" | "kind" | "preset" | "baseUrl" | "models">[];
  /** The list prices of the tools of a kind of upstream. */
  toolsOf(kind: string): readonly ListedTool[];
}

/** Returns the usage that would still be unpriced at present prices. Pure. */
function stillUnpriced(usage: readonly UnpricedUsage[], prices: Prices): readonly Unpriced[] {
  return usage.flatMap((each) => {
    const model = prices.models.find(({ id }) => id === each.model);
    if (model === undefined || model.price === null) return [];
    const upstream = prices.upstreams.find(({ name }) => name === each.upstream);
    const { price } = upstream === undefined ? model : withListedTools(model, [upstream], prices.toolsOf);
    const other = OTHER_MODEL.exec(each.what)?.[1];
    if (other !== undefined)
      return isListedAt(upstream, other) ? [] : [{ ...each, prices: [], source: undefined }];
    if (price === null || !isUnpriced(price, each.what)) return [];
    const found = upstream && entryOf(upstream, model, prices);
    const table = found?.entry.read().table;
    const missing = missingPrices(model.price, each.what, table && priceOf(table));
    const isListed = missing.some(({ listed }) => listed !== undefined);
    return [{ ...each, prices: missing, source: isListed ? found : undefined }];
  });
}

/**
 * A model that the upstream does not list. A price of the requested model would not help; the model has to be added to
 * the upstream.
 */
const OTHER_MODEL = /^model (\S+)$/;

function isListedAt(upstream: Prices["upstreams"][number] | undefined, theirName: string): boolean {
  return upstream !== undefined && [...upstream.models.values()].includes(theirName);
}

/** Reads the operators' list. */
export async function readUnpriced(
  db: Queryable,
  { upstreams, toolsOf, listedAs }: Pick<Prices, "upstreams" | "toolsOf" | "listedAs">,
) {
  const list = await publicList(systemClock.nowMs());
  const models = await readModels(db);
  const { vendorAt } = list;
  const prices = { models, upstreams, lists: [list], vendorAt, listedAs, toolsOf };
  return { models, unpriced: stillUnpriced(await readUnpricedUsage(db), prices) };
}

/** One entry of the list, as the API, its page and the command show it. */
export function unpricedJson(unpriced: Unpriced) {
  const { model, upstream, what, requests, firstAt, lastAt, requestId, prices, source } = unpriced;
  return {
    model,
    upstream,
    what,
    requests: Number(requests),
    first_at: firstAt.toISOString(),
    last_at: lastAt.toISOString(),
    request_id: requestId,
    prices: prices.map(({ keys, listed }) => ({ price: keys.join("."), listed: listed ?? null })),
    source: source === undefined ? null : sourceJson(source),
  };
}

function sourceJson({ list: { name, date }, entry: { vendor, model, url } }: PriceSource) {
  return { list: name, date, vendor, listed_as: model, url: url ?? null };
}

function entryOf(
  upstream: Prices["upstreams"][number],
  { id }: Model,
  prices: Prices,
): PriceSource | undefined {
  const [vendor, theirName] = [vendorOf(upstream, prices), upstream.models.get(id)];
  if (vendor === undefined || theirName === undefined) return undefined;
  for (const list of prices.lists) {
    const entry = list.find(vendor, theirName);
    if (entry !== undefined) return { list, entry };
  }
  return undefined;
}

/** Adds the prices that a model lacks, as acceptPrice() adds a listed one; `amounts` are keyed by dotted paths. */
export function addPrices(
  tx: Queryable,
  model: Model,
  { prices, source, requestId, upstream, what }: Unpriced,
  amounts: ReadonlyMap<string, string>,
): Promise<AuditNote> {
  const entered = prices.map(({ keys, listed }) => ({
    keys,
    listed,
    amount: amounts.get(keys.join(".")) ?? "",
  }));
  assert(model.price, "what has no price at all serves nothing");
  const price = withPrices(
    model.price,
    entered.map(({ keys, amount }) => [keys, amount] as const),
  );
  const isListed = entered.every(({ listed, amount }) => listed === amount);
  const found = { unpriced: what, upstream, request_id: requestId };
  return setPrice(tx, model, price, isListed && source ? { ...found, ...sourceOf(source) } : found);
}
