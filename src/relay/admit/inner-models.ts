import { modelNotFound } from "../../catalog/allowed-model.ts";
import type { Catalog, Model, Upstream } from "../../catalog/catalog.ts";
import { GatewayError } from "../../errors.ts";
import { scannedPath } from "../../protocols/body-features.ts";
import type { TextRequest } from "../text-request.ts";
import { carriesExtras } from "./extras.ts";

/**
 * Further models that a request names, such as an advisor or fallbacks, are checked as `model` is: throws `model_not_found`
 * where this key may not use one, and `invalid_request` where the vendor would choose among models of which it may not use
 * all. They go to the vendor as they stand, so each may be called as an upstream of the request calls it. Translation leaves
 * them out.
 */
export function checkInnerModels(request: TextRequest, catalog: Catalog, model: Model): void {
  const { scan, caller, protocol } = request;
  const places = (protocol.forward.innerModels ?? []).filter((place) =>
    scan.present.includes(scannedPath(place)),
  );
  if (places.length === 0) return;
  const upstreams = catalog
    .serving(model.id, caller.group, protocol.name)
    .filter(({ protocols }) => protocols.some((each) => carriesExtras(request, each)));
  if (upstreams.length === 0) return;
  for (const place of places) {
    const { path, isVendorsChoice } = place;
    const found = scan.all(scannedPath(place));
    if (found.length < scan.count(scannedPath(place)))
      throw new GatewayError("invalid_request", `\`${path}\` names too many models.`, { param: path });
    for (const { type, value, head } of found) {
      if (type !== "string") continue;
      const name = typeof value === "string" ? value : head;
      if (isVendorsChoice !== true) {
        if (!mayUse(name, upstreams, request, catalog)) throw modelNotFound(name, path);
      } else if (!mayUseAll(upstreams, request, catalog)) {
        throw new GatewayError(
          "invalid_request",
          `\`${path}: "${name}"\` may lead to models that this key may not use. List the models instead.`,
          { param: path },
        );
      }
    }
  }
}

function mayUse(
  name: string,
  upstreams: readonly Upstream[],
  { caller }: TextRequest,
  catalog: Catalog,
): boolean {
  if (catalog.callable(caller, name) !== undefined) return true;
  return upstreams.some(({ models }) =>
    [...models].some(([ours, theirs]) => theirs === name && catalog.callable(caller, ours) !== undefined),
  );
}

function mayUseAll(upstreams: readonly Upstream[], { caller }: TextRequest, catalog: Catalog): boolean {
  return upstreams.every(({ models }) =>
    [...models.keys()].every((ours) => catalog.callable(caller, ours) !== undefined),
  );
}
