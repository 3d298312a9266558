import { textAt } from "../../base/json/json-splice.ts";
import type { FrozenPrice } from "../../billing/billing.ts";
import type { Catalog, Model } from "../../catalog/catalog.ts";
import { keysOfTokenPrice, type TokenPriceName, tokenPrice } from "../../catalog/token-prices.ts";
import type { ProtocolName } from "../../conversation/protocol-name.ts";
import { GatewayError } from "../../errors.ts";
import {
  type BodyFeatures,
  type HostedTool,
  type RequestedMedia,
  readFeatures,
} from "../../protocols/body-features.ts";
import { askedSizes } from "../../protocols/call-sizes.ts";
import { MEDIA, type Medium, mediaNamed } from "../../protocols/media.ts";
import { reportsCalls } from "../../upstreams/reported-calls.ts";
import {
  findTerm,
  isPlainService,
  PLAIN_SERVICE,
  readServiceWord,
  type ServiceDimension,
} from "../../usage/service-terms.ts";
import { defaultSize, familyOf, findTool } from "../../usage/tool-names.ts";
import type { TextRequest } from "../text-request.ts";

/** Priced options are only forwarded. Translation into another protocol drops them, and reports each as a loss. */
export function requestsPricedOptions(request: TextRequest, protocol: ProtocolName): boolean {
  return protocol === request.protocol.name;
}

/** True if an upstream of the model would get these options. */
export function mayRequestPricedOptions(request: TextRequest, catalog: Catalog, model: Model): boolean {
  const upstreams = catalog.serving(model.id, request.caller.group, request.protocol.name);
  return upstreams.some(({ protocols }) =>
    protocols.some((protocol) => requestsPricedOptions(request, protocol)),
  );
}

/**
 * Lists the options of the request that the vendor prices apart from text: a tier, speed or region by the model's price table,
 * a tool that the vendor runs and bills by the call, or a response in other media. An option without a price is refused, so
 * that nobody pays for it unseen. Empty = tokens alone. A tool whose model is charged by its tokens needs no price of its
 * calls.
 */
export function priceOptions(
  request: TextRequest,
  catalog: Catalog,
  model: Model,
  hasTokenPrice: (tool: HostedTool) => boolean,
): Pick<FrozenPrice, "asked" | "tools" | "sizes" | "fees"> {
  const features = readFeatures(request.protocol.forward.hold, request.scan);
  const { hostedTools, hostedFields, pricedFields, requestedMedia } = features;
  if (hostedTools.length + hostedFields.length + pricedFields.length + requestedMedia.length === 0) return {};
  if (!mayRequestPricedOptions(request, catalog, model)) return {};
  for (const list of requestedMedia)
    for (const medium of mediaIn(request, list)) requireOutput(model, medium, list.field);
  const calls = Object.keys(model.price?.dimensions?.calls ?? {});
  const tools = new Set<string>();
  const fees = new Set<string>();
  const asked: Partial<Record<ServiceDimension, string>> = {};
  const plain = pricedFields.filter(({ value }) => isPlainService(value));
  for (const { dimension, field, value } of pricedFields) {
    if (isPlainService(value)) continue;
    const named = nameIn(model, dimension, value);
    if (named === undefined) {
      const fee = `${field}:${value}`;
      if (!calls.includes(fee))
        throw unpriced(field, `\`${field}\` "${value}"`, `price.${dimension}s "${value}"`);
      fees.add(fee);
    } else if (asked[dimension] === undefined || asked[dimension] === named) {
      asked[dimension] = named;
    } else {
      // Vendors differ in which of them they take, and the hold is for one.
      throw new GatewayError("invalid_request", `\`${field}\` is given twice, with different values.`, {
        param: field,
      });
    }
  }
  // Without a word of the response, plain service that was asked for counts before what the upstream declares.
  for (const { dimension } of plain) asked[dimension] ??= PLAIN_SERVICE;
  const priceOf = (tool: string, param: string): string => {
    const named = findTool(calls, tool);
    if (named !== undefined) return named;
    const what = `The tool "${tool}" is run and billed by the vendor and`;
    throw unpriced(param, what, `price.calls "${familyOf(tool)}"`);
  };
  const isUnreported = mayNotReportCalls(request, catalog, model);
  for (const hosted of hostedTools) {
    const { tool, place } = hosted;
    if (findTool(calls, tool) === undefined && hasTokenPrice(hosted)) continue;
    const named = priceOf(tool, place.path.replace(/\[\]$/, ""));
    tools.add(named);
    if (isUnreported) fees.add(named);
  }
  for (const field of hostedFields) {
    const named = priceOf(field, field);
    tools.add(named);
    fees.add(named);
  }
  const sizes = sizesOf(request, features, model, [...tools]);
  return {
    asked: Object.keys(asked).length > 0 ? asked : undefined,
    tools: tools.size > 0 ? [...tools] : undefined,
    fees: fees.size > 0 ? [...fees] : undefined,
    sizes: sizes.length > 0 ? Object.fromEntries(sizes) : undefined,
  };
}

