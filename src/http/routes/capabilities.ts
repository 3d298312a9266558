import type { Model } from "../../catalog/catalog.ts";
import { schemaOfFields } from "../../families/field-schema.ts";
import { familyOf } from "../../families/table.ts";
import { callerOf } from "../core/credentials.ts";
import { sendJson } from "../core/endpoint.ts";
import type { Router } from "../core/router.ts";
import type { HttpDeps } from "../deps.ts";

/** What the models of images and videos that a key may call take, from the tables that requests are read by. */
export function capabilityRoutes(router: Router, deps: HttpDeps): void {
  router.endpoint(["GET", "HEAD"], "/v1/capabilities", async (context) => {
    const caller = await callerOf(context, deps);
    const data = deps.catalog.current().listed(caller).flatMap(capabilityOf);
    sendJson(context, 200, { object: "list", data });
  });
}

function capabilityOf(model: Model): object[] {
  const family = model.family === null ? undefined : familyOf(model.family);
  if (family === undefined) return [];
  const isImage = family.medium === "image";
  return [
    {
      id: model.id,
      family: family.name,
      variant: family.variantOf(model) ?? null,
      medium: family.medium,
      submit: isImage ? "/v1/images/generations" : "/v2/videos/generations",
      read: isImage ? "/v1/images/tasks/{id}" : "/v2/videos/generations/{id}",
      request: { type: "object", ...schemaOfFields(family.fields(model)) },
      limits: snakeCased(family.limits(model)),
      billed: { per: isImage ? "image" : "second", by: family.priceWords(model) },
    },
  ];
}

function snakeCased(limits: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    Object.entries(limits).map(([name, value]) => [
      name.replace(/[A-Z]/g, (each) => `_${each.toLowerCase()}`),
      value,
    ]),
  );
}
