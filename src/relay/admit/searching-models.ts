import type { Caller } from "../../accounts/caller.ts";
import type { Catalog, Model } from "../../catalog/catalog.ts";
import { findTool } from "../../usage/tool-names.ts";

/**
 * Models that search whatever they are asked, by the vendors' names; a model says otherwise by its quirk `searches`.
 * https://docs.perplexity.ai/docs/getting-started/pricing, https://developers.openai.com/api/docs/guides/tools-web-search,
 * https://openrouter.ai/docs/guides/features/plugins/web-search, https://console.groq.com/docs/compound/systems
 */
const SEARCHING = /(^|[/.])sonar(-|$)|(^|\/)compound(-|$)|-search-(preview|api)(-|$)|:online$/;

/**
 * Those that search once for each response and say nothing of it, also without `web_search_options`:
 * https://developers.openai.com/api/docs/guides/tools-web-search
 */
const SEARCHING_ONCE = /(^|[/.])gpt-[\w.-]*-search-(preview|api)(-|$)/;

/**
 * True if a model may run searches that the request does not ask for. A model without prices of calls pays for none.
 */
export function searchesByDefault(catalog: Catalog, model: Model, caller: Pick<Caller, "group">): boolean {
  if (Object.keys(model.price?.dimensions?.calls ?? {}).length === 0) return false;
  const stated = model.quirks["searches"];
  return typeof stated === "boolean" ? stated : servedAs(SEARCHING, catalog, model, caller);
}

/** The calls, by their names in the price table, that each response of the model is billed for, whatever was asked; undefined = none. */
export function unrequestedCalls(
  catalog: Catalog,
  model: Model,
  caller: Pick<Caller, "group">,
): readonly string[] | undefined {
  const tool = findTool(Object.keys(model.price?.dimensions?.calls ?? {}), "web_search");
  if (tool === undefined || !servedAs(SEARCHING_ONCE, catalog, model, caller)) return undefined;
  return model.quirks["searches"] === false ? undefined : [tool];
}

/** True if the upstream's name for the model is one of these. */
function servedAs(names: RegExp, catalog: Catalog, model: Model, { group }: Pick<Caller, "group">): boolean {
  return catalog.serving(model.id, group).some(({ models }) => names.test(models.get(model.id) ?? model.id));
}
