import { changedFieldsOf, type FieldChanges } from "../base/json/field-changes.ts";
import { PROTOCOL_NAMES, type ProtocolName } from "../conversation/protocol-name.ts";
import type { FamilyName } from "../families/family.ts";
import { familyOf } from "../families/table.ts";
import { chooseProtocol } from "../protocols/table.ts";
import { readServiceWord } from "../usage/service-terms.ts";
import {
  type Catalog,
  type Endpoint,
  type Group,
  type Model,
  protocolsAt,
  type Settings,
  type Timeouts,
  type Upstream,
} from "./catalog.ts";
import { type ListedTool, withListedTools } from "./listed-tool-prices.ts";
import type { UpstreamRecord } from "./upstreams-store.ts";

/** The rows from which a catalog is built, read in one snapshot of the database. */
export interface CatalogParts {
  readonly version: bigint;
  readonly groups: readonly Group[];
  /** Sorted by id, which is the order of every list. */
  readonly models: readonly Model[];
  readonly upstreams: readonly UpstreamRecord[];
  readonly settings: Settings;
  /** Number of accounts in each group, counted up to two. Groups without accounts may be left out. */
  readonly accounts: ReadonlyMap<string, number>;
}

/** Facts about a kind of upstream that the catalog needs; src/upstreams/kinds.ts has the table. */
export interface KindFacts {
  readonly protocols: readonly ProtocolName[];
  /** Families of images and videos that it can make. */
  readonly families: readonly FamilyName[];
  readonly needsKey: boolean;
  /**
   * Protocols in which models are asked, by the vendor's name of the model; the first match applies. Absent = all
   * protocols of the kind.
   */
  readonly modelProtocols?: readonly {
    readonly names: RegExp;
    readonly protocols: readonly ProtocolName[];
  }[];
  /** Differences between its request bodies and those of the protocol. */
  readonly bodyForms?: Readonly<Partial<Record<ProtocolName, FieldChanges>>>;
  /** List prices of its vendor's tools; absent = none is known. */
  readonly listedTools?: readonly ListedTool[];
}

/** Returns the facts of a kind, changed by the preset if one is named; undefined = there is no such kind. */
export type KindsOf = (kind: string, preset?: string | null) => KindFacts | undefined;

/**
 * Precomputes all that a request asks of the catalog, per group and model, so that a request only looks it up in maps.
 * One rule decides what can be called (see reachOf), and all else follows from it.
 */
export function buildCatalog(parts: CatalogParts, kindOf: KindsOf): Catalog {
  const upstreams = parts.upstreams.flatMap((record) =>
    usableUpstream(record, kindOf(record.kind, record.preset)),
  );
  const known = new Map(
    parts.upstreams.flatMap((record) => {
      const kind = kindOf(record.kind, record.preset);
      return kind === undefined
        ? []
        : [[record.id, upstreamOf(record, kind, credentialsOf(record, kind), given(record))] as const];
    }),
  );
  const serves: Serves = (upstream, model, endpoint) =>
    isProtocol(endpoint)
      ? servesText(upstream, model, endpoint)
      : servesMedia(kindOf(upstream.kind), model, endpoint);
  const reaches = new Map(
    parts.groups.map(({ name }) => [name, reachesOfGroup(name, parts.models, upstreams, { serves, kindOf })]),
  );
  const lists = new Map([...reaches].map(([name, reach]) => [name, [...reach.values()].map(listedModel)]));
  const refusing = new Set(
    upstreams.filter((upstream) => refusesForeignIds(upstream, parts)).map(({ id }) => id),
  );
  return Object.freeze<Catalog>({
    version: parts.version,
    groups: new Map(parts.groups.map((group) => [group.name, group])),
    models: new Map(parts.models.map((model) => [model.id, model])),
    upstreams,
    allUpstreams: [...known.values()],
    bodyFields: [
      ...new Set(
        upstreams.flatMap(({ kind, options }) => [
          ...(options?.body ? changedFieldsOf(options.body) : []),
          ...Object.values(kindOf(kind)?.bodyForms ?? {}).flatMap(changedFieldsOf),
        ]),
      ),
    ],
    settings: parts.settings,
    serving: (modelId, group, endpoint) => {
      const reach = reaches.get(group)?.get(modelId);
      return (endpoint === undefined ? reach?.upstreams : reach?.byEndpoint.get(endpoint)) ?? NOTHING;
    },
    endpointsOf: (modelId, group) => reaches.get(group)?.get(modelId)?.endpoints ?? NOTHING,
    callable: ({ models, group }, modelId) => {
      const model = reaches.get(group)?.get(modelId)?.model;
      if (models === null || model === undefined) return model;
      return models.has(modelId) || models.has(model.id) ? model : undefined;
    },
    listed: ({ models, group }) => {
      const all = lists.get(group) ?? NOTHING;
      return models === null
        ? all
        : all.filter(({ id, aliasOf }) => models.has(id) || (aliasOf !== undefined && models.has(aliasOf)));
    },
    placed: (upstreamId, credentialId) => {
      const upstream = known.get(upstreamId);
      const credential = upstream?.credentials.find(({ id }) => id === credentialId);
      return upstream && credential && { upstream, credential };
    },
    refusesForeignIds: (upstreamId) => refusing.has(upstreamId),
  });
}

