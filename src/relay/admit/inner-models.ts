import type { FoundValue } from "../../base/json/json-scan.ts";
import { freezePrice, type InnerUse } from "../../billing/pricing/max-cost.ts";
import { modelNotFound } from "../../catalog/allowed-model.ts";
import type { Catalog, Model, Upstream } from "../../catalog/catalog.ts";
import { GatewayError } from "../../errors.ts";
import { type HostedTool, readFeatures, scannedPath } from "../../protocols/body-features.ts";
import type { InnerModelPlace } from "../../protocols/protocol.ts";
import { isPlainService } from "../../usage/service-terms.ts";
import { familyOf, findTool } from "../../usage/tool-names.ts";
import type { TextRequest } from "../text-request.ts";
import { carriesExtras, nameIn, unpriced } from "./extras.ts";

/**
 * Further models that a request names, such as an advisor or fallbacks, are checked as `model` is: throws `model_not_found`
 * where this key may not use one, and `invalid_request` where the vendor would choose among models of which it may not use
 * all. They go to the vendor as they stand, so each may be called as an upstream of the request calls it. Translation leaves
 * them out.
 */
export function checkInnerModels(request: TextRequest, catalog: Catalog, model: Model): void {
  const { scan } = request;
  const places = placesIn(request);
  if (places.length === 0) return;
  const upstreams = carriersOf(request, catalog, model);
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
        if (usable(name, upstreams, request, catalog) === undefined) throw modelNotFound(name, path);
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

/** What these models can cost beside the model that was asked: each by itself, as all of them may work on one answer. */
export function innerUses(
  request: TextRequest,
  catalog: Catalog,
  model: Model,
  factorPpm: bigint,
  atMs: number,
): readonly InnerUse[] {
  const places = placesIn(request);
  const tools = hostedModels(request, catalog, model);
  if (places.length + tools.length === 0) return NO_USES;
  const upstreams = carriersOf(request, catalog, model);
  const use = (inner: Model, place: InnerModelPlace, found?: FoundValue): InnerUse[] => {
    if (inner.price?.rates.input === undefined) return [];
    const speed = speedOf(request, place, inner, found);
    const asked = speed === undefined ? {} : { asked: { speed } };
    return [
      {
        model: inner,
        price: freezePrice(inner, factorPpm, asked, atMs),
        byCall: place.worksByCall === true,
        outputLimit: limitOf(request, place, found),
      },
    ];
  };
  const named = places.flatMap((place): InnerUse[][] => {
    if (place.tool !== undefined) return [];
    return request.scan.all(scannedPath(place)).flatMap((found) => {
      if (found.type !== "string") return [];
      if (place.isVendorsChoice === true)
        return [chosenFrom(upstreams, catalog).flatMap((each) => use(each, place))];
      const inner = usable(textOf(found), upstreams, request, catalog);
      return inner === undefined ? [] : [use(inner, place, found)];
    });
  });
  return [...named.flat(), ...tools.flatMap(({ inner, place }) => use(inner, place))];
}

const NO_USES: readonly InnerUse[] = [];

/** The model of a tool that is charged by the tokens of that model: one that this key may use, with prices of them. */
export function tokenPricedModel(
  hosted: HostedTool,
  request: TextRequest,
  catalog: Catalog,
  model: Model,
): Model | undefined {
  const place = toolPlace(hosted, request);
  if (place?.tool === undefined) return undefined;
  const named = request.scan.all(scannedPath(place)).find(({ parent }) => parent === hosted.found.parent);
  const name = named?.type === "string" ? textOf(named) : place.tool.byDefault;
  const inner = usable(name, carriersOf(request, catalog, model), request, catalog);
  return inner?.price?.rates.imageOutput === undefined ? undefined : inner;
}

/** Of the tools that the request offers and the model has no price for. */
function hostedModels(
  request: TextRequest,
  catalog: Catalog,
  model: Model,
): { readonly inner: Model; readonly place: InnerModelPlace }[] {
  if (!(request.protocol.forward.innerModels ?? []).some(({ tool }) => tool !== undefined)) return [];
  const priced = Object.keys(model.price?.dimensions?.calls ?? {});
  return readFeatures(request.protocol.forward.hold, request.scan).hostedTools.flatMap((hosted) => {
    const place = toolPlace(hosted, request);
    if (place === undefined || findTool(priced, hosted.tool) !== undefined) return [];
    const inner = tokenPricedModel(hosted, request, catalog, model);
    return inner === undefined ? [] : [{ inner, place }];
  });
}

function toolPlace({ tool, place }: HostedTool, { protocol }: TextRequest): InnerModelPlace | undefined {
  return (protocol.forward.innerModels ?? []).find(
    (each) => each.tool?.type === familyOf(tool) && each.path === `${place.path}.model`,
  );
}

function placesIn({ protocol, scan }: TextRequest): readonly InnerModelPlace[] {
  return (protocol.forward.innerModels ?? []).filter((place) => scan.present.includes(scannedPath(place)));
}

/** The upstreams that would get the request as it stands. */
function carriersOf(request: TextRequest, catalog: Catalog, model: Model): readonly Upstream[] {
  return catalog
    .serving(model.id, request.caller.group, request.protocol.name)
    .filter(({ protocols }) => protocols.some((each) => carriesExtras(request, each)));
}

/** A model that this key may use, by our name or by that of one of the upstreams. */
function usable(
  name: string,
  upstreams: readonly Upstream[],
  { caller }: TextRequest,
  catalog: Catalog,
): Model | undefined {
  const own = catalog.callable(caller, name);
  if (own !== undefined) return own;
  for (const { models } of upstreams) {
    for (const [ours, theirs] of models) {
      const model = theirs === name ? catalog.callable(caller, ours) : undefined;
      if (model !== undefined) return model;
    }
  }
  return undefined;
}

function mayUseAll(upstreams: readonly Upstream[], { caller }: TextRequest, catalog: Catalog): boolean {
  return upstreams.every(({ models }) =>
    [...models.keys()].every((ours) => catalog.callable(caller, ours) !== undefined),
  );
}

function chosenFrom(upstreams: readonly Upstream[], catalog: Catalog): readonly Model[] {
  const ids = new Set(upstreams.flatMap(({ models }) => [...models.keys()]));
  return [...ids].flatMap((id) => catalog.models.get(id) ?? []);
}

function textOf({ value, head }: FoundValue): string {
  return typeof value === "string" ? value : head;
}

/** What stands at a path in the same object as the model. */
function beside(
  { scan }: TextRequest,
  path: string | undefined,
  found: FoundValue | undefined,
): FoundValue[] {
  if (path === undefined || found === undefined) return [];
  return scan
    .all(scannedPath({ path }))
    .filter(({ parent, type }) => parent === found.parent && type !== "null");
}

/** Of two the larger; whatever is no count is the model's own limit. */
function limitOf(
  request: TextRequest,
  { outputLimit }: InnerModelPlace,
  found?: FoundValue,
): number | undefined {
  const limits = beside(request, outputLimit, found).map(({ value }) =>
    typeof value === "number" && value >= 1 ? Math.ceil(value) : Number.POSITIVE_INFINITY,
  );
  return limits.length === 0 ? undefined : Math.max(...limits);
}

/** As its price table calls it; throws `invalid_request` where that has no price. */
function speedOf(
  request: TextRequest,
  { speed: path }: InnerModelPlace,
  inner: Model,
  found?: FoundValue,
): string | undefined {
  for (const { head } of beside(request, path, found)) {
    if (isPlainService(head)) continue;
    const named = nameIn(inner, "speed", head);
    if (named === undefined) throw unpriced(path ?? "", `\`${path}\` "${head}"`, `price.speeds "${head}"`);
    return named;
  }
  return undefined;
}
