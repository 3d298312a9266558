import type { CloudPlace } from "../../catalog/upstream-options.ts";
import type { ProtocolName } from "../../conversation/protocol-name.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import type { CallerQuery } from "../call.ts";

/**
 * The paths by protocol, relative to the base URL. `{model}`, the protocol's `{action}` and the fields of an upstream's
 * place are filled in.
 */
export type Paths = Readonly<Partial<Record<ProtocolName, string>>>;

/** The paths of a kind. */
export interface EndpointPaths {
  readonly paths: Paths;
  /** The same for streams, where they are asked for elsewhere. */
  readonly streamPaths?: Paths;
  /** The same for some models, by the vendor's names; the first that matches. */
  readonly modelPaths?: readonly { readonly names: RegExp; readonly paths: Paths }[];
  /** The same where the operator states a version of the interface. */
  readonly versionPaths?: Paths;
  /**
   * The paths that count the tokens of a request without charge, relative to the base URL; protocols that are left out
   * are not counted there.
   */
  readonly countPaths?: Paths;
  /** A list that costs nothing and needs the key, to try it; null = there is none. */
  readonly modelsPath: string | null;
  /** The pages of the list; absent = it comes whole. */
  readonly modelsPages?: ModelsPages;
  /** Its lists of models where the one to try a key with is none, or isn't all of them. */
  readonly modelLists?: readonly ModelList[];
  /** True if the endpoints of protocols with versions take the caller's `beta=true`. */
  readonly betaQuery: boolean;
}

/** A list of models in a form of its own. */
export interface ModelList {
  /** Relative to the base URL; what an upstream states of its place is filled in. */
  readonly path: string;
  readonly pages?: ModelsPages;
  /** Its server, where that isn't the one of requests. */
  readonly serverOf?: (baseUrl: string) => string;
  /** The field of a page with its entries. */
  readonly entries: string;
  /** The field of an entry with the model's name. */
  readonly name: string;
  /** A prefix of the list's names that requests leave out. */
  readonly before?: string;
  /** The field of an entry with the kinds of media that go in, and the vendor's words for them. */
  readonly media?: string;
  /** Entries alone whose field holds this value. */
  readonly only?: { readonly field: string; readonly holds: string };
}

/** Pages of a list of models: as many models as it gives at once, and where the next page begins. */
export interface ModelsPages {
  /** Query that asks for the largest page; "" = none does. */
  readonly size: string;
  /** Query parameter of the next page. */
  readonly after: string;
  /** Field of a page with what that parameter must be. */
  readonly next: string;
  /** Field that says whether there is a next page; absent = there is one where `next` is. */
  readonly more?: string;
}

export interface BaseUrl {
  /** `https://host:port` */
  readonly origin: string;
  /** The base URL's own path without a trailing slash, perhaps empty. */
  readonly prefix: string;
}

/** Splits an upstream's base URL; throws RangeError with what to do where it is none. */
export function splitBaseUrl(text: string): BaseUrl {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new RangeError("its base_url is not an http or https URL");
  }
  if (url.username || url.password) {
    throw new RangeError("its base_url contains a user name or password; use api_key");
  }
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, "") };
}

export interface EndpointOrder {
  readonly protocol: ProtocolName;
  readonly model: string;
  readonly streamed: boolean;
  readonly arrayStream: boolean;
  readonly query: CallerQuery;
  /** Behind the path: "/compact". */
  readonly below?: string | undefined;
  /** The upstream's place; absent = it states none. */
  readonly place?: CloudPlace | undefined;
  /** The paths of models with a form of their own; absent = those of the protocol. */
  readonly form?: { readonly path: string; readonly streamPath: string } | undefined;
}

/**
 * Path and query of an endpoint. A model's name is the only outside text in it and stays one path
 * segment whatever it holds, so that nothing reaches an upstream outside the fixed prefix. Throws
 * RangeError where the kind does not serve the protocol or the name cannot stand in a path.
 */
export function endpointPath(prefix: string, kind: EndpointPaths, order: EndpointOrder): string {
  const template = templateOf(kind, order);
  if (template === undefined) throw new RangeError(`its kind does not serve ${order.protocol}`);
  const path = placed(template, order.place);
  const { actions, eventQuery, version } = PROTOCOLS[order.protocol].endpoint;
  if (actions !== undefined) {
    const action = order.streamed ? actions.streamed : actions.plain;
    const filled = path.replace("{model}", encodeSegment(order.model)).replace("{action}", action);
    const asksEvents = order.streamed && !order.arrayStream && eventQuery !== undefined;
    return prefix + filled + (asksEvents ? `?${eventQuery}` : "");
  }
  if (path.includes("{model}")) return prefix + path.replace("{model}", () => encodeSegment(order.model));
  const beta = kind.betaQuery && version !== undefined && order.query.beta === "true";
  return beta ? `${prefix}${path}?beta=true` : prefix + path + (order.below ?? "");
}

function templateOf(
  kind: EndpointPaths,
  { protocol, model, streamed, place, form }: EndpointOrder,
): string | undefined {
  if (form !== undefined) return streamed ? form.streamPath : form.path;
  const versioned = place?.apiVersion === undefined ? undefined : kind.versionPaths?.[protocol];
  const ofStreams = streamed ? kind.streamPaths?.[protocol] : undefined;
  const ofModel = kind.modelPaths?.find(({ names }) => names.test(model))?.paths[protocol];
  return versioned ?? ofStreams ?? ofModel ?? kind.paths[protocol];
}

/** The path with the upstream's place in it. */
export function placed(path: string, place: CloudPlace | undefined): string {
  if (place === undefined) return path;
  return path
    .replace("{project}", () => encodeSegment(place.project ?? ""))
    .replace("{location}", () => encodeSegment(place.location ?? ""))
    .replace("{api_version}", () => encodeSegment(place.apiVersion ?? ""));
}

/** Path and query of a kind's call that counts the tokens of a request; undefined where it has none. Throws RangeError. */
export function countPath(
  kind: EndpointPaths,
  { protocol, model, query, place }: Pick<EndpointOrder, "protocol" | "model" | "query" | "place">,
): string | undefined {
  const template = kind.countPaths?.[protocol];
  const path = template && placed(template, place).replace("{model}", () => encodeSegment(model));
  const beta = kind.betaQuery && PROTOCOLS[protocol].endpoint.version !== undefined && query.beta === "true";
  return path !== undefined && beta ? `${path}?beta=true` : path;
}

/** Escapes everything that could end the segment or make it a dot segment. */
export function encodeSegment(text: string): string {
  if (text === "" || text === "." || text === "..") {
    throw new RangeError(`its model name "${text}" cannot stand in a path`);
  }
  try {
    // `$` would be read as a pattern by replace(); encodeURIComponent escapes it.
    return encodeURIComponent(text);
  } catch {
    throw new RangeError("its model name is not valid Unicode");
  }
}
