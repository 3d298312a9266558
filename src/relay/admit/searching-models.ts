import type { Caller } from "../../accounts/caller.ts";
import type { Catalog, Model } from "../../catalog/catalog.ts";

/**
 * Models that search whatever they are asked, by the vendors' names; a model says otherwise by its quirk `searches`.
 * https://docs.perplexity.ai/docs/getting-started/pricing, https://developers.openai.com/api/docs/guides/tools-web-search,
 * https://openrouter.ai/docs/guides/features/plugins/web-search
 */
const SEARCHING = /(^|[/.])sonar(-|$)|-search-(preview|api)(-|$)|:online$/;

/** True if a model may run searches that the request does not ask for; one without prices of calls pays for none. */
export function searchesByDefault(catalog: Catalog, model: Model, { group }: Pick<Caller, "group">): boolean {
  if (Object.keys(model.price?.dimensions?.calls ?? {}).length === 0) return false;
  const stated = model.quirks["searches"];
  if (typeof stated === "boolean") return stated;
  const upstreams = catalog.serving(model.id, group);
  return upstreams.some(({ models }) => SEARCHING.test(models.get(model.id) ?? model.id));
}