/**
 * Things stored in a vendor's account are visible to every caller of it. Once a second account may use the upstream,
 * ids need an owner.
 */
function refusesForeignIds({ groups }: Upstream, { accounts, settings }: CatalogParts): boolean {
  if (settings.foreignIds !== null) return settings.foreignIds === "refuse";
  let callers = 0;
  for (const [group, count] of accounts) if (groups === null || groups.has(group)) callers += count;
  return callers > 1;
}

/** Each limit is as long as its phase may take before the caller gets an error. */
const DEFAULT_TIMEOUTS: Timeouts = {
  connectMs: 5_000,
  firstByteStreamMs: 120_000,
  // A plain response begins when it is complete, and long reasoning takes minutes.
  firstBytePlainMs: 600_000,
  idleMs: 300_000,
  totalMs: 3_600_000,
};

const NOTHING: readonly never[] = Object.freeze([]);

/** A model as a group reaches it. */
interface Reach {
  /** Includes the list prices of tools that its upstreams' vendors run. */
  readonly model: Model;
  readonly endpoints: readonly Endpoint[];
  readonly upstreams: readonly Upstream[];
  readonly byEndpoint: ReadonlyMap<Endpoint, readonly Upstream[]>;
  /** The catalog's alias by which the model is reached; absent = it is reached by its own name. */
  readonly alias?: Model;
}

/** Returns a model as lists show it. */
function listedModel({ model, alias }: Reach): Model {
  return alias === undefined ? model : { ...model, id: alias.id, created: alias.created, aliasOf: model.id };
}

/** True if an upstream can answer a request for the model that came in on this endpoint. */
type Serves = (upstream: Upstream, model: Model, endpoint: Endpoint) => boolean;

interface Facts {
  readonly serves: Serves;
  readonly kindOf: KindsOf;
}

function reachesOfGroup(
  group: string,
  models: readonly Model[],
  upstreams: readonly Upstream[],
  facts: Facts,
): ReadonlyMap<string, Reach> {
  const open = upstreams.filter(({ groups }) => groups === null || groups.has(group));
  const own = new Map(
    models.flatMap((model) => {
      const reach = reachOf(model, group, open, facts);
      return reach ? [[model.id, reach]] : [];
    }),
  );
  return new Map(
    models.flatMap((model): [string, Reach][] => {
      const reach = own.get(model.aliasOf ?? model.id);
      if (reach === undefined) return [];
      return [[model.id, model.aliasOf === undefined ? reach : { ...reach, alias: model }]];
    }),
  );
}

/**
 * The rule: a group can call a model on an endpoint if the model is open to the group, is priced, declares
 * the endpoint, and a usable upstream that is open to the group has the model and serves the endpoint.
 * A model that can be called nowhere does not exist for the group.
 */
