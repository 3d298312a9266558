import { appendAll } from "../../base/append-all.ts";
import type { FoundValue } from "../../base/json/json-scan.ts";
import { textAt } from "../../base/json/json-splice.ts";
import { freezePrice } from "../../billing/pricing/frozen-price.ts";
import type { AdditionalModel } from "../../billing/pricing/max-cost.ts";
import { unrequestedTerms } from "../../billing/pricing/unrequested-terms.ts";
import { modelNotFound } from "../../catalog/allowed-model.ts";
import type { Catalog, Model, Upstream } from "../../catalog/catalog.ts";
import { GatewayError } from "../../errors.ts";
import { type HostedTool, readFeatures, scannedPath } from "../../protocols/body-features.ts";
import type { AdditionalModelField, ForwardTable } from "../../protocols/protocol.ts";
import { isPlainService, type ServiceDimension, type ServiceTerms } from "../../usage/service-terms.ts";
import { familyOf, findTool } from "../../usage/tool-names.ts";
import type { TextRequest } from "../text-request.ts";
import { nameIn, requestsPricedOptions, unpriced } from "./priced-options.ts";

/**
 * Checks the models that a request names beside its own, such as an advisor or fallbacks, in the same way as `model`. Throws
 * `model_not_found` if the key may not use one, and `invalid_request` if the vendor would choose among models and the key may
 * not use all of them. The names are forwarded unchanged, so an upstream's own names are accepted too. Translated requests
 * leave them out.
 */
export function checkAdditionalModels(request: TextRequest, catalog: Catalog, model: Model): void {
  const { scan } = request;
  const places = placesIn(request);
  if (places.length === 0) return;
  const upstreams = forwardingUpstreams(request, catalog, model);
  if (upstreams.length === 0) return;
  for (const place of places) {
    const { path } = place;
    const found = scan.all(scannedPath(place));
    if (found.length < scan.count(scannedPath(place))) throw tooMany(path);
    for (const { text, isChoice, isName } of found.flatMap((value) => wordsAt(request, place, value))) {
      if (isChoice) {
        if (!mayUseAll(upstreams, request, catalog)) throw notChosen(path, text);
      } else if (isName || isKnown(text, upstreams, catalog)) {
        if (findUsableModel(text, upstreams, request, catalog) === undefined) throw modelNotFound(text, path);
      }
    }
  }
}

/** A string where a request may name models. */
interface Word {
  readonly text: string;
  /** True if it lets the vendor choose the model. */
  readonly isChoice: boolean;
  /** True if it must be the name of a model; otherwise it may be any word. */
  readonly isName: boolean;
}

/** In an open field, list items and fields called `model` name models; a string by itself does not. */
function wordsAt(request: TextRequest, { path, isOpen }: AdditionalModelField, found: FoundValue): Word[] {
  const { type } = found;
  if (isOpen !== true)
    return type === "string" ? [{ text: textOf(found), isChoice: false, isName: true }] : [];
  if (type === "string") return [{ text: textOf(found), isChoice: true, isName: false }];
  if (type !== "array" && type !== "object") return [];
  if (found.end - found.start > MAX_OPEN_BYTES) throw tooMany(path);
  const words: Word[] = [];
  JSON.parse(textAt(request.body, found), function (this: unknown, key: string, value: unknown) {
    const isName = Array.isArray(this) || key === "model";
    if (typeof value === "string") words.push({ text: value, isChoice: isName && value === CHOICE, isName });
    return value;
  });
  return words;
}

/** https://platform.claude.com/docs/en/build-with-claude/refusals-and-fallback */
const CHOICE = "default";

/** A few names with their settings take far less. */
const MAX_OPEN_BYTES = 64 * 1024;

function tooMany(path: string): GatewayError {
  return new GatewayError("invalid_request", `\`${path}\` names too many models.`, { param: path });
}

function notChosen(path: string, word: string): GatewayError {
  return new GatewayError(
    "invalid_request",
    `\`${path}: "${word}"\` may lead to models that this key may not use. List the models instead.`,
    { param: path },
  );
}

