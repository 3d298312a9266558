import type { Caller } from "../accounts/caller.ts";
import type { AssetApi, AssetSite } from "../upstreams/asset-apis/asset-api.ts";
import { kindOf } from "../upstreams/kinds.ts";

type Upstream = AssetSite["upstream"];
type Credential = AssetSite["credential"];

/** The parts of the catalog that are needed. */
export interface AssetCatalog {
  readonly upstreams: readonly Upstream[];
  readonly models: ReadonlyMap<string, { readonly family: string | null }>;
}

/** A place that can store assets. */
export interface AssetPlace {
  readonly upstream: Upstream;
  readonly credential: Credential;
  readonly api: AssetApi;
}

/**
 * Every place that would keep an asset for this caller, in the order to try them: upstreams that make videos
 * of family videoa for its group, by rising priority and falling weight. The order never changes by chance, so
 * that the assets of one account stay together: a request can use only what is kept in one place.
 */
export function placesFor(catalog: AssetCatalog, { group }: Pick<Caller, "group">): readonly AssetPlace[] {
  return catalog.upstreams
    .filter((each) => (each.groups === null || each.groups.has(group)) && makesVideoa(catalog, each))
    .sort((a, b) => a.priority - b.priority || b.weight - a.weight || Number(a.id - b.id))
    .flatMap((upstream) => upstream.credentials.flatMap((credential) => placeAt(upstream, credential)));
}

/**
 * Returns the place that stores an asset. If its credential was replaced, another credential of the upstream is used.
 */
export function placeOf(
  catalog: AssetCatalog,
  { upstreamId, credentialId }: { readonly upstreamId: bigint; readonly credentialId: bigint },
): AssetPlace | undefined {
  const upstream = catalog.upstreams.find(({ id }) => id === upstreamId);
  if (upstream === undefined) return undefined;
  const own = upstream.credentials.find(({ id }) => id === credentialId);
  return (own === undefined ? upstream.credentials : [own]).flatMap((each) => placeAt(upstream, each))[0];
}

/** True if the place makes videos of the model for the group. */
export function servesModel(
  { upstream: { groups, models } }: AssetPlace,
  { group, model }: { readonly group: string; readonly model: string },
): boolean {
  return (groups === null || groups.has(group)) && models.has(model);
}

export function isSame(one: AssetPlace, other: AssetPlace): boolean {
  return one.upstream.id === other.upstream.id && one.credential.id === other.credential.id;
}

function placeAt(upstream: Upstream, credential: Credential): AssetPlace[] {
  const api = kindOf(upstream.kind)?.assetApi ?? null;
  return api?.usable(credential) ? [{ upstream, credential, api }] : [];
}

function makesVideoa({ models }: AssetCatalog, upstream: Upstream): boolean {
  return [...upstream.models.keys()].some((id) => models.get(id)?.family === "videoa");
}
