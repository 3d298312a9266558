import type { FamilyModel } from "./family.ts";

/**
 * The variant of a model: what the catalog says, else the longest one that the model's id ends with
 * (`videoa-2.0-fast`). undefined = neither names one that the family has.
 */
export function variantOf<V extends string>(model: FamilyModel, variants: readonly V[]): V | undefined {
  if (model.variant !== null) return variants.find((variant) => variant === model.variant);
  const id = model.id.toLowerCase();
  return variants
    .filter((variant) => id.endsWith(`-${variant.toLowerCase()}`))
    .reduce<V | undefined>(
      (longest, each) => (longest && longest.length > each.length ? longest : each),
      undefined,
    );
}
