import type { FamilyModel } from "./family.ts";
import { schemaOfFields } from "./field-schema.ts";
import { familyOf } from "./table.ts";

/** A model of images or videos as GET /v1/capabilities and the playground describe it; undefined = it is of neither. */
export function capabilityOf(model: FamilyModel & { readonly family: string | null }) {
  const family = model.family === null ? undefined : familyOf(model.family);
  if (family === undefined) return undefined;
  const isImage = family.medium === "image";
  return {
    id: model.id,
    family: family.name,
    variant: family.variantOf(model) ?? null,
    medium: family.medium,
    submit: isImage ? "/v1/images/generations" : "/v2/videos/generations",
    read: isImage ? "/v1/images/tasks/{id}" : "/v2/videos/generations/{id}",
    request: { type: "object", ...schemaOfFields(family.fields(model)) },
    limits: snakeCased(family.limits(model)),
    billed: { per: isImage ? "image" : "second", by: family.priceWords(model) },
  };
}

function snakeCased(limits: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(limits).map(([name, value]) => [
      name.replace(/[A-Z]/g, (each) => `_${each.toLowerCase()}`),
      value,
    ]),
  );
}