/** These models with their prices, for the hold. A model named twice counts twice, because all of them may work on one response. */
export function findAdditionalModels(
  request: TextRequest,
  catalog: Catalog,
  model: Model,
  factorPpm: bigint,
  atMs: number,
): readonly AdditionalModel[] {
  const places = placesIn(request);
  const tools = hostedModels(request, catalog, model);
  if (places.length + tools.length === 0) return NO_USES;
  const upstreams = forwardingUpstreams(request, catalog, model);
  const use = (additional: Model, place: AdditionalModelField, found?: FoundValue): AdditionalModel[] => {
    // A tool's model may lack a price, since tools without one are refused elsewhere. A model that responds must have one.
    if (place.tool !== undefined && additional.price?.rates.input === undefined) return [];
    const asked = askedOf(request, place, model, additional, found);
    return [
      {
        model: additional,
        price: freezePrice(
          additional,
          factorPpm,
          { asked, unasked: unrequestedTerms(additional, upstreams) },
          atMs,
        ),
        byCall: place.worksByCall === true,
        makesImages: place.tool === undefined ? undefined : true,
        isBilledAlone: place.isBilledAlone,
        outputLimit: limitOf(request, place, found),
      },
    ];
  };
  const named = new Set<string>();
  const uses = places.flatMap((place): AdditionalModel[] => {
    if (place.tool !== undefined || place.isOpen === true) return [];
    return request.scan.all(scannedPath(place)).flatMap((found) => {
      if (found.type !== "string") return [];
      named.add(textOf(found));
      const additional = findUsableModel(textOf(found), upstreams, request, catalog);
      return additional === undefined ? [] : use(additional, place, found);
    });
  });
  for (const place of places.filter(({ isOpen }) => isOpen === true)) {
    const words = request.scan.all(scannedPath(place)).flatMap((found) => wordsAt(request, place, found));
    for (const { text, isChoice, isName } of words) {
      const isHeld = named.has(text) && place.isBilledAlone !== true;
      const additional = isName && !isHeld ? findUsableModel(text, upstreams, request, catalog) : undefined;
      const found = isChoice
        ? modelsServedBy(upstreams, catalog)
        : additional === undefined
          ? []
          : [additional];
      for (const each of found) appendAll(uses, use(each, place));
    }
  }
  return [...uses, ...tools.flatMap(({ additional, place }) => use(additional, place))];
}

const NO_USES: readonly AdditionalModel[] = [];

/** The model of a tool that is charged by that model's tokens: one that this key may use and that has the prices and limits that a hold needs. */
export function tokenPricedModel(
  hosted: HostedTool,
  request: TextRequest,
  catalog: Catalog,
  model: Model,
): Model | undefined {
  const place = toolPlace(hosted, request);
  if (place === undefined) return undefined;
  const named = request.scan.all(scannedPath(place)).find(({ parent }) => parent === hosted.found.parent);
  const name = named?.type === "string" ? textOf(named) : place.tool?.byDefault;
  if (name === undefined) return undefined;
  const additional = findUsableModel(name, forwardingUpstreams(request, catalog, model), request, catalog);
  if (additional === undefined) return undefined;
  const isPriced =
    place.tool === undefined ? isGenerating(additional) : additional.price?.rates.imageOutput !== undefined;
  return isPriced ? additional : undefined;
}

/** The models of those offered tools for which the asked model has no price per call. */
function hostedModels(
  request: TextRequest,
  catalog: Catalog,
  model: Model,
): { readonly additional: Model; readonly place: AdditionalModelField }[] {
  if (!(request.protocol.forward.additionalModels ?? []).some(({ tool }) => tool !== undefined)) return [];
  const priced = Object.keys(model.price?.dimensions?.calls ?? {});
  return readFeatures(request.protocol.forward.hold, request.scan).hostedTools.flatMap((hosted) => {
    const place = toolPlace(hosted, request);
    if (place?.tool === undefined || findTool(priced, hosted.tool) !== undefined) return [];
    const additional = tokenPricedModel(hosted, request, catalog, model);
    return additional === undefined ? [] : [{ additional, place }];
  });
}

function toolPlace({ tool, place }: HostedTool, { protocol }: TextRequest): AdditionalModelField | undefined {
  return (protocol.forward.additionalModels ?? []).find(
    (each) => (each.tool?.type ?? each.freeCalls) === familyOf(tool) && each.path === `${place.path}.model`,
  );
}

function placesIn({ protocol, scan }: TextRequest): readonly AdditionalModelField[] {
  const { forward } = protocol;
  const paths = pathsOf(forward);
  // Nearly no request names an additional model, so this check avoids going through the places.
  if (!scan.present.some((path) => paths.has(path))) return NO_PLACES;
  return (forward.additionalModels ?? []).filter((place) => scan.present.includes(scannedPath(place)));
}

