import { estimateMaxCost } from "../../billing/pricing/max-cost.ts";
import { requestedOutputLimit } from "../../billing/pricing/requested-output-limit.ts";
import type { Catalog, Model } from "../../catalog/catalog.ts";
import { readsNoneOf } from "../../catalog/model-media.ts";
import { GatewayError } from "../../errors.ts";
import { readFeatures } from "../../protocols/body-features.ts";
import type { TextRequest } from "../text-request.ts";
import { checkAdditionalModels } from "./additional-models.ts";
import type { FallbackModel } from "./fallback-chain.ts";
import { readReferences } from "./references.ts";
import { costEstimateInput } from "./take-hold.ts";
import { withoutUnpriced } from "./unpriced-tools.ts";

/**
 * The fallbacks of a model that can answer this request: those that the caller may use where it came in, whose output limit and
 * media allow it, and that are priced for it. undefined = the model has none. What names things that a vendor keeps can be
 * asked nowhere else, and what asks for a compaction has a second form already.
 */
export function fallbackModels(
  catalog: Catalog,
  { fallbacks }: Model,
  request: TextRequest,
  atMs: number,
): readonly FallbackModel[] | undefined {
  if (fallbacks === undefined || request.compacts !== undefined || request.compactionFallback !== undefined)
    return undefined;
  if (readReferences(request).ids.length > 0) return undefined;
  const found = fallbacks.flatMap(({ model: id, on }): FallbackModel[] => {
    const model = catalog.callable(request.caller, id);
    if (model === undefined || !allows(catalog, model, request)) return [];
    try {
      const asked = withoutUnpriced({ ...request, model: model.id }, catalog, model);
      checkAdditionalModels(asked, catalog, model);
      const question = costEstimateInput(catalog, model, asked, readReferences(asked), atMs);
      const { amountNanos, usage: bound } = estimateMaxCost(question);
      return [{ model, request: asked, on, price: question.price, amountNanos, bound }];
    } catch (error) {
      // It wants what this model has no price for, or may not have.
      if (error instanceof GatewayError) return [];
      throw error;
    }
  });
  return found.length === 0 ? undefined : found;
}

function allows(catalog: Catalog, model: Model, { caller, protocol, scan }: TextRequest): boolean {
  const { forward, name } = protocol;
  if (!catalog.endpointsOf(model.id, caller.group).includes(name)) return false;
  const limit = requestedOutputLimit({ forward, scan }, Number.MAX_SAFE_INTEGER);
  if (limit !== undefined && model.maxOutputTokens !== null && limit > model.maxOutputTokens) return false;
  const { mediaRead } = readFeatures(forward.hold, scan);
  return mediaRead.size === 0 || !readsNoneOf(catalog, model, caller.group, mediaRead);
}
