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

/** What a catalog is made of, read in one snapshot of the database. */
export interface CatalogParts {
  readonly version: bigint;
  readonly groups: readonly Group[];
  /** By id; the order of every list. */
  readonly models: readonly Model[];
  readonly upstreams: readonly UpstreamRecord[];
  readonly settings: Settings;
  /** Accounts in each group, counted up to two; groups without any may be left out. */
  readonly accounts: ReadonlyMap<string, number>;
}

/** What the catalog must know of a kind of upstream; src/upstreams/kinds.ts has the table. */
export interface KindFacts {
  readonly protocols: readonly ProtocolName[];
  /** Of images and videos that it can make. */
  readonly families: readonly FamilyName[];
  readonly needsKey: boolean;
  /** In which protocols models are asked, by the vendor's name; the first that matches. Absent = in all of them. */
  readonly modelProtocols?: readonly {
    readonly names: RegExp;
    readonly protocols: readonly ProtocolName[];
  }[];
  /** How its bodies differ from the protocol's. */
  readonly bodyForms?: Readonly<Partial<Record<ProtocolName, FieldChanges>>>;
  /** List prices of its vendor's tools; absent = none is known. */
  readonly listedTools?: readonly ListedTool[];
}

/** The facts of a kind, as a preset has them if one is named; undefined = no such kind. */
export type KindsOf = (kind: string, preset?: string | null) => KindFacts | undefined;

/**
 * Computes every question of the hot path ahead, per group and model, so that each is a look-up in maps.
 * One rule says what can be called, and everything else follows from it: see reachOf().
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

/** What is kept in the vendor's account is everybody's there: with a second account that may use it, ids need an owner. */
function refusesForeignIds({ groups }: Upstream, { accounts, settings }: CatalogParts): boolean {
  if (settings.foreignIds !== null) return settings.foreignIds === "refuse";
  let callers = 0;
  for (const [group, count] of accounts) if (groups === null || groups.has(group)) callers += count;
  return callers > 1;
}

/** As long as a phase may take before its caller is told. */
const DEFAULT_TIMEOUTS: Timeouts = {
  connectMs: 5_000,
  firstByteStreamMs: 120_000,
  // A plain response begins when it is complete, and long reasoning takes minutes.
  firstBytePlainMs: 600_000,
  idleMs: 300_000,
  totalMs: 3_600_000,
};

const NOTHING: readonly never[] = Object.freeze([]);

/** How a group reaches a model. */
interface Reach {
  /** With the list prices of tools that its upstreams' vendors run. */
  readonly model: Model;
  readonly endpoints: readonly Endpoint[];
  readonly upstreams: readonly Upstream[];
  readonly byEndpoint: ReadonlyMap<Endpoint, readonly Upstream[]>;
  /** The entry of the catalog by which it is reached; absent = the model itself. */
  readonly alias?: Model;
}

/** A model as lists name it. */
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

/** By forwarding, or by translation unless the model's quirk `translation: false` wants its bytes untouched. */
function servesText(upstream: Upstream, model: Model, endpoint: ProtocolName): boolean {
  const spoken = chooseProtocol(protocolsAt(upstream, model.id), endpoint);
  return spoken === endpoint || (spoken !== undefined && model.quirks["translation"] !== false);
}

/** A family's models are called on its medium's endpoint only, whatever else they declare. */
function servesMedia(kind: KindFacts | undefined, { family }: Model, endpoint: "images" | "videos"): boolean {
  const known = family === null ? undefined : familyOf(family);
  return (
    known !== undefined &&
    (known.medium === "image") === (endpoint === "images") &&
    (kind?.families.includes(known.name) ?? false)
  );
}

/** As new requests see it: only what is enabled; nothing where it cannot be used. */
function usableUpstream(record: UpstreamRecord, kind: KindFacts | undefined): Upstream[] {
  if (!record.enabled || kind === undefined) return [];
  const enabled = record.credentials.filter((each) => each.enabled);
  const none = record.credentials.length > 0 && enabled.length === 0;
  const credentials = none ? [] : credentialsOf({ ...record, credentials: enabled }, kind);
  return credentials.length === 0 ? [] : [upstreamOf(record, kind, credentials, given(record))];
}

/** So many credentials that a weight is divided by, whatever is out of service just now. */
function given({ credentials }: UpstreamRecord): number {
  return Math.max(1, credentials.length);
}

/** Defaults filled in. */
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
    // As the words of responses are read.
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

/** Of those models alone that are not asked in all protocols of the kind. */
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
  // An upstream that was given no key wants none; its id must not meet that of a stored one.
  if (record.credentials.length === 0 && !kind.needsKey)
    return [{ id: -record.id, name: "none", secret: "" }];
  return record.credentials.map(({ id, name, secret }) => Object.freeze({ id, name, secret }));
}

/** Images and videos have no text protocol. */
function isProtocol(endpoint: Endpoint): endpoint is ProtocolName {
  return PROTOCOL_NAMES.some((name) => name === endpoint);
}