const NO_PLACES: readonly AdditionalModelField[] = [];

/** The paths that a scan watches for additional models, the same for every request of a protocol. */
const scannedPaths = new WeakMap<ForwardTable, ReadonlySet<string>>();

function pathsOf(forward: ForwardTable): ReadonlySet<string> {
  let paths = scannedPaths.get(forward);
  if (paths === undefined) {
    paths = new Set((forward.additionalModels ?? []).map(scannedPath));
    scannedPaths.set(forward, paths);
  }
  return paths;
}

/** The upstreams to which the request would be forwarded instead of translated. */
function forwardingUpstreams(request: TextRequest, catalog: Catalog, model: Model): readonly Upstream[] {
  return catalog
    .serving(model.id, request.caller.group, request.protocol.name)
    .filter(({ protocols }) => protocols.some((each) => requestsPricedOptions(request, each)));
}

/** True if the catalog or one of the upstreams has a model of this name. */
function isKnown(name: string, upstreams: readonly Upstream[], catalog: Catalog): boolean {
  return catalog.models.has(name) || upstreams.some(({ models }) => [...models.values()].includes(name));
}

/** The model of this name, the catalog's or an upstream's, if the key may use it. */
function findUsableModel(
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

function modelsServedBy(upstreams: readonly Upstream[], catalog: Catalog): readonly Model[] {
  const ids = new Set(upstreams.flatMap(({ models }) => [...models.keys()]));
  return [...ids].flatMap((id) => catalog.models.get(id) ?? []).filter(isGenerating);
}

/** True if the model has the prices and limits that a hold needs. */
function isGenerating({ contextTokens, maxOutputTokens, price }: Model): boolean {
  const { input, output } = price?.rates ?? {};
  return input !== undefined && output !== undefined && contextTokens !== null && maxOutputTokens !== null;
}

function textOf({ value, head }: FoundValue): string {
  return typeof value === "string" ? value : head;
}

/** The values at a path in the same object as the model. */
function siblingValues(
  { scan }: TextRequest,
  path: string | undefined,
  found: FoundValue | undefined,
): FoundValue[] {
  if (path === undefined || found === undefined) return [];
  return scan
    .all(scannedPath({ path }))
    .filter(({ parent, type }) => parent === found.parent && type !== "null");
}

/** The larger of several limits. A value that is not a count stands for the model's own limit. */
function limitOf(
  request: TextRequest,
  { outputLimit }: AdditionalModelField,
  found?: FoundValue,
): number | undefined {
  const limits = siblingValues(request, outputLimit, found).map(({ value }) =>
    typeof value === "number" && value >= 1 ? Math.ceil(value) : Number.POSITIVE_INFINITY,
  );
  return limits.length === 0 ? undefined : Math.max(...limits);
}

/**
 * The tier, speed and region that the request asks for this model, in the words of its price table. They are those of the
 * request, except that a model may have its own speed, and one that runs per call never has the request's. Throws
 * `invalid_request` if the table has no price for one.
 */
function askedOf(
  request: TextRequest,
  { speed: path, worksByCall }: AdditionalModelField,
  model: Model,
  additional: Model,
  found?: FoundValue,
): ServiceTerms | undefined {
  const { pricedFields } = readFeatures(request.protocol.forward.hold, request.scan);
  const own = siblingValues(request, path, found);
  const asked: Partial<Record<ServiceDimension, string>> = {};
  const note = (dimension: ServiceDimension, field: string, value: string): void => {
    const named = nameIn(additional, dimension, value);
    const what = `\`${field}\` "${value}" of "${additional.id}"`;
    if (named === undefined) throw unpriced(field, what, `price.${dimension}s "${value}"`);
    asked[dimension] = named;
  };
  for (const { dimension, field, value } of pricedFields) {
    const isOwn = dimension === "speed" && (worksByCall === true || own.length > 0);
    // If the asked model charges a fee for the field, that fee covers the whole request.
    if (!isOwn && !isPlainService(value) && nameIn(model, dimension, value) !== undefined)
      note(dimension, field, value);
  }
  for (const { head } of own) if (!isPlainService(head)) note("speed", path ?? "", head);
  return Object.keys(asked).length > 0 ? asked : undefined;
}