/** True if a response may not report the tools that ran. A call of each is charged then, as an estimate. */
function mayNotReportCalls({ protocol, caller }: TextRequest, catalog: Catalog, model: Model): boolean {
  if (protocol.forward.hold.uncounted !== true) return false;
  return catalog.serving(model.id, caller.group, protocol.name).some(({ baseUrl }) => !reportsCalls(baseUrl));
}

/** The sizes that the request asks for, of each tool by its name in the price table. One that has no price there is refused. */
function sizesOf(
  { protocol, scan }: TextRequest,
  features: BodyFeatures,
  { price }: Model,
  tools: readonly string[],
): (readonly [tool: string, sizes: readonly string[]])[] {
  return tools.flatMap((tool) => {
    const asked = askedSizes(protocol.forward.hold, scan, features, tool);
    if (asked.length === 0) return [];
    const terms = price?.dimensions?.calls[tool];
    for (const { size, path, isReused } of asked)
      if (
        !isReused &&
        size !== undefined &&
        terms !== undefined &&
        "sizes" in terms &&
        !Object.hasOwn(terms.sizes, size)
      )
        throw unpriced(path, `\`${path}\` "${size.slice(0, MAX_SIZE_LETTERS)}"`, `price.calls "${tool}"`);
    return [[tool, asked.flatMap(({ size }) => size ?? defaultSize(tool) ?? [])]];
  });
}

/** The longest word that a refusal quotes. */
const MAX_SIZE_LETTERS = 40;

/** Refuses a response in a medium that the model's price table has no price for. */
function requireOutput({ price }: Model, medium: Medium, field: string): void {
  const name = OUTPUT_PRICE[medium];
  if (price === null || tokenPrice(price.rates, name) !== undefined) return;
  const what = `${medium[0]?.toUpperCase()}${medium.slice(1)} output`;
  throw unpriced(field, what, `price.${keysOfTokenPrice(name).join(".")}`);
}

const OUTPUT_PRICE = {
  audio: "audioOutput",
  image: "imageOutput",
  video: "videoOutput",
} as const satisfies Readonly<Record<Medium, TokenPriceName>>;

/** The media beside text that a list wants. */
function mediaIn({ body, protocol }: TextRequest, list: RequestedMedia): readonly Medium[] {
  if (list.end - list.start > MAX_WORDS_BYTES) return MEDIA;
  return mediaNamed([JSON.parse(textAt(body, list))].flat(), protocol.forward.hold.readMediumWord);
}

/** A list of the few words that there are is far shorter. */
const MAX_WORDS_BYTES = 1024;

export function unpriced(param: string, what: string, key: string): GatewayError {
  return new GatewayError(
    "invalid_request",
    `${what} has no price on this gateway; leave it out, or ask the operator to set one (${key}).`,
    { param },
  );
}

/** Returns the price table's name of the option; undefined = it has no price there. */
export function nameIn({ price }: Model, dimension: ServiceDimension, value: string): string | undefined {
  const { tiers = {}, speeds = {}, regions = {} } = price?.dimensions ?? {};
  const word = readServiceWord(value);
  const named = { tier: tiers, speed: speeds, region: regions }[dimension];
  return word === undefined ? undefined : findTerm(Object.keys(named), word);
}
