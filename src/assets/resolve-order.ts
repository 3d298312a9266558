import type { MediaOrder, MediaReference } from "../families/family.ts";
import type { AssetOutcome } from "../upstreams/asset-apis/asset-api.ts";
import type { AssetRecord, ResolvedOrder } from "./assets.ts";
import type { StoredAsset } from "./assets-store.ts";
import { type AssetPlace, isSame } from "./places.ts";

export interface ResolveDeps {
  /** The account's own assets among these ids. */
  readonly find: (ids: readonly string[]) => Promise<ReadonlyMap<string, StoredAsset>>;
  /** undefined = its upstream is not in service. */
  readonly placeOf: (asset: StoredAsset) => AssetPlace | undefined;
  /** True if the place makes what is ordered. */
  readonly makes: (place: AssetPlace) => boolean;
  /** Asks its upstream how it is. */
  readonly readAsset: (asset: StoredAsset) => Promise<AssetOutcome<AssetRecord>>;
}

const SCHEME = "asset://";
const ACTIVE = "Active";

/**
 * Binds an order to the place that keeps its assets. Each must be the account's own, be of the kind it is used
 * as, be Active, and be kept where the others are, for no upstream can read another's.
 */
export async function resolveOrder(order: MediaOrder, deps: ResolveDeps): Promise<ResolvedOrder> {
  if (order.medium === "image") return { type: "free" };
  const named = order.references.filter(({ url }) => isAsset(url));
  if (named.length === 0) return { type: "free" };
  const ids = [...new Set(named.map(({ url }) => idOf(url)))];
  const assets = await deps.find(ids);

  for (const reference of named) {
    const why = misuse(reference, assets.get(idOf(reference.url)));
    if (why !== undefined) return { type: "refused", reason: why };
  }
  const [place, ...others] = [...assets.values()].map(deps.placeOf);
  if (place === undefined || others.includes(undefined)) {
    return { type: "refused", reason: "The upstream that stores the assets is unavailable." };
  }
  if (others.some((each) => each && !isSame(each, place))) {
    return {
      type: "refused",
      reason:
        "The assets of this request are stored at different upstreams. Register them again to use them together.",
    };
  }
  if (!deps.makes(place)) {
    return {
      type: "refused",
      reason: "The upstream that stores the assets doesn't serve this model. Send URLs instead of assets.",
    };
  }
  for (const result of await Promise.all([...assets.values()].map((asset) => check(asset, deps)))) {
    if (result !== undefined) return result;
  }
  const references = order.references.map((each) => withUpstreamId(each, assets));
  return {
    type: "bound",
    upstreamId: place.upstream.id,
    credentialId: place.credential.id,
    order: { ...order, references },
  };
}

/** Returns the reason why the asset can't be used now. Once it was Active, it remains usable. */
async function check(asset: StoredAsset, deps: ResolveDeps): Promise<ResolvedOrder | undefined> {
  if (asset.status === ACTIVE) return undefined;
  const found = await deps.readAsset(asset);
  if (found.type === "unavailable") return { type: "unknown", reason: found.reason };
  if (found.type === "refused") {
    return { type: "refused", reason: `The asset ${asset.id} cannot be used: ${found.reason}` };
  }
  const { Status } = found.value;
  return Status === ACTIVE
    ? undefined
    : { type: "refused", reason: `The asset ${asset.id} isn't Active but ${Status}.` };
}

function misuse({ url, kind }: MediaReference, asset: StoredAsset | undefined): string | undefined {
  const name = `The asset ${idOf(url)}`;
  if (asset === undefined) return `${name} does not exist in this account.`;
  return asset.type.toLowerCase() === kind ? undefined : `${name} is of type ${asset.type}, not ${kind}.`;
}

function withUpstreamId(reference: MediaReference, assets: ReadonlyMap<string, StoredAsset>): MediaReference {
  const asset = isAsset(reference.url) ? assets.get(idOf(reference.url)) : undefined;
  return asset === undefined ? reference : { ...reference, url: SCHEME + asset.upstreamAsset };
}

function isAsset(url: string): boolean {
  return url.startsWith(SCHEME);
}

function idOf(url: string): string {
  return url.slice(SCHEME.length);
}