function reachOf(
  model: Model,
  group: string,
  upstreams: readonly Upstream[],
  { serves, kindOf }: Facts,
): Reach | undefined {
  if (
    model.price === null ||
    model.aliasOf !== undefined ||
    (model.groups !== null && !model.groups.has(group))
  )
    return undefined;
  const having = upstreams.filter(({ models }) => models.has(model.id));
  const byEndpoint = new Map<Endpoint, readonly Upstream[]>();
  for (const endpoint of model.endpoints) {
    const serving = having.filter((upstream) => serves(upstream, model, endpoint));
    if (serving.length > 0) byEndpoint.set(endpoint, Object.freeze(serving));
  }
  if (byEndpoint.size === 0) return undefined;
  const serving = new Set([...byEndpoint.values()].flat());
  const reached = Object.freeze(having.filter((upstream) => serving.has(upstream)));
  return {
    model: withListedTools(model, reached, (kind) => kindOf(kind)?.listedTools ?? NOTHING),
    endpoints: Object.freeze([...byEndpoint.keys()]),
    upstreams: reached,
    byEndpoint,
  };
}

/** A protocol is served by forwarding or by translation, unless the quirk `translation: false` forbids translation. */
function servesText(upstream: Upstream, model: Model, endpoint: ProtocolName): boolean {
  const spoken = chooseProtocol(protocolsAt(upstream, model.id), endpoint);
  return spoken === endpoint || (spoken !== undefined && model.quirks["translation"] !== false);
}

/** Models of a family are called on the endpoint of their medium only, whatever else they declare. */
function servesMedia(kind: KindFacts | undefined, { family }: Model, endpoint: "images" | "videos"): boolean {
  const known = family === null ? undefined : familyOf(family);
  return (
    known !== undefined &&
    (known.medium === "image") === (endpoint === "images") &&
    (kind?.families.includes(known.name) ?? false)
  );
}

/** Returns an upstream with its enabled credentials only; [] if new requests cannot use it. */
function usableUpstream(record: UpstreamRecord, kind: KindFacts | undefined): Upstream[] {
  if (!record.enabled || kind === undefined) return [];
  const enabled = record.credentials.filter((each) => each.enabled);
  const none = record.credentials.length > 0 && enabled.length === 0;
  const credentials = none ? [] : credentialsOf({ ...record, credentials: enabled }, kind);
  return credentials.length === 0 ? [] : [upstreamOf(record, kind, credentials, given(record))];
}

/** Returns the number by which a weight is divided. It includes credentials that are out of service. */
function given({ credentials }: UpstreamRecord): number {
  return Math.max(1, credentials.length);
}

/** Fills in the defaults. */
function upstreamOf(
  record: UpstreamRecord,
  kind: KindFacts,
  credentials: Upstream["credentials"],
  configuredCredentials: number,
): Upstream {
  const { id, name, preset, baseUrl, models, groups, priority, weight, maxConcurrency, probe, signer, cost } =
    record;
  const { unaskedTiers, region, options } = record;
  return Object.freeze<Upstream>({
    id,
    name,
    kind: record.kind,
    preset,
    baseUrl,
    models,
    groups,
    priority,
    weight,
    maxConcurrency,
    probe,
    signer,
    cost,
    // Normalised like the tiers in responses, with which they are compared.
    unaskedTiers: unaskedTiers.flatMap((tier) => readServiceWord(tier) ?? []),
    region: readServiceWord(region) ?? null,
    options,
    configuredCredentials,
    protocols: record.protocols ?? kind.protocols,
    modelProtocols: record.protocols === null ? protocolsByModel(models, kind) : undefined,
    sharedIds: new Set(record.sharedIds),
    timeouts: { ...DEFAULT_TIMEOUTS, ...record.timeouts },
    credentials,
  });
}

/** Has only the models that cannot be asked in all protocols of the kind. */
function protocolsByModel(models: UpstreamRecord["models"], { modelProtocols = [] }: KindFacts) {
  if (modelProtocols.length === 0) return undefined;
  return new Map(
    [...models].flatMap(([ours, theirs]) => {
      const found = modelProtocols.find(({ names }) => names.test(theirs));
      return found === undefined ? [] : [[ours, found.protocols] as const];
    }),
  );
}

function credentialsOf(record: UpstreamRecord, kind: KindFacts): Upstream["credentials"] {
  // This upstream needs no key. Its placeholder's id must differ from all stored ones.
  if (record.credentials.length === 0 && !kind.needsKey)
    return [{ id: -record.id, name: "none", secret: "" }];
  return record.credentials.map(({ id, name, secret }) => Object.freeze({ id, name, secret }));
}

/** Images and videos have no text protocol. */
function isProtocol(endpoint: Endpoint): endpoint is ProtocolName {
  return PROTOCOL_NAMES.some((name) => name === endpoint);
}
